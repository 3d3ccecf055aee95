"""Layers of networks as one operation each."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array

from nucleate.models.mlp import rows_times

Drop = Callable[[Array, float], Array]  # what is left of an array, at a rate


def linear(x: Array, weight: Array, bias: Array | None = None) -> Array:
    y = rows_times(x, weight.T)
    return y if bias is None else y + bias


def addmm(x: Array, left: Array, right: Array, *, beta: float = 1, alpha: float = 1) -> Array:
    return beta * x + alpha * (left @ right)


def embedding(
    weight: Array, indices: Array, padding: int = -1, by_frequency: bool = False, sparse: bool = False
) -> Array:
    if by_frequency:
        raise NotImplementedError("scale_grad_by_freq")
    rows = weight[indices]
    return rows if padding < 0 else jnp.where((indices == padding)[..., None], lax.stop_gradient(rows), rows)


def attention(
    query: Array,
    key: Array,
    value: Array,
    mask: Array | None = None,
    rate: float = 0.0,
    causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
    drop: Drop,
) -> Array:
    """softmax(q kᵀ / √d) v; a query that may look at nothing gets 0."""
    if enable_gqa:
        key, value = (jnp.repeat(x, query.shape[-3] // x.shape[-3], axis=-3) for x in (key, value))
    scores = query @ key.swapaxes(-1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    if mask is None:
        return drop(jax.nn.softmax(scores), rate) @ value
    seen = mask if mask.dtype == bool else mask > -jnp.inf
    scores = scores if mask.dtype == bool else scores + jnp.where(seen, mask, 0)
    weight = jnp.where(seen, jax.nn.softmax(jnp.where(seen, scores, jnp.finfo(scores.dtype).min)), 0)
    return drop(weight, rate) @ value


def layer_norm(
    x: Array, shape: Sequence[int], weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5, *_: Any
) -> Array:
    return _scaled(_normalised(x, tuple(range(-len(shape), 0)), eps), weight, bias)


def group_norm(
    x: Array, weight: Array | None, bias: Array | None, batch: int, channels: int, area: int, groups: int, eps: float
) -> tuple[Array, None, None]:
    y = _normalised(x.reshape(batch, groups, -1), (-1,), eps).reshape(x.shape)
    return _scaled(y, *_per_channel(y, weight, bias)), None, None


def batch_norm_by_batch(
    x: Array, weight: Array | None, bias: Array | None, training: bool, momentum: float, eps: float
) -> tuple[Array, None, None]:
    y = _normalised(x, (0, *range(2, x.ndim)), eps)
    return _scaled(y, *_per_channel(y, weight, bias)), None, None


def batch_norm_by_buffers(
    x: Array, weight: Array | None, bias: Array | None, mean: Array, variance: Array, momentum: float, eps: float
) -> tuple[Array, None, None]:
    mean, variance = _per_channel(x, mean, variance)
    y = (x - mean) * lax.rsqrt(variance + eps)
    return _scaled(y, *_per_channel(y, weight, bias)), None, None


def _normalised(x: Array, axes: tuple[int, ...], eps: float) -> Array:
    centred = x - x.mean(axes, keepdims=True)
    return centred * lax.rsqrt(jnp.square(centred).mean(axes, keepdims=True) + eps)


def _scaled(x: Array, weight: Array | None, bias: Array | None) -> Array:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def _per_channel(x: Array, *parameters: Array | None) -> list[Any]:
    """Parameters along the second axis of x."""
    shape = (-1, *[1] * (x.ndim - 2))
    return [None if each is None else each.reshape(shape) for each in parameters]


def native_dropout(x: Array, rate: float, training: bool | None, *, drop: Drop) -> tuple[Array, None]:
    return drop(x, rate if training or training is None else 0.0), None
