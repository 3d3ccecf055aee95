"""Intervals: how far a measured number is to be believed."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import SupportsFloat

import numpy as np

FEWEST = 4
"""With fewer units a bootstrap resamples next to nothing, and its interval is far too narrow."""


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval. An exact number is its own interval.

    >>> Estimate.exact(2)
    Estimate(value=2.0, low=2.0, high=2.0)
    """

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: SupportsFloat) -> "Estimate":
        return cls(float(value), float(value), float(value))

    @classmethod
    def open(cls, value: float) -> "Estimate":
        """A number that could, for all that is known, be anything: judged inconclusive."""
        return cls(value, -math.inf, math.inf)

    @classmethod
    def unknown(cls) -> "Estimate":
        """Nothing could be measured: judged inconclusive."""
        return cls(math.nan, math.nan, math.nan)


def share(hits: int, total: int) -> Estimate:
    """A proportion with Wilson's score interval [wilson1927].

    >>> share(9, 10)
    Estimate(value=0.9, low=0.5958..., high=0.9821...)
    """
    if total == 0:
        return Estimate.unknown()
    z = 1.959963984540054
    p = hits / total
    centre = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total))
    # At 0 and 1 the share is a bound of its own interval, which rounding must not turn round.
    return Estimate(p, max(0.0, min(p, centre - half)), min(1.0, max(p, centre + half)))


def bootstrap(
    statistic: Callable[..., float], *samples: np.ndarray, apart: bool = False, resamples: int = 2000, seed: int = 0
) -> Estimate:
    """`statistic(*samples)` with its percentile interval under resampling [efron1993bootstrap].

    A row of a sample should be an independent unit, such as one network. Samples of equal length are columns of one
    table and are resampled together, row by row; samples of different lengths, or those called `apart`, each on their
    own. The statistic may be infinite ("never"), which counts as larger than any number; where it is undefined (a
    constant column has no correlation) in more than one resample of twenty, the answer is unknown. Fewer than
    `FEWEST` units say nothing about their spread: the value comes with an endless interval.

    >>> estimate = bootstrap(np.mean, np.arange(100.0))
    >>> estimate.low < estimate.value < estimate.high
    True
    """
    samples = tuple(np.asarray(sample) for sample in samples)
    counts = [len(sample) for sample in samples]
    if min(counts) == 0:
        return Estimate.unknown()
    together = len(set(counts)) == 1 and not apart
    rng = np.random.default_rng(seed)
    drawn = []
    with np.errstate(invalid="ignore", divide="ignore"):
        value = float(statistic(*samples))
        for _ in range(resamples):
            rows = [rng.integers(0, counts[0], counts[0])] if together else [rng.integers(0, n, n) for n in counts]
            rows = rows * len(samples) if together else rows
            drawn.append(float(statistic(*(sample[row] for sample, row in zip(samples, rows, strict=True)))))
    if min(counts) < FEWEST:
        return Estimate.open(value)
    known = np.sort([number for number in drawn if not math.isnan(number)])
    if math.isnan(value) or len(known) < 0.95 * resamples:
        return Estimate.unknown()
    # By rank, not by interpolation: there is nothing between a number and infinity.
    low, high = known[int(0.025 * (len(known) - 1))], known[math.ceil(0.975 * (len(known) - 1))]
    return Estimate(value, float(low), float(high))


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Rank correlation; NaN where a column is constant.

    >>> spearman(np.array([1, 2, 3]), np.array([10, 40, 90]))
    1.0
    """
    return pearson(_ranks(x), _ranks(y))


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


def _ranks(x: np.ndarray) -> np.ndarray:
    from scipy.stats import rankdata

    return rankdata(x)
