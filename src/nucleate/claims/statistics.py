"""Estimates and their intervals: how far a measured number can be trusted."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import SupportsFloat

import numpy as np

from nucleate.claims.formats import DUST

FEWEST = 6
"""Independent units below which a bootstrap gives no interval: the range of five units covers a median in 93.75 % of
all cases, that of six in 96.9 %."""

_LEVEL = 0.95
_TAIL = (1 - _LEVEL) / 2
_COPIES = 100  # of every unit seen, so that the number of unseen ones is hardly rounded


class Reason(StrEnum):
    """Why an estimate decides nothing."""

    TOO_EARLY = "too early"
    TOO_FEW = "too few"
    UNDEFINED = "undefined"
    FAILED = "failed"


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval.

    `units`: independent units behind the interval; 0 for an exact number, which is its own interval. `reason`: why
    the number decides nothing, whatever its interval; None if it may.

    >>> Estimate.exact(2)
    Estimate(value=2.0, low=2.0, high=2.0, units=0, reason=None)
    """

    value: float
    low: float
    high: float
    units: int = 0
    reason: Reason | None = None

    @classmethod
    def exact(cls, value: SupportsFloat) -> "Estimate":
        return cls(float(value), float(value), float(value))

    @classmethod
    def open(cls, value: float, reason: Reason = Reason.TOO_FEW, units: int = 0) -> "Estimate":
        """A number that was measured and decides nothing."""
        return cls(value, -math.inf, math.inf, units, reason)

    @classmethod
    def unknown(cls, reason: Reason = Reason.UNDEFINED) -> "Estimate":
        """Nothing could be measured."""
        return cls(math.nan, math.nan, math.nan, 0, reason)

    def too_early(self) -> "Estimate":
        """The same number, of a run that is too short to decide anything.

        >>> Estimate(0.2, 0.1, 0.3, 10).too_early()
        Estimate(value=0.2, low=-inf, high=inf, units=10, reason=<Reason.TOO_EARLY: 'too early'>)
        """
        return replace(self, low=-math.inf, high=math.inf, reason=Reason.TOO_EARLY)


def share(hits: int, total: int) -> Estimate:
    """A proportion with its exact (Clopper–Pearson) interval [clopper1934], which holds for any number of units.

    >>> share(9, 10)
    Estimate(value=0.9, low=0.5549..., high=0.9974..., units=10, reason=None)
    """
    from scipy.stats import binomtest

    if total == 0:
        return Estimate.unknown(Reason.TOO_FEW)
    interval = binomtest(hits, total).proportion_ci(_LEVEL, method="exact")
    return Estimate(hits / total, float(interval.low), float(interval.high), total)


def bootstrap(
    statistic: Callable[..., float],
    *samples: np.ndarray,
    apart: bool = False,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    resamples: int = 2000,
    seed: int = 0,
) -> Estimate:
    """`statistic(*samples)` with its percentile interval under resampling [efron1993bootstrap].

    The percentiles are moved outwards for small samples, as Student's t does [hesterberg2015]: a resample of n units
    varies too little by a factor (n − 1)/n, and its tails are too thin.

    A row of a sample should be an independent unit, such as one network. Samples of equal length are columns of one
    table and are resampled together, row by row; samples of different lengths, or those called `apart`, each on their
    own. The statistic may be infinite ("never"), which counts as larger than any number; where it is undefined (a
    constant column has no correlation) in more than one resample of twenty, the estimate is unknown. Fewer than
    `FEWEST` units say nothing about their spread: the value comes with an open interval.

    Where every resample gives the same number, resampling has seen no spread, which does not mean that there is none.
    With 97.5 % confidence at most a share 1 − 0.025^(1/n) of all units differs from the n that were seen; the interval
    is what that many units at `bounds` could make of the statistic: no difference to a median, any difference to a
    mean without bounds.

    >>> estimate = bootstrap(np.mean, np.arange(100.0))
    >>> estimate.low < estimate.value < estimate.high
    True
    >>> bootstrap(np.mean, np.ones(20), bounds=(0, 1))  # about as sure as 20 hits of 20
    Estimate(value=1.0, low=0.831..., high=1.0, units=20, reason=None)
    """
    samples = tuple(np.asarray(sample) for sample in samples)
    counts = [len(sample) for sample in samples]
    if min(counts) == 0:
        return Estimate.unknown(Reason.TOO_FEW)
    together = len(set(counts)) == 1 and not apart
    units = min(counts)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = float(statistic(*samples))
        if math.isnan(value):
            return Estimate.unknown()
        if units < FEWEST:
            return Estimate.open(value, Reason.TOO_FEW, units)
        rng = np.random.default_rng(seed)
        drawn = []
        for _ in range(resamples):
            rows = [rng.integers(0, counts[0], counts[0])] if together else [rng.integers(0, n, n) for n in counts]
            rows = rows * len(samples) if together else rows
            drawn.append(float(statistic(*(sample[row] for sample, row in zip(samples, rows, strict=True)))))
        known = np.sort([number for number in drawn if not math.isnan(number)])
        if len(known) < 0.95 * resamples:
            return Estimate.unknown()
        # Equal up to rounding: a correlation of 1 comes out as 1 − 10⁻¹⁶ now and then.
        if math.isclose(known[0], known[-1], rel_tol=1e-12, abs_tol=DUST):
            return Estimate(value, *_with_unseen_units(statistic, samples, value, bounds), units)
    # By rank, not by interpolation: there is nothing between a number and infinity.
    rank = int(_tail(units) * (len(known) - 1))
    return Estimate(value, float(known[rank]), float(known[-1 - rank]), units)


def _tail(units: int) -> float:
    """The share of resamples to leave out at each end: 2.5 % for many units, 0.24 % for six."""
    from scipy.special import ndtr, stdtrit

    return float(ndtr(-math.sqrt(units / (units - 1)) * stdtrit(units - 1, 1 - _TAIL)))


def _with_unseen_units(
    statistic: Callable[..., float], samples: tuple[np.ndarray, ...], value: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """The lowest and highest value that the statistic could have with unseen units at the bounds."""
    found = [value]
    for ends in itertools.product(bounds, repeat=len(samples)):
        widened = []
        for sample, end in zip(samples, ends, strict=True):
            seen = _TAIL ** (1 / len(sample))
            unseen = math.ceil(_COPIES * len(sample) * (1 - seen) / seen)
            extra = np.full((unseen, *sample.shape[1:]), end, float)
            widened.append(np.concatenate([np.repeat(np.asarray(sample, float), _COPIES, axis=0), extra]))
        try:
            found.append(float(statistic(*widened)))
        except (ValueError, IndexError, ArithmeticError):  # a statistic that cannot take such units has no bound
            found.append(math.nan)
    return (-math.inf, math.inf) if np.isnan(found).any() else (min(found), max(found))


def ratio(numerator: float, denominator: float) -> float:
    """A quotient that is defined everywhere: infinite over zero, NaN for 0/0.

    >>> ratio(1, 2), ratio(1, 0), ratio(-1, 0), ratio(0, 0)
    (0.5, inf, -inf, nan)
    """
    if denominator == 0:
        return math.copysign(math.inf, numerator) if numerator else math.nan
    return float(numerator / denominator)


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Rank correlation; NaN where a column is constant.

    >>> spearman(np.array([1, 2, 3]), np.array([10, 40, 90]))
    1.0
    """
    from scipy.stats import rankdata

    return pearson(rankdata(x), rankdata(y))


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Linear correlation; NaN where a column is constant.

    >>> round(pearson(np.array([0, 1, 2]), np.array([0, -1, -2])), 12)
    -1.0
    """
    # Asked first: a mean is rounded, so a constant column minus its mean need not be zero.
    if len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        return math.nan
    x, y = np.asarray(x, float) - np.mean(x), np.asarray(y, float) - np.mean(y)
    scale = math.sqrt(float(x @ x) * float(y @ y))
    return float(x @ y) / scale if scale > 0 else math.nan
