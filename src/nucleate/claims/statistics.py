"""Estimates and their intervals: how far a measured number can be trusted."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Annotated, SupportsFloat

import numpy as np

from nucleate.checking import AtLeast, Count, Infinite, Seed, checked, conform
from nucleate.claims.correlations import OF_EACH_ROW
from nucleate.claims.formats import DUST

FEWEST = 6
"""Independent units below which a bootstrap gives no interval: the range of five units covers a median in 93.75 % of
all cases, that of six in 96.9 %."""

_LEVEL = 0.95
_TAIL = (1 - _LEVEL) / 2
_ALL_AT_ONCE: tuple[tuple[Callable, Callable[..., np.ndarray]], ...] = (
    (np.mean, partial(np.mean, axis=-1)),
    (np.median, partial(np.median, axis=-1)),
    *OF_EACH_ROW.items(),
)
"""Statistics of all resamples together, a hundred times faster than of one after the other."""
_Units = Annotated[int, AtLeast(0)]
_AT_ONCE = 10**7  # numbers that resamples may take together
_COPIES = 100  # of every unit seen, so that the number of unseen ones is hardly rounded


class Reason(StrEnum):
    """Why an estimate decides nothing."""

    TOO_EARLY = "too early"
    TOO_FEW = "too few"
    UNDEFINED = "undefined"
    FAILED = "failed"
    LEFT_OUT = "left to a larger budget"


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval.

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
    from scipy.stats import binomtest

    if not 0 <= hits <= total:
        raise ValueError(f"share: hits must be between 0 and total = {total}; got {hits}.")
    if total == 0:
        return Estimate.unknown(Reason.TOO_FEW)
    interval = binomtest(hits, total).proportion_ci(_LEVEL, method="exact")
    return Estimate(hits / total, float(interval.low), float(interval.high), total)


@checked
def bootstrap(
    statistic: Callable[..., float],
    *samples: np.ndarray,
    apart: bool = False,
    bounds: Annotated[tuple[float, float], Infinite()] = (-math.inf, math.inf),
    resamples: Count = 2000,
    seed: Seed = 0,
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
    if not samples or any(sample.ndim == 0 or sample.dtype.kind not in "biuf" for sample in samples):
        raise ValueError("bootstrap: samples must be arrays of numbers, one row per unit, and at least one of them.")
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
        drawn = _resampled(statistic, samples, together, resamples, np.random.default_rng(seed))
        known = np.sort(drawn[~np.isnan(drawn)])
        if len(known) < 0.95 * resamples:
            return Estimate.unknown()
        # Equal up to rounding: a correlation of 1 comes out as 1 − 10⁻¹⁶ now and then.
        if math.isclose(known[0], known[-1], rel_tol=1e-12, abs_tol=DUST):
            return Estimate(value, *_with_unseen_units(statistic, samples, value, bounds), units)
    # By rank, not by interpolation: there is nothing between a number and infinity.
    rank = int(_tail(units) * (len(known) - 1))
    return Estimate(value, float(known[rank]), float(known[-1 - rank]), units)


def _resampled(
    statistic: Callable[..., float],
    samples: tuple[np.ndarray, ...],
    together: bool,
    resamples: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """The statistic of each resample."""
    counts = [len(sample) for sample in samples]
    plain = together and all(sample.ndim == 1 for sample in samples) and resamples * counts[0] <= _AT_ONCE
    of_each_row = next((of_each_row for known, of_each_row in _ALL_AT_ONCE if known is statistic), None)
    if plain and of_each_row:
        rows = rng.integers(0, counts[0], (resamples, counts[0]))  # the same numbers as one row after the other
        return np.asarray(of_each_row(*(sample[rows] for sample in samples)), float)
    drawn = []
    for _ in range(resamples):
        rows = [rng.integers(0, counts[0], counts[0])] if together else [rng.integers(0, n, n) for n in counts]
        rows = rows * len(samples) if together else rows
        drawn.append(float(statistic(*(sample[row] for sample, row in zip(samples, rows, strict=True)))))
    return np.asarray(drawn)


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
