"""Intervals of statistics whose distribution is known well enough for nothing to be resampled."""

import math
from functools import cache

import numpy as np

_WHOLE = (-math.inf, math.inf)
_SHARES = np.sin(np.linspace(0, np.pi / 2, 101)) ** 2  # closer together near 0 and 1; ends are exact to about 1e-4
_TIED = 1e-9
_HALVINGS = 30


def of_share(hits: int, total: int, error: float) -> tuple[float, float]:
    """Of a proportion: exact, for any number of units [clopper1934].

    >>> of_share(0, 36, 0.05)
    (0.0, 0.0973...)
    """
    from scipy.special import betaincinv

    low = float(betaincinv(hits, total - hits + 1, error / 2)) if hits else 0.0
    return low, float(betaincinv(hits + 1, total - hits, 1 - error / 2)) if hits < total else 1.0


def of_difference_of_shares(first: tuple[int, int], other: tuple[int, int], error: float) -> tuple[float, float]:
    """Of a proportion minus another one, each (hits, total), of units apart: exact, whatever the proportions are.

    The lower end is the smallest difference for which so large a result is not too rare [kabaila2005],

        min {p − q : P(ℓ(X, Y) ≥ ℓ(x, y) | p, q) ≥ error/2},   ℓ = p̂ − q̂ − √((p̂ − p⁻)² + (q⁺ − q̂)²),

    with X and Y the hits in as many units, x and y those found, [p⁻, p⁺] and [q⁻, q⁺] the exact interval of each share.
    ℓ, which puts results in order, is an approximate lower end [newcombe1998]; alone it would be wrong in up to 5 % of
    all cases where 0.45 % are allowed. The upper end is minus the lower one of the opposite difference.

    >>> low, high = of_difference_of_shares((8, 10), (1, 10), 0.05)
    >>> round(low, 3), round(high, 3)
    (0.242, 0.931)
    """
    return _least_difference(first, other, error), 0.0 - _least_difference(other, first, error)


def _least_difference(first: tuple[int, int], other: tuple[int, int], error: float) -> float:
    (hits, total), (other_hits, other_total) = first, other
    (p, lowest, _), (q, _, highest) = _of_all_shares(total, error), _of_all_shares(other_total, error)
    order = np.subtract.outer(p, q) - np.hypot.outer(p - lowest, highest - q)
    as_large = order >= order[hits, other_hits] - _TIED
    allowed = as_large.sum(1)  # hits of the other, for each number of hits
    first_above, last = (highest[count - 1] if count else 0.0 for count in allowed[[0, -1]])
    # Up to the one, p may be 0; beyond the other, even p = 1 makes so large a result too rare.
    q = np.append(_SHARES * first_above, first_above + _SHARES * (last - first_above))
    of_other = as_large @ _chances(other_total, q)  # [hits, q]: the probability of few enough hits of the other
    low, high = np.zeros(len(q)), np.ones(len(q))
    for _ in range(_HALVINGS):  # of where p must be: the probability rises with it
        middle = (low + high) / 2
        enough = np.sum(_chances(total, middle) * of_other, axis=0) >= error / 2
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return float(np.min(low - q))


def _of_all_shares(total: int, error: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every share that `total` units can have, and the ends of its interval."""
    ends = np.array([of_share(hits, total, error) for hits in range(total + 1)])
    return np.arange(total + 1) / total, ends[:, 0], ends[:, 1]


def _chances(total: int, share: np.ndarray) -> np.ndarray:
    """The probability [hits, share] of each number of hits."""
    from scipy.special import gammaln, xlog1py, xlogy

    hits = np.arange(total + 1)[:, None]
    ways = gammaln(total + 1) - gammaln(hits + 1) - gammaln(total - hits + 1)
    return np.exp(ways + xlogy(hits, share) + xlog1py(total - hits, -share))


def of_median(sample: np.ndarray, error: float) -> tuple[float, float]:
    """Of a median: two units, counted from both ends, so that it is exact for any distribution [conover1999].

    The k-th unit from an end is beyond the median if fewer than k units are on that side, of which each is with
    probability 1/2. If even the outermost are too near, the interval is open.

    >>> of_median(np.arange(6.0), 0.05), of_median(np.arange(6.0), 0.03)
    ((0.0, 5.0), (-inf, inf))
    """
    from scipy.special import bdtr

    units = len(sample)
    beyond = int(np.sum(bdtr(np.arange(units // 2), units, 0.5) <= error / 2))
    ordered = np.sort(sample)
    return (float(ordered[beyond - 1]), float(ordered[-beyond])) if beyond else _WHOLE


@cache
def students_t(units: int, error: float) -> float:
    """The quantile 1 − error/2 of Student's t for n − 1 degrees of freedom.

    >>> round(students_t(6, 0.05), 3)
    2.571
    """
    from scipy.special import stdtrit

    return float(stdtrit(units - 1, 1 - error / 2))


def of_mean(sample: np.ndarray, error: float) -> tuple[float, float]:
    """Of a mean: Student's t, and at each end the same corrected for skewness if that is further [hall1992skewness].

    With t = √n (mean − μ)/s and the sample's skewness γ,

        t + a t² + a² t³/3 + γ/(6 √n),   a = γ/(3 √n),

    is nearly normal where t itself leans to one side: six units with a long tail cover their mean in 89 % of all cases
    by t alone.

    >>> low, high = of_mean(np.array([0, 0, 0, 0, 1, 5.0]), 0.05)
    >>> round(low, 2), round(high, 2)  # t alone: −1.1 and 3.1
    (-1.1, 6.72)
    """
    units, mean = len(sample), float(np.mean(sample))
    away = sample - mean
    spread = math.sqrt(float(away @ away) / (units - 1))
    skewness = float(np.mean((away / spread) ** 3)) * units**2 / ((units - 1) * (units - 2))
    a, t = skewness / (3 * math.sqrt(units)), students_t(units, error)
    scale = spread / math.sqrt(units)
    below, above = further(t, a)
    return mean - scale * below, mean + scale * above


def further(t: float, a: float) -> tuple[float, float]:
    """How many standard errors an interval reaches down and up: t, or what becomes t when it is corrected for `a`.

    >>> further(2.0, 0.0)
    (2.0, 2.0)
    """
    if abs(a) < 1e-9:
        return t, t
    down, up = ((float(np.cbrt(1 + 3 * a * (end - a / 2))) - 1) / a for end in (t, -t))
    return max(t, down), max(t, -up)


def of_correlation(value: float, units: int, error: float, *, ranks: bool) -> tuple[float, float]:
    """Of a correlation that is not ±1: Fisher's z, whose variance is 1/(n − 3), or (1 + ρ²/2)/(n − 3) if it is one of
    ranks [bonett2000]. Where a third column is given, it has taken one of the `units`.

    >>> low, high = of_correlation(0.5, 20, 0.05, ranks=True)
    >>> round(low, 3), round(high, 3)
    (0.045, 0.783)
    """
    from scipy.special import ndtri

    variance = (1 + value**2 / 2 if ranks else 1) / (units - 3)
    half = float(ndtri(1 - error / 2)) * math.sqrt(variance)
    return math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half)


def chance_order(*columns: np.ndarray) -> float:
    """The probability that a column with as many ties as the one with most is in perfect order, up or down, by chance.

    >>> chance_order(np.array([0, 0, 0, 1, 1, 1]), np.arange(6))
    0.1
    """
    from scipy.special import gammaln

    arrangements = [
        gammaln(len(column) + 1) - np.sum(gammaln(np.unique(column, return_counts=True)[1] + 1)) for column in columns
    ]
    return min(1.0, round(2 * math.exp(-min(arrangements)), 12))


def chance_constant(column: np.ndarray) -> float:
    """The probability that a resample of a column has a single value.

    >>> chance_constant(np.array([0, 0, 0, 1]))
    0.3203125
    """
    return float(np.sum((np.unique(column, return_counts=True)[1] / len(column)) ** len(column)))
