"""The gradient of a batch, whole or piece by piece."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

# Rows of a piece at most, from what was fastest most often, and at least. Activations of 256 rows of a transformer fit
# a core's L2 cache; more rows make longer products.
_MOST, _LEAST = (256, 512, 1024), 32


def pieces(samples: int, rows: int = 1) -> tuple[int, ...]:
    """Into how many equal pieces a batch of `samples`, each of `rows` rows, may be cut: the likely fastest first.

    >>> pieces(16, rows=128), pieces(8, rows=64), pieces(8, rows=12), pieces(997)
    ((8, 4, 2), (2, 1), (1,), (1,))
    """
    sizes = {n: samples // n * rows for n in range(1, samples + 1) if samples % n == 0}
    fewest = (next((n for n, size in sizes.items() if _LEAST <= size <= most), 1) for most in _MOST)
    return tuple(dict.fromkeys(fewest))


def differentiate(
    loss: Callable[[PyTree, PyTree, Array], tuple[Array, PyTree]],
    params: PyTree,
    batch: PyTree,
    key: Array,
    microbatches: int,
) -> tuple[tuple[Array, PyTree], PyTree]:
    """((loss, outputs), gradient) of a batch, the mean over its `Recipe.microbatches`."""
    whole = jax.value_and_grad(loss, has_aux=True)
    if microbatches == 1:
        return whole(params, batch, key)
    arrays, structure = jax.tree.flatten(batch)
    cut = [_cut(array, microbatches) for array in arrays if jnp.ndim(array)]

    def add(total: PyTree, piece: tuple[list[Array], Array]) -> tuple[PyTree, PyTree]:
        parts, key = iter(piece[0]), piece[1]
        part = structure.unflatten([next(parts) if jnp.ndim(array) else array for array in arrays])
        (value, outputs), grads = whole(params, part, key)
        return jax.tree.map(jnp.add, total, (value, grads)), outputs

    nothing = jnp.zeros(()), jax.tree.map(jnp.zeros_like, params)
    total, outputs = jax.lax.scan(add, nothing, (cut, jax.random.split(key, microbatches)))
    value, grads = jax.tree.map(lambda sum_: sum_ / microbatches, total)
    return (value, jax.tree.map(lambda array: array.reshape(-1, *array.shape[2:]), outputs)), grads


def _cut(array: Array, microbatches: int) -> Array:
    if len(array) % microbatches:
        raise ValueError(f"Recipe.microbatches must divide the {len(array)} samples of a batch; got {microbatches}.")
    return array.reshape(microbatches, -1, *array.shape[1:])
