"""How far a set of chains can be trusted: whether they agree, and how many independent draws they are worth."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from nucleate.checking import checked

Draws = Float[np.ndarray, "*cell chain draw"]
Halves = Float[np.ndarray, "*cell half time"]
Cells = Float[np.ndarray, "*cell"]

_ENOUGH = 8  # halves needed for a usable variance of their means


class Mixing(NamedTuple):
    """The result of `mixing` for each cell."""

    r_hat: Cells
    ess: Cells
    error: Cells


@checked
def mixing(draws: Draws) -> Mixing:
    """Whether chains agree, how many independent draws they are worth, and the standard error of their mean.

        R̂ = √(V / W),    n_eff = M N / τ,    σ = max(√(V / n_eff), √(B / M))
        V = (N − 1)/N · W + B,    τ = 1 + 2 Σ_t ρ_t,    ρ_t = 1 − (W − c_t)/V

    draws: those after burn-in, for any number of cells. Each chain is cut in halves, M in all, of N draws each, so that
    a drift counts as disagreement. W: mean variance within a half; B: variance of their means; c_t: their mean
    autocovariance at lag t. The sum over lags stops where two neighbouring ρ have a negative sum, and its terms are
    made to decrease (Geyer's initial monotone sequence). The standard error is the largest of several, each valid where
    another fails. √(V / n_eff) is computed for the draws; for their means over √N neighbours, where fast noise cannot
    hide slow motion; and for both again with the mean over chains as one series, since chains that see the same
    minibatches do not err independently. √(B / M) is used from four chains on. A cell with a value that is not finite
    gives NaN; R̂ is NaN where nothing varies. Source: [vehtari2021].

    >>> noise = np.random.default_rng(0).normal(size=(4, 2500))
    >>> r_hat, ess, error = mixing(noise)
    >>> bool(r_hat < 1.01), bool(9000 < ess < 11000), bool(0.009 < error < 0.012)
    (True, True, True)
    >>> bool(mixing(noise + np.linspace(0, 5, 2500)).r_hat > 1.4)
    True
    """
    halves = _halves(draws)
    within, total = _variances(halves)
    ess = _effective_size(halves)
    with np.errstate(invalid="ignore", divide="ignore"):
        r_hat = np.sqrt(total / within)
    series = [draws, draws.mean(-2, keepdims=True)]
    errors = [_error(_halves(part)) for one in series for part in (one, _coarse(one))]
    if halves.shape[-2] >= _ENOUGH:
        errors.append(halves.mean(-1).std(-1, ddof=1) / np.sqrt(halves.shape[-2]))
    error = np.max(errors, axis=0)
    finite = np.isfinite(draws).all((-2, -1))
    return Mixing(*(np.where(finite, values, np.nan) for values in (r_hat, ess, error)))


def _halves(draws: Draws) -> Halves:
    """Each chain as two halves, without the middle draw of an odd number. Values that are not finite become 0."""
    draws = np.where(np.isfinite(draws), draws, 0.0).astype(np.float64)
    length = draws.shape[-1] // 2
    return np.concatenate([draws[..., :length], draws[..., -length:]], axis=-2)


def _coarse(draws: Draws) -> Float[np.ndarray, "*cell chain group"]:
    """Means over groups of √N neighbours, at least two per half; leftover draws at the start are dropped."""
    length = draws.shape[-1]
    size = max(1, min(int(np.sqrt(length)), length // 4))
    kept = draws[..., length % size :]
    return kept.reshape(*kept.shape[:-1], -1, size).mean(-1)


def _error(halves: Halves) -> Cells:
    """√(V / n_eff), with n_eff at most the number of draws."""
    count = halves.shape[-2] * halves.shape[-1]
    return np.asarray(np.sqrt(_variances(halves)[1] / np.minimum(_effective_size(halves), count)))


def _variances(halves: Halves) -> tuple[Cells, Cells]:
    """W and V."""
    length = halves.shape[-1]
    within = halves.var(-1, ddof=1).mean(-1)
    between = halves.mean(-1).var(-1, ddof=1)
    return np.asarray(within), np.asarray((length - 1) / length * within + between)


def _effective_size(halves: Halves) -> Cells:
    """M N / τ, capped at M N log₁₀(M N), which anticorrelated draws may reach; M N where nothing varies."""
    count, length = halves.shape[-2:]
    within, total = _variances(halves)
    spectrum = np.fft.rfft(halves - halves.mean(-1, keepdims=True), 2 * length, axis=-1)
    power = np.mean(np.abs(spectrum) ** 2, axis=-2)
    covariance = np.fft.irfft(power, axis=-1)[..., :length] / (length - 1)
    rho = 1 - (within[..., None] - covariance) / np.where(total > 0, total, 1.0)[..., None]
    pairs = rho[..., : length // 2 * 2].reshape(*rho.shape[:-1], -1, 2).sum(-1)
    pairs = np.maximum(np.minimum.accumulate(pairs, axis=-1), 0.0)
    time = np.maximum(2 * pairs.sum(-1) - 1, 1 / np.log10(count * length))
    return np.where(total > 0, count * length / time, count * length)
