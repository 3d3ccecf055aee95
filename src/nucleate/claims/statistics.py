"""Estimates and their intervals: how far a measured number can be trusted."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Annotated, SupportsFloat

import numpy as np

from nucleate.checking import AtLeast, Count, Infinite, Seed, checked, conform
from nucleate.claims import intervals
from nucleate.claims.correlations import partial_spearman, pearson, spearman
from nucleate.claims.formats import DUST
from nucleate.claims.looks import level
from nucleate.claims.resampling import RARELY, ends_of, lean_of, resampled, with_unseen_units

FEWEST = 6
"""Independent units below which a bootstrap gives no interval: the range of five units covers a median in 93.75 % of
all cases, that of six in 96.9 %."""

_CORRELATIONS = (pearson, spearman, partial_spearman)
_Units = Annotated[int, AtLeast(0)]
_PERFECT = 1 - 1e-12  # a correlation of 1 comes out as 1 − 10⁻¹⁶ now and then
_MANY = 20  # units from which on resampled ranks, few of which are repeated, say how far they scatter


class Reason(StrEnum):
    """Why an estimate decides nothing."""

    TOO_EARLY = "too early"
    TOO_FEW = "too few"
    UNDEFINED = "undefined"
    FAILED = "failed"
    LEFT_OUT = "left to a larger budget"


@dataclass(frozen=True)
class Estimate:
    """A number with its interval, of 95 % if no other `level` is set.

    `units`: independent units behind the interval; 0 for an exact number, which is its own interval. `reason`: why
    the number decides nothing, whatever its interval; None if it may. `pending`: the interval allows for what may still
    happen in longer runs, so that, if it is undecided, it is too early.

    >>> Estimate.exact(2)
    Estimate(value=2.0, low=2.0, high=2.0, units=0, reason=None)
    """

    value: float
    low: float
    high: float
    units: int = 0
    reason: Reason | None = None
    pending: bool = field(default=False, repr=False)

    def __post_init__(self):
        for name in ("value", "low", "high"):
            if not isinstance(getattr(self, name), int | float | np.number):
                raise ValueError(f"Estimate.{name} must be a number; got {getattr(self, name)!r}.")
        for name, hint in (("units", _Units), ("reason", Reason | None), ("pending", bool)):
            object.__setattr__(self, name, conform(f"Estimate.{name}", getattr(self, name), hint))

    @classmethod
    def exact(cls, value: SupportsFloat) -> "Estimate":
        number = value if isinstance(value, str) else float(value)  # refused above, rather than read
        return cls(number, number, number)  # type: ignore[arg-type]

    @classmethod
    def open(cls, value: float, reason: Reason = Reason.TOO_FEW, units: int = 0) -> "Estimate":
        """A number that was measured and decides nothing."""
        return cls(value, -math.inf, math.inf, units, reason)

    @classmethod
    def unknown(cls, reason: Reason = Reason.UNDEFINED) -> "Estimate":
        """Nothing could be measured."""
        return cls(math.nan, math.nan, math.nan, 0, reason)

    def or_later(self, lowest: "Estimate", highest: "Estimate") -> "Estimate":
        """The same number, with the interval of everything that it may still become, between two extremes.

        >>> share(5, 10).or_later(share(5, 10), share(8, 10))
        Estimate(value=0.5, low=0.187..., high=0.974..., units=10, reason=None)
        """
        reason = self.reason or lowest.reason or highest.reason
        return replace(self, low=lowest.low, high=highest.high, reason=reason, pending=lowest != highest)

    def too_early(self) -> "Estimate":
        """The same number, of a run that is too short to decide anything.

        >>> Estimate(0.2, 0.1, 0.3, 10).too_early()
        Estimate(value=0.2, low=-inf, high=inf, units=10, reason=<Reason.TOO_EARLY: 'too early'>)
        """
        return replace(self, low=-math.inf, high=math.inf, reason=Reason.TOO_EARLY)


@checked
def share(hits: int, total: int) -> Estimate:
    """A proportion with its exact (Clopper–Pearson) interval [clopper1934], which holds for any number of units.

    >>> share(9, 10)
    Estimate(value=0.9, low=0.5549..., high=0.9974..., units=10, reason=None)
    """
    if not 0 <= hits <= total:
        raise ValueError(f"share: hits must be between 0 and total = {total}; got {hits}.")
    if total == 0:
        return Estimate.unknown(Reason.TOO_FEW)
    return Estimate(hits / total, *intervals.of_share(hits, total, 1 - level()), total)


@checked
def difference_of_shares(first: tuple[int, int], other: tuple[int, int]) -> Estimate:
    """A proportion minus another one, each given as (hits, total) of its own units, with an exact interval
    [kabaila2005], which holds for any number of units and any proportions.

        x/n − y/m,   least: min {p − q : P(as large a difference | p, q) ≥ (1 − level)/2}, greatest likewise

    Resampling sees little of a proportion near 0 or 1. `intervals.of_difference_of_shares` says what "as large" means.

    >>> difference_of_shares((8, 10), (1, 10))
    Estimate(value=0.7..., low=0.242..., high=0.930..., units=10, reason=None)
    """
    for hits, total in (first, other):
        if not 0 <= hits <= total:
            raise ValueError(f"difference_of_shares: hits must be between 0 and total = {total}; got {hits}.")
        if total == 0:
            return Estimate.unknown(Reason.TOO_FEW)
    value = first[0] / first[1] - other[0] / other[1]
    low, high = intervals.of_difference_of_shares(first, other, 1 - level())
    return Estimate(value, low, high, min(first[1], other[1]))


@checked
def bootstrap(
    statistic: Callable[..., float],
    *samples: np.ndarray,
    apart: bool = False,
    bounds: Annotated[tuple[float, float], Infinite()] = (-math.inf, math.inf),
    resamples: Count = 2000,
    seed: Seed = 0,
) -> Estimate:
    """`statistic(*samples)` with its interval, at the `level` that is set.

    A row of a sample should be an independent unit, such as one network. Samples of equal length are columns of one
    table and are resampled together, row by row; samples of different lengths, or those called `apart`, each on their
    own. Fewer than `FEWEST` units say nothing about their spread: the value comes with an open interval.

    A median, a mean and correlations (`pearson`, `spearman`, `partial_spearman`) have the intervals of
    `claims.intervals`; a mean of hits and misses has that of `share`. Any other statistic, and a correlation of values,
    or of the ranks of many units, has the widest that resampling allows [efron1993bootstrap]: percentiles of the
    resamples, and Student's t with their standard error, for percentiles so far out are hardly known. Both are moved
    outwards for few units [hesterberg2015]: a resample of n varies too little by a factor (n − 1)/n, and its tails are
    too thin. `docs/intervals.md` has how often each kind of interval holds the truth.

    The statistic may be infinite ("never"), which counts as larger than any number; where it is undefined (a constant
    column has no correlation) in more than one resample of twenty, the estimate is unknown.

    Where every resample gives the same number, resampling has seen no spread, which does not mean that there is none.
    With 97.5 % confidence at most a share 1 − 0.025^(1/n) of all units differs from the n that were seen; the interval
    is what that many units at `bounds` could make of the statistic: any difference to a mean without bounds.

    >>> estimate = bootstrap(np.mean, np.arange(100.0))
    >>> estimate.low < estimate.value < estimate.high
    True
    >>> bootstrap(np.mean, np.ones(20), bounds=(0, 1))  # as sure as 20 hits of 20
    Estimate(value=1.0, low=0.831..., high=1.0, units=20, reason=None)
    """
    samples = tuple(np.asarray(sample) for sample in samples)
    if not samples or any(sample.ndim == 0 or sample.dtype.kind not in "biuf" for sample in samples):
        raise ValueError("bootstrap: samples must be arrays of numbers, one row per unit, and at least one of them.")
    counts = [len(sample) for sample in samples]
    if min(counts) == 0:
        return Estimate.unknown(Reason.TOO_FEW)
    together = len(set(counts)) == 1 and not apart
    units, error = min(counts), 1 - level()
    with np.errstate(invalid="ignore", divide="ignore"):
        value = float(statistic(*samples))
        if math.isnan(value):
            return Estimate.unknown()
        if units < FEWEST:
            return Estimate.open(value, Reason.TOO_FEW, units)
        known = _known(statistic, value, samples, error, bounds) if together else None
        if known is not None and (known.reason or not _to_be_resampled(statistic, units)):
            return known
        drawn = resampled(statistic, samples, together, resamples, np.random.default_rng(seed))
        lean = lean_of(statistic, samples, together) if known is None else 0.0
        ends = ends_of(value, np.sort(drawn[~np.isnan(drawn)]), resamples, units, error, lean)
        if ends is None:
            return Estimate.unknown()
        if ends == (value, value):
            return Estimate(value, *with_unseen_units(statistic, samples, error, bounds), units)
    if known is not None:
        ends = min(ends[0], known.low), max(ends[1], known.high)
    return Estimate(value, *ends, units)


def _known(
    statistic: Callable[..., float],
    value: float,
    samples: tuple[np.ndarray, ...],
    error: float,
    bounds: tuple[float, float],
) -> Estimate | None:
    """The estimate if nothing need be resampled for it; None if there is no formula, or if it does not apply."""
    first, units = samples[0], len(samples[0])
    if statistic is np.median and first.ndim == 1:
        return Estimate(value, *intervals.of_median(first, error), units)
    if statistic is np.mean and np.isfinite(first).all():
        means = np.asarray(first, float).reshape(units, -1).mean(1)
        if (first.dtype.kind == "b" or tuple(bounds) == (0, 1)) and np.isin(means, (0, 1)).all():
            return Estimate(value, *intervals.of_share(round(means.sum()), units, error), units)
        if math.isclose(means.min(), means.max(), rel_tol=1e-12, abs_tol=DUST):
            return None
        low, high = intervals.of_mean(means, error)
        return Estimate(value, max(low, min(bounds[0], value)), min(high, max(bounds[1], value)), units)
    if statistic in _CORRELATIONS and abs(value) < _PERFECT and all(sample.ndim == 1 for sample in samples):
        if max(map(intervals.chance_constant, samples)) > RARELY:
            return Estimate.unknown()
        ranks, given = statistic is not pearson, len(samples) - 2
        low, high = intervals.of_correlation(value, units - given, error, ranks=ranks)
        if intervals.chance_order(*samples) > error:  # no order of so few, or so many ties, can be told from chance
            low, high = min(low, 0.0), max(high, 0.0)
        return Estimate(value, low, high, units)
    return None


def _to_be_resampled(statistic: Callable[..., float], units: int) -> bool:
    """Whether there is more to be learned: the formula for correlations is that of a normal distribution, which ranks
    have only at a glance, and values not at all."""
    return statistic is pearson or (statistic in _CORRELATIONS and units >= _MANY)


def median(values: np.ndarray) -> float:
    """The middle value; NaN if there are none.

    >>> median(np.array([3, 1, 2])), median(np.array([]))
    (2.0, nan)
    """
    return float(np.median(values)) if len(values) else math.nan


def ratio(numerator: float, denominator: float) -> float:
    """A quotient that is defined everywhere: infinite over zero, NaN for 0/0.

    >>> ratio(1, 2), ratio(1, 0), ratio(-1, 0), ratio(0, 0)
    (0.5, inf, -inf, nan)
    """
    if denominator == 0:
        return math.copysign(math.inf, numerator) if numerator else math.nan
    return float(numerator / denominator)
