"""The addition tables that the tests of this room measure."""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from nucleate.observables import equations, parallelograms


class Addition(NamedTuple):
    pairs: np.ndarray
    label: np.ndarray
    quads: np.ndarray
    equations: np.ndarray

    def training_sets(self, size: int, count: int, seed: int) -> np.ndarray:
        """`count` random training sets of `size` pairs: bool [set, pair]."""
        return np.random.default_rng(seed).random((count, len(self.pairs))).argsort(axis=1) < size

    def having(self, *samples: tuple[int, int]) -> np.ndarray:
        """The training set of exactly these samples: bool [pair]."""
        return np.array([tuple(pair) in samples for pair in self.pairs.tolist()])


@cache
def make_addition(p: int) -> Addition:
    pairs = np.stack(np.triu_indices(p), axis=1)
    label = pairs.sum(axis=1)
    quads = parallelograms(label)
    return Addition(pairs, label, quads, equations(pairs, quads, p))


@pytest.fixture(scope="session")
def addition():
    return make_addition
