"""Fits one planted record for all tests that need no other."""

import pytest
from planted_pairs import hill, planted, well

from nucleate.theories import PairPotential, Parity


@pytest.fixture(scope="session")
def record():
    return planted((well, hill), Parity())


@pytest.fixture(scope="session")
def fit(record):
    return PairPotential(coefficients=60).fit(record)
