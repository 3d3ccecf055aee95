"""A graph that PyTorch has traced, carried out with JAX."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, final

import jax
import jax.numpy as jnp
from jaxtyping import Array

from nucleate.models.dropout import Dropout
from nucleate.models.pytorch.library import pytorch
from nucleate.models.pytorch.operations import CHANCY
from nucleate.models.pytorch.refusals import at_node, refused


class Chance(Enum):
    """What stands in place of a key."""

    NONE = auto()  # dropout passes everything on, so that two programs can be compared


class NeedsKey(ValueError):
    """Dropout was called without a key."""


@final
@dataclass(frozen=True)
class Program:
    """A function of parameters and inputs, in the order of its graph.

    `weights`, `constants`: which parameters, and which arrays, enter at which node. `given`: the nodes at which inputs
    enter, in order. `steps`: nodes with their functions. `outputs`: what the module returns, as nodes; `rebuild` gives
    it its own structure.
    """

    weights: Mapping[Any, str]
    constants: Mapping[Any, Any]
    given: Sequence[Any]
    steps: Sequence[tuple[Any, Callable]]
    outputs: Any
    rebuild: Callable[[list[Any]], Any]

    def __call__(
        self, parameters: Mapping[str, Array], inputs: Sequence[Any], key: Array | Chance | None = None
    ) -> Any:
        map_arg = pytorch().fx.node.map_arg
        known = {node: parameters[name] for node, name in self.weights.items()}
        known |= {node: jnp.asarray(array) for node, array in self.constants.items()}
        known |= dict(zip(self.given, inputs, strict=True))
        for number, (node, function) in enumerate(self.steps):
            args, kwargs = map_arg((node.args, node.kwargs), known.__getitem__)
            chance = {"drop": _dropping(key, number)} if operation(node) in CHANCY else {}
            try:
                result = function(*args, **kwargs, **chance)
            except NotImplementedError as error:
                asks = f"asks {operation(node)} for {error}, which from_torch does not know."
                raise refused(at_node(node), asks) from error
            if result is None and hasattr(node.meta["val"], "dtype"):
                asks = f"uses an output of {operation(node.args[0])} that from_torch does not compute."
                raise refused(at_node(node), asks)
            known[node] = _as_made(result, node.meta["val"])
        return self.rebuild([*map_arg(self.outputs, known.__getitem__)])


def operation(node: Any) -> str:
    """The name of an operation of PyTorch without its overload: `add` of `aten.add.Tensor`; of others, their own."""
    packet = getattr(node.target, "overloadpacket", None)
    return getattr(node.target, "__name__", str(node.target)) if packet is None else packet.__name__


def kind(dtype: Any) -> Any:
    """PyTorch's type of numbers in JAX, which has no 64 bits unless it is told so."""
    return jax.dtypes.canonicalize_dtype(str(dtype).removeprefix("torch."))


def _as_made(result: Any, made: Any) -> Any:
    """A result in the type that it has in PyTorch; the shape must be that already."""
    if result is None or not (isinstance(made, Sequence) or hasattr(made, "dtype")):
        return result
    if isinstance(made, Sequence):
        return [_as_made(*pair) for pair in zip(result, made, strict=False)]
    result = jnp.asarray(result, kind(made.dtype))
    assert result.shape == tuple(made.shape), (result.shape, made.shape)
    return result


def _dropping(key: Array | Chance | None, number: int) -> Callable[[Array, float], Array]:
    def drop(x: Array, rate: float) -> Array:
        if rate == 0 or key is Chance.NONE:
            return x
        if key is None:
            raise NeedsKey(
                "The network has dropout, which needs a key at every call: model(x, key=key). model.eval() has none."
            )
        return jnp.zeros_like(x) if rate == 1 else Dropout(rate, jax.random.fold_in(key, number))(x)

    return drop
