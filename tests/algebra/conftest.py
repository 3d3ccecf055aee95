"""The groups that the tests of this room compute in."""

import numpy as np
import pytest

from nucleate.algebra import Characters, Solution, from_weights


def product(n: int, m: int) -> np.ndarray:
    """The table of C_n x C_m, its elements numbered as `tasks.Group` does."""
    i, j = np.divmod(np.arange(n * m), m)
    return (i[:, None] + i) % n * m + (j[:, None] + j) % m


GROUPS = {
    "C5": Characters.cyclic(5),
    "C7": Characters.cyclic(7),
    "C3xC3": Characters.of(product(3, 3)),
    "C2xC3": Characters.of(product(2, 3)),
    "C4xC2": Characters.of(product(4, 2)),
}


@pytest.fixture(params=GROUPS, scope="session")
def group(request) -> Characters:
    return GROUPS[request.param]


@pytest.fixture(scope="session")
def anything():
    """A network with random weights."""

    def make(group: Characters, nodes: int, seed: int = 0) -> Solution:
        rng = np.random.default_rng(seed)
        d = group.order
        return from_weights(
            group, rng.normal(size=(d, nodes)), rng.normal(size=(d, nodes)), rng.normal(size=(nodes, d))
        )

    return make
