"""The data a chain sees at each step, and the loss of the starting point on the same data.

A `Source` is a pytree: its arrays are inputs of the compiled program, not constants in it.
"""

import abc
from collections.abc import Callable
from typing import Any, ClassVar, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

from nucleate.checking import checked, detached

Baseline = Callable[[PyTree], Float[Array, ""]]
Draw = Callable[[Array], tuple[PyTree, Float[Array, ""]]]


def as_arrays(where: str, tree: PyTree) -> PyTree:
    """A pytree in which PyTorch's tensors are arrays.

    >>> as_arrays("w", {"a": np.ones(2), "b": 3})
    {'a': array([1., 1.]), 'b': 3}
    """

    def as_array(path: Any, leaf: Any) -> Any:
        name = jax.tree_util.keystr(path, simple=True, separator="/")
        if hasattr(leaf, "named_parameters"):
            raise ValueError(
                f"{where} must hold arrays or tensors; got a module of PyTorch, {type(leaf).__name__}. "
                "nucleate.models.from_torch(module, example) is a model of it, or give its state_dict()."
            )
        array = detached(f"{where}: '{name}'", leaf)
        return leaf if array is leaf else jnp.asarray(array)

    return jax.tree_util.tree_map_with_path(as_array, tree)


class Source(eqx.Module):
    """Where batches come from."""

    whole: eqx.AbstractClassVar[bool]  # whether every batch is all of the data

    @abc.abstractmethod
    def paired(self, baseline: Baseline) -> Draw:
        """A function from a key to a batch and the `baseline` on it."""


@final
class Whole(Source):
    """All of the data in every step: required by samplers that accept or reject, and best for small data.

        L_m = L_n

    data: any pytree, passed to the loss unchanged. Source: [lau2025llc].

    >>> import jax
    >>> batch, baseline = Whole(jnp.arange(3.0)).paired(jnp.mean)(jax.random.key(0))
    >>> batch.tolist(), float(baseline)
    ([0.0, 1.0, 2.0], 1.0)
    """

    data: Any
    whole: ClassVar[bool] = True

    def paired(self, baseline: Baseline) -> Draw:
        value = baseline(self.data)
        return lambda key: (self.data, value)


@final
class Minibatches(Source):
    """A fixed partition of the data into minibatches, one of them drawn uniformly in every step.

        E_b[L_b] = L_n,    b uniform on 1..⌊n/m⌋

    data: a pytree of arrays whose first axis holds the n samples; size: m. The data are shuffled and cut once, so that
    the starting point's loss on each batch is computed once for all steps: pairing costs one pass over the data. The
    n mod m samples that fill no batch are left out. Source: [welling2011sgld], with the batches of an epoch fixed.

    >>> source = Minibatches(np.arange(10.0), size=3)
    >>> source.batches.shape, len(set(source.batches.ravel().tolist()))
    ((3, 3), 9)
    """

    batches: Any
    whole: ClassVar[bool] = False

    @checked
    def __init__(self, data: Any, size: int):
        data = as_arrays("Minibatches.data", data)
        lengths = {np.shape(leaf)[0] if np.ndim(leaf) else None for leaf in jax.tree.leaves(data)}
        count = lengths.pop() if len(lengths) == 1 else None
        if count is None:
            shapes = [np.shape(leaf) for leaf in jax.tree.leaves(data)]
            raise ValueError(
                f"Minibatches.data must hold arrays with equally many samples on their first axis; got shapes {shapes}."
            )
        if not 1 <= size <= count:
            raise ValueError(f"Minibatches.size must be between 1 and the number of samples, {count}; got {size}.")
        order = np.random.default_rng(0).permutation(count)[: count // size * size]
        self.batches = jax.tree.map(lambda leaf: jnp.asarray(leaf)[order].reshape(-1, size, *np.shape(leaf)[1:]), data)

    def paired(self, baseline: Baseline) -> Draw:
        table = jax.lax.map(baseline, self.batches)

        def draw(key: Array) -> tuple[PyTree, Float[Array, ""]]:
            which = jax.random.bits(key) % len(table)
            return jax.tree.map(lambda leaf: leaf[which], self.batches), table[which]

        return draw


@final
class Fresh(Source):
    """Fresh batches, generated on the fly and never repeated.

        L_m → E[L],    n → ∞

    sample: a function from a key to a batch; if it is a pytree (a `jax.tree_util.Partial`, an `equinox.Module`), it may
    hold arrays. Any distribution will do, so this also gives the data-restricted coefficient. The starting point's loss
    is computed anew for each batch, once for all chains. Source: [wang2024refined].

    >>> import jax
    >>> batch, _ = Fresh(lambda key: jax.random.normal(key, (5, 2))).paired(jnp.mean)(jax.random.key(0))
    >>> batch.shape
    (5, 2)
    """

    sample: Callable[[Array], PyTree]
    whole: ClassVar[bool] = False

    def paired(self, baseline: Baseline) -> Draw:
        def draw(key: Array) -> tuple[PyTree, Float[Array, ""]]:
            batch = self.sample(key)
            return batch, baseline(batch)

        return draw
