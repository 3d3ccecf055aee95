"""Keep principal components of an embedding, its own or those of another."""

from operator import index
from typing import SupportsIndex

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float


def keep_components(
    embedding: Float[Array | np.ndarray, "token dim"],
    of: Float[Array | np.ndarray, "token dim"],
    count: SupportsIndex | Array,
) -> Float[Array, "token dim"]:
    """Project an embedding onto the first principal components of another one, and back.

        E' = μ + (E − μ) V V^T

    μ: mean over the tokens of the embedding `of`; V: its first `count` principal axes, as columns. With `of` the
    embedding itself, those are its axes of highest variance; with `of` that of a later step, the ones it will have.
    `count` may be traced; at 0 all tokens are at μ. Source: [liu2022grokking], Appendix K.

    >>> wide = np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    >>> np.allclose(keep_components(wide, of=wide, count=1), wide * [1, 0], atol=1e-5)
    True
    """
    most = min(len(of) - 1, np.shape(of)[1])
    count = count if isinstance(count, Array) and isinstance(count, Tracer) else index(count)
    if isinstance(count, int) and not 0 <= count <= most:
        raise ValueError(f"keep_components: count must be between 0 and {most} for {np.shape(of)}; got {count}.")
    of = jnp.asarray(of)
    mean = of.mean(axis=0)
    _, _, axes = jnp.linalg.svd(of - mean, full_matrices=False)
    kept = jnp.where(jnp.arange(len(axes))[:, None] < count, axes, 0)
    return mean + (jnp.asarray(embedding) - mean) @ kept.T @ kept
