"""Dropout, while a network trains."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float, Num


class Dropout(eqx.Module):
    """Set each number to zero with probability `rate`, and make up for it in the others.

        y = 0 with probability r, else x / (1 − r)

    `rate`: r, which may be traced, so that every network of a fleet can have its own; `key`: decides which numbers are
    dropped. Networks take a `Dropout` or None, which drops nothing. Source: [srivastava2014dropout].

    >>> Dropout(0.5, jax.random.key(1))(jnp.ones(5)).tolist()
    [2.0, 0.0, 2.0, 2.0, 0.0]
    >>> Dropout(1.0, jax.random.key(0))
    Traceback (most recent call last):
    ValueError: Dropout.rate must be at least 0 and below 1; got 1.0.
    """

    rate: Num[Array | np.ndarray, ""] | float
    key: Array

    def __check_init__(self):
        if not isinstance(self.rate, Tracer) and not 0 <= float(self.rate) < 1:
            raise ValueError(f"Dropout.rate must be at least 0 and below 1; got {self.rate}.")

    def __call__(self, x: Float[Array, "..."]) -> Float[Array, "..."]:
        kept = 1 - jnp.asarray(self.rate, x.dtype)
        return jnp.where(jax.random.bernoulli(self.key, kept, x.shape), x / kept, 0)


def dropped(x: Float[Array, "..."], dropout: Dropout | None) -> Float[Array, "..."]:
    """x after `dropout`, or as it is.

    >>> dropped(jnp.ones(2), None).tolist()
    [1.0, 1.0]
    """
    return x if dropout is None else dropout(x)


def places(dropout: Dropout | None, count: int) -> list[Dropout | None]:
    """Independent dropout of the same rate at `count` places of a network.

    >>> places(None, 2)
    [None, None]
    """
    if dropout is None:
        return [None] * count
    return [Dropout(dropout.rate, key) for key in jax.random.split(dropout.key, count)]
