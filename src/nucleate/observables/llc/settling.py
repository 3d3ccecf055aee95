"""Whether chains have filled their region: what its own distribution of losses says about the posterior."""

import numpy as np
from jaxtyping import Float

from nucleate.checking import checked

Draws = Float[np.ndarray, "*cell chain draw"]
Cells = Float[np.ndarray, "*cell"]


@checked
def balance(excess: Draws, energy: Draws, loss: Draws) -> Cells:
    """How far the spread of the loss agrees with its slope, over chains and draws; 1 at stationarity.

        E[(h − E h) x·∇U] / E[h′ x·∇ℓ],    h = ℓ / (ℓ + λ̂),    h′ = λ̂ / (ℓ + λ̂)²

    excess: ℓ = nβ (L(w) − L(w₀)), whose mean is λ̂; energy: x·∇U, with U = ℓ + γ/2 |x|² and x = w − w₀; loss: x·∇ℓ.
    For any h, E[∇·(h x)] = E[h x·∇U] if p ∝ exp(−U) falls to 0 at the border of what chains have visited. With h = 1
    that is the virial theorem, E[x·∇U] = d, to which every flat direction contributes, with all its noise. In
    (h − E h) x·∇U, what does not vary with ℓ averages to 0; and since h does not exceed 1, a few draws of high loss do
    not decide. NaN for cells with no draws, with a value that is not finite, or with λ̂ <= 0. Source: Stein's identity,
    [gorham2015].

    >>> x = np.random.default_rng(0).normal(size=(8, 5000, 3))  # the posterior of ℓ = |x|²/2
    >>> square = np.square(x).sum(-1)
    >>> round(float(balance(square / 2, square, square)), 1)
    1.0
    >>> kept = np.where(square < 6, square, 1.0)  # chains that never see losses above 3
    >>> bool(balance(kept / 2, kept, kept) < 0.8)
    True
    """
    if not excess.size:
        return np.full(excess.shape[:-2], np.nan)
    axes = (-2, -1)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        mean = excess.mean(axes, keepdims=True)
        above = np.maximum(excess, 0.0) + mean
        part, slope = 1 - mean / above, np.where(excess >= 0, mean / above**2, 0.0)
        ratio = np.mean((part - part.mean(axes, keepdims=True)) * energy, axes) / np.mean(slope * loss, axes)
    return np.where(np.isfinite(ratio) & (mean[..., 0, 0] > 0), ratio, np.nan)
