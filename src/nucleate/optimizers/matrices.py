"""Which parameters are matrices, and of which shape."""

from collections.abc import Callable
from math import prod
from typing import Any

import jax
import optax
from jaxtyping import Array, Float, PyTree

Which = Callable[[tuple[str, ...], tuple[int, ...]], bool]
"""Whether a parameter is meant: from the names on the way to it, such as ("blocks", "0", "mlp", "weights", "1"), and
its shape."""


def every_matrix(names: tuple[str, ...], shape: tuple[int, ...]) -> bool:
    """Every parameter with two axes or more.

    >>> every_matrix(("embedding",), (256, 64)), every_matrix(("blocks", "0", "mlp_norm", "bias"), (64,))
    (True, False)
    """
    return len(shape) > 1


def matrix_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of a parameter as a matrix: its axes are cut in two where that is most nearly square.

    The queries of an attention layer, (width, head, key), and its output, (head, key, width), both become width × width
    in this way, which is what they multiply.

    >>> matrix_shape((64, 4, 16)), matrix_shape((4, 16, 64)), matrix_shape((64, 192))
    ((64, 64), (64, 64), (64, 192))
    """
    cuts = [(prod(shape[:axis]), prod(shape[axis:])) for axis in range(1, len(shape))]
    return max(cuts, key=min)


def as_matrix(array: Float[Array, "..."]) -> Float[Array, "row column"]:
    """The parameter, or its gradient, as a matrix."""
    return array.reshape(matrix_shape(array.shape))


def refuse_rank(who: str, rank: int, names: tuple[str, ...], shape: tuple[int, ...]) -> None:
    """Refuse a rank that a matrix cannot have."""
    rows, columns = matrix_shape(shape)
    if rank > min(rows, columns):
        which = f"{'.'.join(names) or 'the parameter'}, a matrix of {rows} × {columns}"
        raise ValueError(f"{who}: rank must be <= {min(rows, columns)} for {which}; got {rank}.")


def refuse_ranks(who: str, rank: int, params: PyTree) -> None:
    """Refuse a rank that some matrix of a tree cannot have."""
    for path, leaf in jax.tree_util.tree_leaves_with_path(params):
        refuse_rank(who, rank, names_of(path), leaf.shape)


def apart(
    which: Which, chosen: optax.GradientTransformation, others: optax.GradientTransformation
) -> optax.GradientTransformation:
    """One transformation for the parameters that are meant, and another for all others."""

    def labels(params: PyTree) -> PyTree:
        return jax.tree_util.tree_map_with_path(lambda path, leaf: which(names_of(path), leaf.shape), params)

    return optax.partition({True: chosen, False: others}, labels)  # type: ignore[arg-type]


def names_of(path: tuple[Any, ...]) -> tuple[str, ...]:
    """The names on the way to a leaf, of fields, keys and places alike."""
    return tuple(str(getattr(step, "name", getattr(step, "key", getattr(step, "idx", step)))) for step in path)
