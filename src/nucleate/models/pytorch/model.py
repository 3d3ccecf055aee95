"""An `nn.Module` as an Equinox module."""

import copy
from collections.abc import Mapping
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from nucleate.checking import shown, to_numpy
from nucleate.models.pytorch.agreement import pytorchs, refuse_disagreement
from nucleate.models.pytorch.library import pytorch
from nucleate.models.pytorch.origin import Origin, as_tensors
from nucleate.models.pytorch.program import Chance


@final
class TorchModel(eqx.Module):
    """An `nn.Module` as a function of its parameters, to be trained in fleets, watched by probes and sampled around.

    `parameters`: what PyTorch would train, by its names there, so that `Matching("layers.0")` finds those of a layer.
    Buffers, and parameters that need no gradient, are constants. Made by `from_torch`.

    Called as the module is, with arrays or tensors of any shapes that it takes; for new ones it is traced again. `key`
    decides what dropout drops.
    """

    parameters: dict[str, Float[Array, "..."]]
    origin: Origin = eqx.field(static=True)

    def __call__(self, *inputs: Any, key: Array | None = None, **named: Any) -> Any:
        program, given = self.origin.program(inputs, named)
        return program(self.parameters, given, key)

    @property
    def made_of(self) -> tuple[Any, ...]:
        """The classes of all its parts, and the function that makes it: what it would mean to rewrite it."""
        return *(type(part) for part in self.origin.module.modules()), self.origin.make

    def eval(self) -> "TorchModel":
        """The same network in evaluation mode, without dropout."""
        return TorchModel(self.parameters, self.origin.evaluating)

    def fresh(self, seed: Int[Array | np.ndarray, ""] | int) -> "TorchModel":
        """With the weights of a module that is made after `torch.manual_seed(seed)`: for a member's own, in a recipe.

        Where the seed is traced, PyTorch still draws them, each time the program runs.
        """
        if self.origin.make is None:
            raise ValueError(
                "TorchModel.fresh needs the function that makes the module: from_torch(Net, …) instead of "
                "from_torch(Net(), …)."
            )
        shapes = {name: jax.ShapeDtypeStruct(each.shape, each.dtype) for name, each in self.parameters.items()}
        weights = jax.pure_callback(self.origin.initial, shapes, seed, vmap_method="sequential")
        return TorchModel(weights, self.origin)

    def with_weights(self, weights: Any) -> "TorchModel":
        """With the weights of a checkpoint: a state dict, arrays by their names there, or a module of this kind."""
        given = weights.state_dict() if hasattr(weights, "state_dict") else weights
        if not isinstance(given, Mapping):
            raise ValueError(
                f"TorchModel.with_weights: weights must be a state dict or a module; got {shown(weights)}."
            )
        names, found = self.origin.names, {**self.origin.constants, **self.parameters}
        if unknown := sorted(given.keys() - names.keys()):
            raise ValueError(
                f"TorchModel.with_weights: '{unknown[0]}' is not of this module; it has {shown([*names])}."
            )
        for name, value in given.items():
            array, here = to_numpy(f"TorchModel.with_weights: '{name}'", value), np.asarray(found[names[name]])
            if array.shape != here.shape:
                raise ValueError(f"TorchModel.with_weights: '{name}' must be of shape {here.shape}; got {array.shape}.")
            if names[name] in self.parameters:
                found[names[name]] = jnp.asarray(array, jnp.float32)
            elif not np.array_equal(array, here, equal_nan=True):
                raise ValueError(
                    f"TorchModel.with_weights: '{name}', which is not trained, differs from the module's, where it is "
                    "a constant. Give from_torch the module as it was at that checkpoint."
                )
        if lacking := sorted(self.parameters.keys() - {names[name] for name in given}):
            raise ValueError(f"TorchModel.with_weights: there is no '{lacking[0]}' among {shown([*given])}.")
        return TorchModel({name: jnp.asarray(found[name]) for name in self.parameters}, self.origin)

    def to_torch(self) -> Any:
        """A copy of the `nn.Module` with these weights."""
        torch, module = pytorch(), copy.deepcopy(self.origin.module)
        with torch.no_grad():
            for name, tensor in module.named_parameters():
                if name in self.parameters:
                    tensor.copy_(torch.from_numpy(np.array(self.parameters[name])))
        return module


def from_torch(module: Any, /, *example: Any, **named: Any) -> TorchModel:
    """An `nn.Module` as a model, with the weights that it has; or, of a function that makes one, with `fresh` ones.

    `example`, `named`: what to call the module with, arrays or tensors. On these, outputs and gradients are compared
    with the module's own. What would be wrong without a sign is refused, with the name of the part that does it: batch
    norm in training, other types than float32, randomness besides dropout, decisions by the values of tensors, hooks,
    and attributes that change in `forward`. The module is copied and not touched. As everywhere in JAX, whole numbers
    have 32 bits, and an index that is out of bounds is no error.

        model = from_torch(torch.nn.Linear(3, 2), torch.ones(5, 3))
        model(jnp.ones((5, 3)))               # inside jax.jit, jax.grad and jax.vmap, too
        model.parameters["weight"]            # its leaves

        class Copies(Recipe):                 # in a fleet, each member with its own initial weights
            def model(self, member, key):
                return NETWORK.fresh(member["seed"])    # NETWORK = from_torch(Net, x)

    Dropout needs a key at every call, `model(x, key=key)`, unless the module is in evaluation mode.
    """
    with jax.ensure_compile_time_eval():  # a recipe may call this while it is traced
        origin = Origin.of(module)
        model = TorchModel({name: jnp.asarray(array) for name, array in origin.parameters.items()}, origin)
        inputs, keywords = as_tensors((example, named))
        outputs, grads = pytorchs(copy.deepcopy(origin.module), inputs, keywords)
        program, given = origin.program(example, named)
        ours = lambda parameters: program(parameters, given, Chance.NONE)
        refuse_disagreement(ours, model.parameters, outputs, grads)
    return model
