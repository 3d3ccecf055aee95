"""Makes `planted_pairs` importable, and fits one planted record for all tests that need no other."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def record():
    from planted_pairs import hill, planted, well

    from nucleate.theories import Parity

    return planted((well, hill), Parity())


@pytest.fixture(scope="session")
def fit(record):
    from nucleate.theories import PairPotential

    return PairPotential(coefficients=60).fit(record)
