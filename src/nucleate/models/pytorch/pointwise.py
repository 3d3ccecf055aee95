"""Operations on each number by itself, with PyTorch's derivatives where pieces of a function meet."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array


def clamp(x: Array, low: Any = None, high: Any = None) -> Array:
    x = x if low is None else jnp.where(x < low, low, x)
    return x if high is None else jnp.where(x > high, high, x)


def hardtanh(x: Array, low: float = -1.0, high: float = 1.0) -> Array:
    return jnp.where(x <= low, low, jnp.where(x >= high, high, x))


def hardsigmoid(x: Array) -> Array:
    return jnp.where(x <= -3, 0, jnp.where(x >= 3, 1, (x + 3) / 6))


def hardswish(x: Array) -> Array:
    return jnp.where(x <= -3, 0, jnp.where(x >= 3, x, x * (x + 3) / 6))


def elu(x: Array, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Array:
    return scale * jnp.where(x > 0, x, alpha * jnp.expm1(input_scale * jnp.where(x > 0, 0, x)))


def softplus(x: Array, beta: float = 1.0, threshold: float = 20.0) -> Array:
    return jnp.where(x * beta > threshold, x, jnp.logaddexp(x * beta, 0) / beta)


def gelu(x: Array, *, approximate: str = "none") -> Array:
    return jax.nn.gelu(x, approximate=approximate == "tanh")


def power(x: Any, exponent: Any) -> Array:
    """A whole exponent is multiplied out."""
    whole = isinstance(exponent, float) and exponent.is_integer() and abs(exponent) < 16
    return x ** (int(exponent) if whole else exponent)


def divide(x: Array, y: Any, *, rounding_mode: str | None = None) -> Array:
    if rounding_mode == "floor":
        return jnp.floor_divide(x, y)
    if rounding_mode == "trunc" and jnp.issubdtype(jnp.result_type(x, y), jnp.integer):
        return jnp.abs(x) // jnp.abs(y) * jnp.sign(x) * jnp.sign(y)  # single precision does not have all of them
    return jnp.trunc(x / y) if rounding_mode == "trunc" else x / y


@jax.custom_jvp
def _surprise(x: Array, target: Array) -> Array:
    """−t log x − (1 − t) log(1 − x), where no logarithm is below −100."""
    return (target - 1) * jnp.maximum(jnp.log1p(-x), -100) - target * jnp.maximum(jnp.log(x), -100)


@_surprise.defjvp
def _(values: tuple, slopes: tuple) -> tuple[Array, Array]:
    x, target = values
    by_x = (x - target) / jnp.maximum((1 - x) * x, 1e-12)
    by_target = jnp.maximum(jnp.log1p(-x), -100) - jnp.maximum(jnp.log(x), -100)
    return _surprise(x, target), by_x * slopes[0] + by_target * slopes[1]


def binary_cross_entropy(x: Array, target: Array, weight: Array | None = None, reduction: int = 1) -> Array:
    """Its derivative stays finite at 0 and 1, which sigmoids reach."""
    each = _surprise(x, target) * (1 if weight is None else weight)
    return (lambda: each, each.mean, each.sum)[reduction]()
