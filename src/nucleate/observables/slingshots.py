"""Slingshots: a loss that has fallen leaps up and falls again."""

import numpy as np
from jaxtyping import Array, Float, Int

from nucleate.checking import checked


@checked
def slingshots(
    loss: Float[Array | np.ndarray, "*run step"], rise: float = 10.0
) -> Int[np.ndarray | np.generic, "*run"]:
    """Count how often a loss rises far above its lowest value so far.

        #{t | ℓ(t) is a lowest value so far, and max ℓ > rise · ℓ(t) before the next lowest value}

    ℓ: the recorded loss; values that are not finite are skipped. All leaps before the loss falls below its lowest
    value again count as one slingshot. Source: the cycles of spiking and decay in Figure 12 of
    [ding2024survival], which are those of [thilak2022slingshot].

    >>> slingshots(np.array([[1.0, 1e-4, 1.0, 1e-5, 2e-5, 1e-2], [4.0, 3.0, 2.0, 1.0, 0.5, 0.1]])).tolist()
    [2, 0]
    """
    if not rise > 1:
        raise ValueError(f"slingshots: rise must be > 1; got {rise}.")
    values = np.asarray(loss)
    lowest = np.full(values.shape[:-1], np.inf)
    high = np.zeros(values.shape[:-1], bool)
    found = np.zeros(values.shape[:-1], int)
    for value in np.moveaxis(np.where(np.isfinite(values), values, np.nan), -1, 0):
        leaps = ~high & (value > rise * lowest)
        lower = value <= lowest
        found, high = found + leaps, (high | leaps) & ~lower
        lowest = np.where(lower, value, lowest)
    return found
