"""Whether a translated module computes what PyTorch computes, forward and back, on an example."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import jax
import numpy as np

from nucleate.models.pytorch import refusals
from nucleate.models.pytorch.library import pytorch

_OWN, _ALL = 1e-4, 1e-6  # what a number may differ by, of the largest in its array and of the largest in all


def pytorchs(module: Any, inputs: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, dict[str, np.ndarray]]:
    """The module's own outputs, and its gradient of their sum with fixed weights; without dropout.

    It must leave itself as it was.
    """
    torch = pytorch()
    before = refusals.state_of(module)
    with torch.random.fork_rng(devices=[]), torch.enable_grad(), _undropped():
        try:
            outputs = module(*inputs, **named)
        except Exception as error:
            where = refusals.at_error(module, error)
            raise refusals.refused(where, f"does not take the example: {type(error).__name__}: {error}") from error
    refusals.refuse_changed(module, before)
    weights = {name: tensor for name, tensor in module.named_parameters() if tensor.requires_grad}
    leaves = [leaf for leaf in _leaves(outputs) if leaf.requires_grad]
    if not leaves or not weights:
        return outputs, {}
    sums = [(leaf * torch.from_numpy(part)).sum() for leaf, part in zip(leaves, _parts(leaves), strict=True)]
    found = torch.autograd.grad(sum(sums), [*weights.values()], allow_unused=True)
    zero = {name: np.zeros(tensor.shape, np.float32) for name, tensor in weights.items()}
    grads = {name: grad.numpy() for name, grad in zip(weights, found, strict=True) if grad is not None}
    return outputs, zero | grads


def refuse_disagreement(ours: Callable[[Any], Any], parameters: Any, outputs: Any, grads: Mapping[str, Any]) -> None:
    """`ours`: from parameters to what a module returns. A gradient is compared in every parameter."""
    theirs = _leaves(outputs)
    differ = [leaf.requires_grad for leaf in theirs]

    # Runs once, so that it is not worth optimising.
    quickly = {"xla_backend_optimization_level": 0} if jax.default_backend() == "cpu" else {}

    @partial(jax.jit, compiler_options=quickly)
    def both(parameters):
        def weighted(parameters):
            leaves = _leaves(ours(parameters))
            kept = [leaf for leaf, counts in zip(leaves, differ, strict=True) if counts]
            return sum((leaf * part).sum() for leaf, part in zip(kept, _parts(kept), strict=True)), leaves

        return jax.grad(weighted, has_aux=True)(parameters) if grads else ({}, _leaves(ours(parameters)))

    with jax.default_matmul_precision("highest"):
        found, leaves = both(parameters)
    _compare("outputs", {f"output {i}": leaf.detach().numpy() for i, leaf in enumerate(theirs)}, [*leaves])
    _compare("gradients", grads, [found[name] for name in grads])


def _compare(what: str, theirs: Mapping[str, np.ndarray], ours: Sequence[Any]) -> None:
    largest = max((_largest(array) for array in theirs.values()), default=0)
    for (name, array), own in zip(theirs.items(), map(np.asarray, ours), strict=True):
        allowed = _OWN * _largest(array) + _ALL * largest if array.dtype.kind == "f" else 0
        if not np.allclose(own, array, rtol=0, atol=allowed, equal_nan=True):
            raise ValueError(
                f"from_torch: on the example, {what} found by JAX are not PyTorch's: '{name}' differs by "
                f"{_farthest(own, array):.2g}, of numbers up to {_largest(array):.2g}. A backward pass of one's own "
                "(autograd.Function), and random numbers that are not PyTorch's, cannot be translated."
            )


def _largest(array: np.ndarray) -> float:
    """Of the numbers that are finite: an infinite one would allow the others any difference."""
    return float(np.abs(array[np.isfinite(array)].astype(float)).max(initial=0))


def _farthest(own: np.ndarray, array: np.ndarray) -> float:
    """The largest difference, which is infinite where only one of two numbers is finite."""
    both = np.isfinite(own) & np.isfinite(array)
    same = (own == array) | (np.isnan(own) & np.isnan(array))
    apart = np.abs(np.where(both, own, 0).astype(float) - np.where(both, array, 0))
    return float(np.where(both | same, apart, np.inf).max(initial=0))


def _leaves(outputs: Any) -> list[Any]:
    return [leaf for leaf in pytorch().utils._pytree.tree_leaves(outputs) if hasattr(leaf, "dtype")]


def _parts(leaves: Sequence[Any]) -> list[np.ndarray]:
    draws = np.random.default_rng(0)
    return [draws.normal(size=tuple(leaf.shape)).astype(np.float32) for leaf in leaves]


def _undropped() -> Any:
    """A context in which dropout passes everything on: its coins fall on what they are worth on average."""
    torch = pytorch()

    class Undropped(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            if operation is torch.ops.aten.bernoulli_.float:
                return args[0].fill_(*args[1:] or (0.5,))
            if operation is torch.ops.aten.native_dropout.default:
                return args[0].clone(), torch.ones_like(args[0], dtype=torch.bool)
            return operation(*args, **(kwargs or {}))

    return Undropped()
