"""Operations that take numbers from some places of an array, or put them there."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array


def expand(x: Array, shape: Sequence[int], **_: Any) -> Array:
    own = (1,) * (len(shape) - x.ndim) + x.shape
    return jnp.broadcast_to(x, [here if size == -1 else size for size, here in zip(shape, own, strict=True)])


def squeeze(x: Array, dim: Any) -> Array:
    axes = [dim] if isinstance(dim, int) else dim
    return x.squeeze(tuple(axis for axis in axes if x.ndim and x.shape[axis] == 1))


def slice_(x: Array, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Array:
    return x[_along(x, dim, slice(start, end, step))]


def split(x: Array, sizes: Sequence[int], dim: int = 0) -> list[Array]:
    return jnp.split(x, np.cumsum(sizes)[:-1].tolist(), dim)


def slice_scatter(
    x: Array, part: Array, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Array:
    return x.at[_along(x, dim, slice(start, end, step))].set(part)


def select_scatter(x: Array, part: Array, dim: int, index: int) -> Array:
    return x.at[_along(x, dim, index)].set(part)


def _along(x: Array, dim: int, index: Any) -> tuple:
    return (*[slice(None)] * (dim % x.ndim), index)


def index(x: Array, indices: Sequence[Array | None]) -> Array:
    return x[tuple(slice(None) if each is None else each for each in indices)]


def index_put(x: Array, indices: Sequence[Array | None], values: Array, accumulate: bool = False) -> Array:
    chosen = tuple(slice(None) if each is None else each for each in indices)
    if len(chosen) == 1 and chosen[0].dtype == bool:  # type: ignore[union-attr]
        if values.size > 1:
            raise NotImplementedError("several values at places that a mask chooses")
        mask = chosen[0].reshape(*chosen[0].shape, *[1] * (x.ndim - chosen[0].ndim))  # type: ignore[union-attr]
        return jnp.where(mask, x + values.reshape(()) if accumulate else values.reshape(()), x)
    return x.at[chosen].add(values) if accumulate else x.at[chosen].set(values)


def gather(x: Array, dim: int, index: Array, **_: Any) -> Array:
    return x[_points(x, dim, index)] if x.ndim else x


def scatter(x: Array, dim: int, index: Array, source: Any) -> Array:
    return x.at[_points(x, dim, index)].set(_corner(source, index))


def scatter_add(x: Array, dim: int, index: Array, source: Array) -> Array:
    return x.at[_points(x, dim, index)].add(_corner(source, index))


def _points(x: Array, dim: int, index: Array) -> tuple:
    """Where an index of one axis points to, on all axes."""
    points = list(jnp.indices(index.shape, sparse=True))
    points[dim % x.ndim] = index
    return tuple(points)


def _corner(source: Any, index: Array) -> Any:
    return source[tuple(slice(size) for size in index.shape)] if jnp.ndim(source) else source
