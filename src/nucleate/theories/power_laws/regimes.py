r"""Where a history changes its course: windows fixed beforehand or found by a stated rule."""

import abc
from dataclasses import dataclass
from math import inf
from typing import Annotated, final

import numpy as np
from jaxtyping import Float

from nucleate.checking import Above, AtLeast, Checked, Count, Infinite
from nucleate.theories.power_laws.decays import FEWEST

_ROWS = 200  # change points are sought among this many rows, evenly spaced in ln t


class Windows(Checked, abc.ABC):
    r"""Which stretches of a history are fitted, each with its own law: `Regimes` or a fixed `Window`."""

    @abc.abstractmethod
    def of(self, time: Float[np.ndarray, " time"], distance: Float[np.ndarray, " time"]) -> list[tuple[float, float]]:
        """The first and last time of each window; `distance`, from the limit, has the same sign throughout."""


@final
@dataclass(frozen=True)
class Window(Windows):
    r"""A single window, fixed beforehand: from `start` to `end`.

    >>> Window(100, 200).of(np.arange(1.0, 300.0), np.ones(299))
    [(100.0, 200.0)]
    """

    start: Annotated[float, AtLeast(0)] = 0.0
    end: Annotated[float, Infinite()] = inf

    def check(self) -> None:
        if not self.start < self.end:
            self.refuse("end", f"must be > start = {self.start}; got {self.end}")

    def of(self, time: Float[np.ndarray, " time"], distance: Float[np.ndarray, " time"]) -> list[tuple[float, float]]:
        inside = time[(time >= self.start) & (time <= self.end)]
        return [(float(inside[0]), float(inside[-1]))] if len(inside) >= FEWEST else []


@final
@dataclass(frozen=True)
class Regimes(Windows):
    r"""Straight pieces of ln|Q − Q*| over ln t, cut where the sum of squares is least; BIC chooses their number.

        min_K [n ln(RSS_K / n) + penalty (3K − 1) ln n],    K ≤ `most`

    RSS_K: the sum of squares of the best cut into K straight pieces, found exactly by dynamic programming; n: the
    number of rows; 3K − 1: two parameters per piece and K − 1 cuts. A piece is at least `octaves` long. If there are
    many rows, only those nearest to 200 times evenly spaced in ln t are used, so that late rows do not outweigh early
    ones. Errors that are correlated from row to row lead to too many pieces: raise `penalty`.

    >>> time = np.geomspace(1.0, 10_000.0, 81)
    >>> [(round(a), round(b)) for a, b in Regimes().of(time, np.where(time <= 100, 1 / time, 0.2 * time**-0.5))]
    [(1, 100), (112, 10000)]
    """

    most: Count = 4
    octaves: Annotated[float, Above(0)] = 0.5
    penalty: Annotated[float, Above(0)] = 1.0

    def of(self, time: Float[np.ndarray, " time"], distance: Float[np.ndarray, " time"]) -> list[tuple[float, float]]:
        if len(time) < FEWEST:
            return []
        evenly = np.geomspace(time[0], time[-1], _ROWS)
        rows = np.unique(np.clip(np.searchsorted(time, evenly * (1 - 1e-9)), 0, len(time) - 1))
        if len(rows) < FEWEST:
            return []
        x, y = np.log(time[rows]), np.log(np.abs(distance[rows]))
        ends = self._cut(_line_squares(x, y, self.octaves * np.log(2)))
        starts = [0, *(end + 1 for end in ends[:-1])]
        return [(float(time[rows[a]]), float(time[rows[b]])) for a, b in zip(starts, ends, strict=True)]

    def _cut(self, cost: Float[np.ndarray, "row row"]) -> list[int]:
        """The last row of each piece; a single piece if no cut leaves pieces that are long enough."""
        rows = len(cost)
        least, choices = cost[0], []
        best, chosen = inf, [rows - 1]
        for pieces in range(1, self.most + 1):
            if pieces > 1:
                # Rows 0..i−1 in one piece fewer, and rows i..j in the last piece.
                through = np.concatenate([[inf], least[:-1]])[:, None] + cost
                choices.append(np.argmin(through, axis=0))
                least = through.min(axis=0)
            if not np.isfinite(least[-1]):
                continue
            criterion = rows * np.log(least[-1] / rows) + self.penalty * (3 * pieces - 1) * np.log(rows)
            if criterion < best:
                best, chosen = criterion, _trace(choices, rows - 1)
        return chosen


def _trace(choices: list[np.ndarray], end: int) -> list[int]:
    ends = [end]
    for choice in reversed(choices):
        ends.append(int(choice[ends[-1]]) - 1)
    return ends[::-1]


def _line_squares(x: np.ndarray, y: np.ndarray, width: float) -> Float[np.ndarray, "row row"]:
    """The sum of squares about the best line through rows i..j; infinite where these are too few or span too little."""
    x, y = x - x.mean(), y - y.mean()
    sums = [np.concatenate([[0.0], np.cumsum(term)]) for term in (np.ones_like(x), x, y, x * x, x * y, y * y)]
    n, sx, sy, sxx, sxy, syy = (total[None, 1:] - total[:-1, None] for total in sums)
    allowed = (n >= FEWEST) & (x[None] - x[:, None] >= width)
    n = np.where(allowed, n, 1)
    varies = np.where(allowed, sxx - sx * sx / n, 1)
    squares = syy - sy * sy / n - np.square(sxy - sx * sy / n) / varies
    # These are differences of running sums: an exact line leaves a rounding error of the size of the sums.
    return np.where(allowed, np.maximum(squares, 1e-14 * (1 + sums[5][-1])), inf)
