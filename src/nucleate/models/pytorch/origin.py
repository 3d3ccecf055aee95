"""Where a model of PyTorch is from: the module itself, what is constant in it, and what was traced of it so far."""

import copy
import hashlib
import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from nucleate.checking import to_numpy
from nucleate.models.pytorch import refusals
from nucleate.models.pytorch.exporting import exported
from nucleate.models.pytorch.library import pytorch
from nucleate.models.pytorch.program import Program

_TRACING = threading.RLock()  # PyTorch traces, and seeds its random numbers, for a whole process


class Origin:
    """A module that nobody else changes, and its programs, one for each shape of inputs.

    `make`: the function that makes such modules, if there is one. An origin is equal to itself alone, so that it can be
    a constant of a compiled program.
    """

    def __init__(self, module: Any, make: Callable[[], Any] | None = None):
        refusals.refuse_untranslatable(module)
        try:
            self.module = copy.deepcopy(module).cpu()
        except Exception as error:
            raise refusals.refused("the module", f"cannot be copied: {error}") from error
        self.make = make
        self._programs: dict[Any, Program] = {}

    @classmethod
    def of(cls, module: Any) -> "Origin":
        """Of a module, or of the function that makes it."""
        if isinstance(module, pytorch().nn.Module) or not callable(module):
            return cls(module)
        refusals.refuse_arguments(module)
        origin, another = (cls(_made(module, seed), module) for seed in (0, 1))
        others = another.constants | another.settings
        for name, value in (origin.constants | origin.settings).items():
            if _bytes(value) != _bytes(others.get(name)):
                raise refusals.refused(
                    f"'{name}'",
                    "is not trained, yet differs between two modules that the function makes, where members of a fleet "
                    "share it. Make it a trained parameter, or draw it with a torch.Generator of its own.",
                )
        return origin

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        """What PyTorch would train, by its names there; a tensor that has several has the first."""
        return {name: _array(tensor) for name, tensor in self.module.named_parameters() if tensor.requires_grad}

    @property
    def constants(self) -> dict[str, np.ndarray]:
        """Buffers, and parameters that need no gradient."""
        held = [*self.module.named_parameters(), *self.module.named_buffers()]
        return {name: _array(tensor) for name, tensor in held if not tensor.requires_grad}

    @property
    def settings(self) -> dict[str, Any]:
        """What its parts keep as attributes: tensors that are no buffers, and values that are plain, such as a mode."""
        held = [(name, *item) for name, part in self.module.named_modules() for item in vars(part).items()]
        found = {".".join(filter(None, (name, key))): value for name, key, value in held}
        tensors = {name: _array(value) for name, value in found.items() if hasattr(value, "detach")}
        return {name: value for name, value in found.items() if _is_plain(value)} | tensors

    @property
    def names(self) -> dict[str, str]:
        """Every name of a parameter or buffer, with its first."""
        first: dict[int, str] = {}
        held = (self.module.named_parameters, self.module.named_buffers)
        pairs = [pair for named in held for pair in named(remove_duplicate=False)]
        return {name: first.setdefault(id(tensor), name) for name, tensor in pairs}

    @property
    def identity(self) -> str:
        """A digest of what the module is, besides what is trained and how it is written: its parts, what is constant in
        them, and the settings that they keep as attributes, such as their mode."""
        digest = hashlib.sha256(f"{type(self.module).__qualname__} {self.module!r}".encode())
        for name, value in sorted((self.constants | self.settings).items()):
            digest.update(name.encode() + _bytes(value))
        return digest.hexdigest()[:16]

    @cached_property
    def evaluating(self) -> "Origin":
        """The same in evaluation mode."""
        return Origin(copy.deepcopy(self.module).eval(), self.make)

    def initial(self, seed: Any) -> dict[str, np.ndarray]:
        """The parameters of a module that is made after `torch.manual_seed(seed)`."""
        assert self.make is not None
        return Origin(_made(self.make, seed)).parameters

    def program(self, inputs: tuple, named: Mapping[str, Any]) -> tuple[Program, list[Any]]:
        """What to compute of such inputs, and the inputs in the order in which it takes them."""
        leaves, structure = jax.tree.flatten((inputs, dict(named)))
        leaves = [_given(leaf) for leaf in leaves]
        kind = (structure, *(_kind(leaf) for leaf in leaves))
        with _TRACING:
            if kind not in self._programs:
                examples, keywords = jax.tree.unflatten(structure, [_blank(leaf) for leaf in leaves])
                self._programs[kind] = exported(copy.deepcopy(self.module), examples, keywords)
        places = pytorch().utils._pytree.tree_leaves(jax.tree.unflatten(structure, range(len(leaves))))
        return self._programs[kind], [None if place is None else leaves[place] for place in places]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_programs": {}}  # graphs are not for other processes, which trace them again


def as_tensors(tree: Any) -> Any:
    """Arrays of any library as PyTorch's, in the types with which a module is traced."""

    def tensor(leaf: Any) -> Any:
        leaf = _given(leaf)
        return pytorch().from_numpy(np.array(leaf)).to(_blank(leaf).dtype) if isinstance(leaf, Array) else leaf

    return jax.tree.map(tensor, tree)


def _made(make: Callable[[], Any], seed: Any) -> Any:
    """A module, with PyTorch's random numbers left as they were."""
    with _TRACING, pytorch().random.fork_rng(devices=[]):
        pytorch().default_generator.manual_seed(int(seed))
        return make()


def _is_plain(value: Any) -> bool:
    """Whether a value is written alike in every process."""
    if isinstance(value, Mapping):
        return all(map(_is_plain, (*value.keys(), *value.values())))
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | complex | str | bytes)


def _bytes(value: Any) -> bytes:
    """An array or a plain value, as it is told from others."""
    return value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode()


def _array(tensor: Any) -> np.ndarray:
    return tensor.detach().cpu().numpy().copy()


def _given(leaf: Any) -> Any:
    """An input: an array, or a plain value, which is a constant of the program."""
    if hasattr(leaf, "shape") and hasattr(leaf, "dtype"):
        return leaf if isinstance(leaf, Array) else jnp.asarray(to_numpy("An input of a TorchModel", leaf))
    return leaf


def _kind(leaf: Any) -> Any:
    return (leaf.shape, str(leaf.dtype)) if isinstance(leaf, Array) else (type(leaf), leaf)


def _blank(leaf: Any) -> Any:
    """An input as PyTorch sees it while it traces: whole numbers have 64 bits there, as indices must."""
    if not isinstance(leaf, Array):
        return leaf
    torch = pytorch()
    types = {"f": torch.float32, "i": torch.int64, "u": torch.int64, "b": torch.bool}
    if leaf.dtype.kind not in types or (leaf.dtype.kind == "f" and leaf.dtype != jnp.float32):
        raise ValueError(f"An input of a TorchModel must be of float32, whole numbers or bools; got {leaf.dtype}.")
    return torch.zeros(leaf.shape, dtype=types[leaf.dtype.kind], device="cpu")
