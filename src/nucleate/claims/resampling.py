"""What resampling says about the spread of a statistic."""

import itertools
import math
from collections.abc import Callable
from functools import partial

import numpy as np

from nucleate.claims.correlations import OF_EACH_ROW
from nucleate.claims.formats import DUST
from nucleate.claims.intervals import further, students_t

RARELY = 0.05
"""How many resamples may be undefined."""

_ALL_AT_ONCE: tuple[tuple[Callable, Callable[..., np.ndarray]], ...] = (
    (np.mean, partial(np.mean, axis=-1)),
    *OF_EACH_ROW.items(),
)
"""Statistics of all resamples together, a hundred times faster than of one after the other."""
_AT_ONCE = 10**7  # numbers that resamples may take together
_LEAN = 200  # units from which on skewness is no matter
_COPIES = 100  # of every unit seen, so that the number of unseen ones is hardly rounded


def ends_of(
    value: float, drawn: np.ndarray, resamples: int, units: int, error: float, lean: float
) -> tuple[float, float] | None:
    """The interval that resamples, in order, say; the value itself if they are all alike; None if too few are known.

    Percentiles, and Student's t with the standard error of the resamples, corrected for `lean`, whichever is further.
    """
    from scipy.special import ndtr

    if len(drawn) < (1 - RARELY) * resamples:
        return None
    if math.isclose(drawn[0], drawn[-1], rel_tol=1e-12, abs_tol=DUST):
        return value, value
    narrow, t = math.sqrt((units - 1) / units), students_t(units, error)
    # By rank, not by interpolation: there is nothing between a number and infinity.
    rank = float(ndtr(-t / narrow)) * (len(drawn) - 1)  # 2.5 % for many units, 0.24 % for six, at a level of 95 %
    low, high = float(drawn[int(rank)]), float(drawn[-1 - int(rank)])
    if np.isfinite(drawn[[0, -1]]).all():
        scale, (below, above) = float(np.std(drawn)) / narrow, further(t, lean)
        return min(low, value - scale * below), max(high, value + scale * above)
    return (low, high) if rank >= 1 else (-math.inf, math.inf)


def lean_of(statistic: Callable[..., float], samples: tuple[np.ndarray, ...], together: bool) -> float:
    """By how much the distribution of the statistic leans to one side: a third of its skewness, Σ l³/(Σ l²)^(3/2)/3.

    Here l is the influence of a unit, which is found by leaving it out [efron1993bootstrap]. Where a statistic cannot
    do without a unit, or there are so many that it does not matter, the lean is 0.

    >>> round(lean_of(lambda sample: float(sample.mean()), (np.array([0, 0, 0, 0, 1, 5.0]),), True), 3)
    0.306
    """
    units = min(map(len, samples))
    if units > _LEAN:
        return 0.0
    influences = []
    for chosen in [range(len(samples))] if together else [[number] for number in range(len(samples))]:
        count = len(samples[chosen[0]])
        try:
            left = [
                float(statistic(*(np.delete(s, unit, 0) if n in chosen else s for n, s in enumerate(samples))))
                for unit in range(count)
            ]
        except (ValueError, IndexError, ArithmeticError):
            return 0.0
        influences.append((count - 1) / count * (np.mean(left) - np.asarray(left)))
    every = np.concatenate(influences)
    scale = math.sqrt(float(every @ every))
    if not math.isfinite(scale) or scale == 0:
        return 0.0
    return float(np.sum((every / scale) ** 3)) / 3 * math.sqrt(units * (units - 1)) / (units - 2)


def resampled(
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


def with_unseen_units(
    statistic: Callable[..., float], samples: tuple[np.ndarray, ...], error: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """The lowest and highest value that the statistic could have with unseen units at the bounds."""
    found = [float(statistic(*samples))]
    for ends in itertools.product(bounds, repeat=len(samples)):
        widened = []
        for sample, end in zip(samples, ends, strict=True):
            seen = (error / 2) ** (1 / len(sample))
            unseen = math.ceil(_COPIES * len(sample) * (1 - seen) / seen)
            extra = np.full((unseen, *sample.shape[1:]), end, float)
            widened.append(np.concatenate([np.repeat(np.asarray(sample, float), _COPIES, axis=0), extra]))
        try:
            found.append(float(statistic(*widened)))
        except (ValueError, IndexError, ArithmeticError):  # a statistic that cannot take such units has no bound
            found.append(math.nan)
    return (-math.inf, math.inf) if np.isnan(found).any() else (min(found), max(found))
