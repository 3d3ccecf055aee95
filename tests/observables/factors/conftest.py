"""Networks that are constructed, and then disguised."""

import numpy as np
import pytest

from nucleate.algebra import Solution, Weights, to_weights


@pytest.fixture(scope="session")
def disguised():
    """The same network with its nodes in another order, with other signs and scales, and with noise."""

    def make(solution: Solution, seed: int, noise: float = 0.0) -> Weights:
        rng = np.random.default_rng(seed)
        a, b, c = to_weights(solution)
        order, scale = rng.permutation(solution.nodes), np.exp(rng.uniform(-0.5, 0.5, solution.nodes))
        noises = [noise * np.abs(rows).max() * rng.normal(size=rows.shape) for rows in (a, b, c)]
        scale *= rng.choice([-1, 1], solution.nodes)
        a, b, c = (rows + noise for rows, noise in zip((a, b, c), noises, strict=True))
        return Weights(a[:, order] * scale, b[:, order] * scale, c[order] / scale[:, None] ** 2)

    return make
