"""The error of a prediction as a share of the variance."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nucleate.checking import checked


@checked
def fvu(
    predicted: Float[Array | np.ndarray, "*sample dim"], true: Float[Array | np.ndarray, "*sample dim"]
) -> Float[Array, ""]:
    """Fraction of variance unexplained: 0 for a perfect prediction, 1 for one that is no better than the mean.

        FVU = Σ (a − â)² / Σ (a − ā)² = 1 − R²

    a: `true`; â: `predicted`; ā: the mean of a over all samples, one for each dimension. Where a is constant it has no
    variance, and FVU is infinite, or NaN if â = a. Source: the error of the accelerations that the networks of
    [hitchcock2025emergence] learn, in units that do not depend on the box.

    >>> float(fvu(np.array([[2.0], [2.0]]), np.array([[1.0], [3.0]])))  # the mean explains nothing
    1.0
    """
    true = jnp.asarray(true)
    if np.shape(predicted) != true.shape:
        raise ValueError(f"fvu: predicted must have the shape of true, {true.shape}; got {np.shape(predicted)}.")
    mean = jnp.mean(true, axis=tuple(range(true.ndim - 1)))
    return jnp.sum(jnp.square(predicted - true)) / jnp.sum(jnp.square(true - mean))
