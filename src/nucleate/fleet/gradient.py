"""The gradient of a batch, whole or piece by piece."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

Loss = Callable[[PyTree, PyTree, Array], tuple[Array, PyTree]]
"""Of parameters, a batch and a key: the loss, and outputs."""
Differentiated = tuple[tuple[Array, PyTree], PyTree]

# Rows of a piece at most, from what was fastest most often, and at least. Activations of 256 rows of a transformer fit
# a core's L2 cache; more rows make longer products.
_MOST, _LEAST = (256, 512, 1024), 32


def pieces(samples: int, rows: int = 1) -> tuple[int, ...]:
    """Into how many equal pieces a batch of `samples`, each with so many `rows`, may be cut: the likely fastest first.

    >>> pieces(16, rows=128), pieces(8, rows=64), pieces(8, rows=12), pieces(997)
    ((8, 4, 2), (2, 1), (1,), (1,))
    """
    sizes = {n: samples // n * rows for n in range(1, samples + 1) if samples % n == 0}
    fewest = (next((n for n, size in sizes.items() if _LEAST <= size <= most), 1) for most in _MOST)
    return tuple(dict.fromkeys(fewest))


def differentiate(loss: Loss, params: PyTree, batch: PyTree, key: Array, microbatches: int) -> Differentiated:
    """((loss, outputs), gradient) of a batch, the mean over its `Recipe.microbatches`."""
    if microbatches == 1:
        return jax.value_and_grad(loss, has_aux=True)(params, batch, key)
    return mean(add_up(loss, params, cut_up(batch, key, microbatches)), microbatches)


def cut_up(batch: PyTree, key: Array, microbatches: int) -> PyTree:
    """The pieces of a batch, each with a key of its own, one below the other."""

    def cut(array: Array) -> Array:
        if not jnp.ndim(array):
            return jnp.broadcast_to(array, microbatches)
        if len(array) % microbatches:
            raise ValueError(
                f"Recipe.microbatches must divide the {len(array)} samples of a batch; got {microbatches}."
            )
        return array.reshape(microbatches, -1, *array.shape[1:])

    return jax.tree.map(cut, batch), jax.random.split(key, microbatches)


def add_up(loss: Loss, params: PyTree, parts: PyTree) -> tuple[PyTree, PyTree]:
    """The sum of (loss, gradient) over pieces, one after the other, and the outputs of each."""
    differentiated = jax.value_and_grad(loss, has_aux=True)

    def add(total: PyTree, part: tuple[PyTree, Array]) -> tuple[PyTree, PyTree]:
        (value, outputs), grads = differentiated(params, *part)
        return jax.tree.map(jnp.add, total, (value, grads)), outputs

    return jax.lax.scan(add, (jnp.zeros(()), jax.tree.map(jnp.zeros_like, params)), parts)


def mean(found: tuple[PyTree, PyTree], microbatches: int) -> Differentiated:
    """What `differentiate` answers, from sums over all pieces and the outputs of each."""
    total, outputs = found
    value, grads = jax.tree.map(lambda sum_: sum_ / microbatches, total)
    return (value, jax.tree.map(lambda array: array.reshape(-1, *array.shape[2:]), outputs)), grads
