"""Operations along axes, in which PyTorch names one, several or none."""

from collections.abc import Callable, Sequence
from math import isinf
from typing import Any

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array


def absolute(x: Array) -> Array:
    """|x|; its derivative at 0 is 0, where JAX's own is 1."""
    return x * jnp.sign(x)


def vector_norm(x: Array, order: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Array:
    """(Σ |x|ᵖ)^(1/p) over any axes; its derivative at 0 is 0."""
    axes, far = axes_of(dim), absolute(x)
    if order == 0:
        return (x != 0).sum(axes, keepdims=keepdim)
    if isinf(order):
        return (jnp.max if order > 0 else jnp.min)(far, axes, keepdims=keepdim)
    if order == 1:
        return far.sum(axes, keepdims=keepdim)
    if order == 2:
        return _root(jnp.square(x).sum(axes, keepdims=keepdim), 0.5)
    return _root(_root(far, order).sum(axes, keepdims=keepdim), 1 / order)


def _root(x: Array, power: float) -> Array:
    """A power of numbers that are not negative; what is not a number remains so."""
    zero = x == 0
    return jnp.where(zero, 0.0 if power > 0 else jnp.inf, jnp.where(zero, 1, x) ** power)


def std(x: Array, dim: Any = None, *, correction: float | None = None, keepdim: bool = False) -> Array:
    return _root(variance(x, dim, correction=correction, keepdim=keepdim), 0.5)


def variance(x: Array, dim: Any = None, *, correction: float | None = None, keepdim: bool = False) -> Array:
    return jnp.var(x, axes_of(dim), correction=1 if correction is None else correction, keepdims=keepdim)


def with_mean(spread: Callable) -> Callable:
    """A spread along axes, and the mean along them."""
    return lambda x, dim=None, *, correction=None, keepdim=False: (
        spread(x, dim, correction=correction, keepdim=keepdim),
        x.mean(axes_of(dim), keepdims=keepdim),
    )


def reduced(by: Callable) -> Callable:
    """A reduction over some axes, or over all where none are named."""
    return lambda x, dim=None, keepdim=False, **_: by(x, axes_of(dim), keepdims=keepdim)


def axes_of(dim: Any) -> Any:
    return None if dim is None or dim == [] else tuple(dim) if isinstance(dim, Sequence) else dim


def place(by: Callable) -> Callable:
    """argmax and its like: of a flattened tensor where no axis is named."""
    return lambda x, dim=None, keepdim=False: by(x, dim, keepdims=keepdim)


def extreme(by: Callable) -> Callable:
    """The largest or smallest value along an axis and its place, which alone has a derivative."""

    def at(x: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
        if not x.ndim:
            return x, jnp.int32(0)
        index = by(x, dim, keepdims=True)
        found = jnp.take_along_axis(x, index, dim), index
        return found if keepdim else (found[0].squeeze(dim), found[1].squeeze(dim))

    return at


def sort(x: Array, dim: int = -1, descending: bool = False, **_: Any) -> tuple[Array, Array]:
    if not x.ndim:
        return x, jnp.int32(0)
    index = jnp.argsort(x, axis=dim, stable=True, descending=descending)
    return jnp.take_along_axis(x, index, dim), index


def topk(x: Array, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Array, Array]:
    values, index = sort(x, dim, descending=largest)
    return lax.slice_in_dim(values, 0, k, axis=dim), lax.slice_in_dim(index, 0, k, axis=dim)
