"""How far vectors are from being orthogonal, beside vectors that are drawn at random."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from nucleate.checking import Count, checked


@checked
def median_cosine(
    vectors: Float[Array | np.ndarray, "token dim"], pairs: Bool[Array | np.ndarray, "token token"] | None = None
) -> Float[Array, ""]:
    """The median over pairs of different tokens of the cosine between their vectors, without its sign.

        median_{i<j} |u_i·u_j| / (‖u_i‖ ‖u_j‖)

    u_i: a row of `vectors`; `pairs`: which pairs count, all if left out. 0 for orthogonal vectors, 1 for parallel ones;
    see `random_cosine` for random ones. Source: the assumption of orthogonal embeddings of [tian2023joma].

    >>> round(float(median_cosine(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]]))), 4)
    0.7071
    """
    vectors = jnp.asarray(vectors)
    size = jnp.sqrt(jnp.sum(jnp.square(vectors), axis=1, keepdims=True))
    unit = vectors / jnp.where(size > 0, size, 1)
    chosen = jnp.tri(len(vectors), k=-1, dtype=bool)
    if pairs is not None:
        chosen &= jnp.asarray(pairs)
    return jnp.nanmedian(jnp.where(chosen, jnp.abs(unit @ unit.T), jnp.nan))


@checked
def random_cosine(dim: Count) -> float:
    """The median |cosine| between two random vectors of `dim` dimensions, all directions equally likely.

        cos² ~ Beta(½, (d − 1)/2)

    Source: the baseline of the assumption of orthogonal embeddings of [tian2023joma].

    >>> round(random_cosine(2), 4), round(random_cosine(128), 4)  # |cos| of a uniform angle: cos 45°
    (0.7071, 0.0599)
    """
    from scipy.special import betaincinv

    return float(np.sqrt(betaincinv(0.5, (dim - 1) / 2, 0.5))) if dim > 1 else 1.0
