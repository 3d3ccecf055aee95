r"""How fast attention forms: the clock B_n, its law of growth, the bounds it sets and its two regimes."""

from dataclasses import dataclass
from typing import Annotated, final

import numpy as np
from jaxtyping import ArrayLike, Float

from nucleate.checking import Above, Count, checked

_Positive = Annotated[float, Above(0)]

_OCTAVE = np.log(2)
_PER_OCTAVE = 4
_FEWEST = 4  # rows; a line through three has one number left to miss


@checked
def clock_law(
    time: Float[ArrayLike, "*time"], ratio: Float[ArrayLike, "*#time"], classes: Count, tokens: Count, C0: float = 1.0
) -> Float[np.ndarray | np.generic, "*time"]:
    r"""The theory's clock at late times.

        B(t) = ln(C₀ + 2K (η_Z/η_Y) ln²(M η_Y t/K))

    `time`: η_Y t, steps times the decoder's learning rate; `ratio`: η_Z/η_Y; K: `classes`; M: `tokens`. A
    logarithm of less than 1 counts as 0: ln² would fall with time there, and B is never negative.
    Source: [tian2023scan], Theorem 4.

    >>> clock_law(np.array([1e2, 1e4, 1e6]), 0.01, classes=2, tokens=34).round(3).tolist()
    [1.167, 1.917, 2.492]
    """
    grown = np.log(np.maximum(np.asarray(time, np.float64) * tokens / classes, 1))
    return np.log(np.maximum(C0 + 2 * classes * np.asarray(ratio, np.float64) * np.square(grown), 1))


@checked
def snapping_time(eta_y: _Positive, classes: Count, tokens: Count) -> float:
    r"""The step after which the theory expects attention to snap.

        t₀ = 2K ln M / η_Y

    The theory gives its order only. Source: [tian2023scan], Theorem 4.

    >>> round(snapping_time(1.0, classes=2, tokens=34), 1)
    14.1
    """
    return float(2 * classes * np.log(tokens) / eta_y)


@checked
def gain_bounds(
    clock: Float[ArrayLike, "*step"], attention: Float[ArrayLike, "*#step"]
) -> tuple[Float[np.ndarray | np.generic, "*step"], Float[np.ndarray | np.generic, "*step"]]:
    r"""Between what ln χ must lie for the token with the largest attention, l₀.

        2 f²_{l₀}(0) B ≤ ln χ_{l₀} ≤ 2B

    `clock`: B; `attention`: f_{l₀}(0), of unit length over tokens. Source: [tian2023scan], Theorem 3.

    >>> low, high = gain_bounds(np.array([0.0, 1.5]), 0.5)
    >>> low.tolist(), high.tolist()
    ([0.0, 0.75], [0.0, 3.0])
    """
    clock = np.asarray(clock, np.float64)
    return 2 * np.square(np.asarray(attention, np.float64)) * clock, 2 * clock


@final
@dataclass(frozen=True)
class TwoRegimes:
    r"""Scanning, then snapping, in the history of a clock.

    `turn`: the end of the octave of time in which B grows fastest, where scanning ends. `fastest`, `at_end`: dB/d ln t
    in that octave and in the last. `missed_log`, `missed_loglog`: root mean square distance of B from the best line in
    ln t, and in ln ln t, after the turn. `rate`: dB/d ln ln t there; the theory's late clock has 2. NaN if too little
    comes after the turn.

    >>> TwoRegimes(turn=20.0, fastest=2.0, at_end=0.5, missed_log=0.3, missed_loglog=0.1, rate=4.3).slowing
    0.25
    """

    turn: float
    fastest: float
    at_end: float
    missed_log: float
    missed_loglog: float
    rate: float

    @property
    def slowing(self) -> float:
        """dB/d ln t at the end over the fastest: 1 while attention scans, and ever smaller once it has snapped."""
        return float(self.at_end / self.fastest)


@checked
def two_regimes(time: Float[np.ndarray, " step"], clock: Float[np.ndarray, " step"]) -> TwoRegimes:
    r"""Find where a clock turns from scanning, B = O(ln t), to snapping, B = O(ln ln t).

    `time`: η_Y t; only times above e count, where ln ln t is positive. `clock`: B. Growth is measured over octaves of
    time. Source: [tian2023scan], Theorem 4.

    >>> t = np.geomspace(2, 1e5, 200)
    >>> found = two_regimes(t, np.where(t < 20, np.log(t) ** 2, 9 + 6 * np.log(np.log(t) / np.log(20))))
    >>> bool(15 < found.turn < 25), round(found.rate, 1), found.missed_loglog < 0.1 * found.missed_log
    (True, 6.0, True)
    """
    there = (time > np.e) & np.isfinite(clock)
    if there.sum() < _FEWEST or time[there][-1] < 2 * time[there][0]:
        return TwoRegimes(*[float("nan")] * 6)
    log_time, clock = np.log(time[there]), clock[there]
    ends = np.arange(log_time[-1], log_time[0] + _OCTAVE - 1e-9, -_OCTAVE / _PER_OCTAVE)[::-1]
    at = lambda x: np.interp(x, log_time, clock)
    growth = (at(ends) - at(ends - _OCTAVE)) / _OCTAVE
    turn = float(ends[np.argmax(growth)])
    # Equally spaced in ln t, so that no part of the history counts for more than another.
    after = np.arange(log_time[-1], turn, -_OCTAVE / _PER_OCTAVE)
    missed_log, missed_loglog, rate = (float("nan"),) * 3
    if len(after) >= _FEWEST:
        _, missed_log = _line(after, at(after))
        rate, missed_loglog = _line(np.log(after), at(after))
    return TwoRegimes(np.exp(turn), float(growth.max()), float(growth[-1]), missed_log, missed_loglog, rate)


def _line(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Slope of the best line, and the root mean square of what it misses."""
    x = x - x.mean()
    slope = float(x @ y / (x @ x))
    return slope, float(np.sqrt(np.mean(np.square(y - y.mean() - slope * x))))
