"""Whether hidden units stand for latent variables that a network is never shown."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nucleate.checking import checked


@checked
def best_correlations(
    hidden: Float[Array | np.ndarray, "sample unit"], latent: Float[Array | np.ndarray, "sample latent"]
) -> Float[Array, " latent"]:
    """For each latent, its correlation with the hidden unit that has the highest.

        max_u corr(y_n, h_u),    corr(y, h) = (y − ȳ)·(h − h̄) / (‖y − ȳ‖ ‖h − h̄‖)

    y_n: `latent` n over samples; h_u: `hidden` unit u. A unit that does not vary correlates with nothing (0); a latent
    that does not vary cannot be found (NaN). Source: Table 1 of [tian2023joma].

    >>> hidden = np.array([[0.0, 1.0], [0.0, 0.0], [2.0, 1.0], [2.0, 0.0]])
    >>> best_correlations(hidden, np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 1.0], [1.0, 1.0]])).tolist()
    [1.0, nan]
    """
    y, h = (x - jnp.mean(x, axis=0) for x in (jnp.asarray(latent), jnp.asarray(hidden)))
    # Scaled first: the squares of small units would not fit into single precision.
    y, h = (x / jnp.where((most := jnp.max(jnp.abs(x), axis=0)) > 0, most, 1) for x in (y, h))
    size_y, size_h = (jnp.sqrt(jnp.sum(jnp.square(x), axis=0)) for x in (y, h))
    product = (y / jnp.where(size_y > 0, size_y, 1)).T @ (h / jnp.where(size_h > 0, size_h, 1))
    return jnp.where(jnp.ptp(jnp.asarray(latent), axis=0) > 0, jnp.clip(jnp.max(product, axis=1), -1, 1), jnp.nan)


@checked
def normalised_correlation(
    hidden: Float[Array | np.ndarray, "sample unit"], latent: Float[Array | np.ndarray, "sample latent"]
) -> Float[Array, ""]:
    """NCorr: how well the latents of a level are matched by single hidden units.

        NCorr = mean_n max_u corr(y_n, h_u)

    See `best_correlations`; latents that do not vary are left out. With many units and few samples a network has a
    high NCorr before it is trained: only the difference to initialisation says that something was learned.
    Source: Table 1 of [tian2023joma].

    >>> rng = np.random.default_rng(0)
    >>> hidden, latent = rng.normal(size=(20, 400)), rng.integers(0, 2, (20, 10)).astype(float)
    >>> round(float(normalised_correlation(hidden, latent)), 1)  # unrelated
    0.6
    """
    return jnp.nanmean(best_correlations(hidden, latent))
