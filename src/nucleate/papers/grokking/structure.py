"""The addition task's pairs, parallelograms and equations, and random training sets of it."""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from nucleate.claims import Region
from nucleate.observables import equations, grokking_rate, is_linear, known, parallelograms
from nucleate.tasks import AdditionTask

P = 10
CRITICAL = 0.4
# "Around 0.4" is read as 0.4 to the decimal that is printed.
TOLERANCE = 0.05
# "About 3 n_h" is read as 3 within a factor of two.
ABOUT_THREE = Region(1.5, 6.0)


@dataclass(frozen=True)
class Structure:
    """What addition on `p` symbols implies for parallelograms."""

    p: int

    @cached_property
    def pairs(self) -> np.ndarray:
        return AdditionTask(self.p).pairs

    @cached_property
    def quads(self) -> np.ndarray:
        return parallelograms(AdditionTask(self.p).label)

    @cached_property
    def equations(self) -> np.ndarray:
        return equations(self.pairs, self.quads, self.p)

    def training_set(self, *pairs: tuple[int, int]) -> np.ndarray:
        """The mask of a training set that is listed pair by pair."""
        wanted = {tuple(sorted(pair)) for pair in pairs}
        return np.asarray([tuple(pair) in wanted for pair in self.pairs.tolist()])

    def random_sets(self, size: int, count: int) -> np.ndarray:
        """`count` uniformly random training sets of `size` pairs, as masks."""
        ranks = np.random.default_rng((self.p, size)).random((count, len(self.pairs))).argsort(axis=1)
        return ranks < size


@dataclass(frozen=True)
class Survey:
    """Random training sets of every size: whether each determines a line, and its λ3 at Z0 = 1."""

    fraction: np.ndarray  # size
    linear: np.ndarray  # size, set
    rate: np.ndarray  # size, set


@cache
def survey(p: int, count: int) -> Survey:
    """`count` random training sets of each size 1..p(p+1)/2. Shared by Figs. 4a and 5a and their claims."""
    structure = Structure(p)
    total = len(structure.pairs)
    linear, rate = [], []
    for size in range(1, total + 1):
        sets = known(structure.quads, structure.random_sets(size, count))
        linear.append(is_linear(structure.equations, sets))
        rate.append(grokking_rate(structure.equations, sets, 1.0))
    return Survey(np.arange(1, total + 1) / total, np.asarray(linear), np.asarray(rate))


def half_crossing(fraction: np.ndarray, probability: np.ndarray) -> float:
    """Where an increasing curve first reaches one half, by linear interpolation; infinite if it never does."""
    above = np.flatnonzero(probability >= 0.5)
    if len(above) == 0 or above[0] == 0:
        return float("inf") if len(above) == 0 else float(fraction[0])
    i = above[0]
    weight = (0.5 - probability[i - 1]) / (probability[i] - probability[i - 1])
    return float(fraction[i - 1] + weight * (fraction[i] - fraction[i - 1]))
