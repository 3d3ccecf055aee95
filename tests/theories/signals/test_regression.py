"""Coefficients that are found again, and choices that are refused."""

import numpy as np
import pytest
from planted_signals import STEPS, followed, linear, recorded

from nucleate.theories import LeastSquares, LinearFlow, Sparse
from nucleate.theories.signals import RegressionResult


def test_lasso_finds_the_planted_pattern():
    rng = np.random.default_rng(0)
    planted = np.diag(-rng.uniform(0.3, 0.5, size=8))
    planted[[0, 3, 5], [4, 1, 2]] = 0.3, -0.3, 0.2
    record = followed(lambda x: x @ planted.T + 1, members=400, freqs=8, step=STEPS[:4], noise=1e-4)
    fit = LinearFlow(Sparse(alpha=0.01)).fit(record)
    assert fit.converged
    assert np.array_equal(fit.interactions.values != 0, planted != 0)
    assert fit.sparsity == 64 - 11
    np.testing.assert_allclose(fit.interactions, planted, atol=0.05)
    assert LinearFlow(LeastSquares()).fit(record).sparsity == 0


def test_lasso_that_gave_up_says_so_without_a_warning():
    assert not LinearFlow(Sparse(alpha=1e-9, max_iter=1)).fit(followed(linear)).converged


@pytest.mark.parametrize("solver", [LeastSquares(), Sparse()])
def test_one_frequency_and_one_that_never_moves(solver):
    x = np.stack([10 * 0.9**STEPS, np.full(60, 3.0)], axis=-1)[None]
    fit = LinearFlow(solver).fit(recorded(x))
    assert fit.converged
    np.testing.assert_allclose(fit.velocity(x)[..., 1], 0, atol=1e-12)
    assert LinearFlow(solver).fit(recorded(x[..., :1])).interactions.shape == (1, 1)


def test_least_squares_takes_the_smallest_of_equally_good_coefficients():
    found = LeastSquares().regress(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), np.array([[1.0], [3.0], [5.0]]))
    assert isinstance(found, RegressionResult)
    np.testing.assert_allclose(found.coefficients, [[1.0, 1.0]])
    np.testing.assert_allclose(found.intercept, [1.0])
    assert found.converged


def test_lasso_shrinks_by_alpha_over_the_variance():
    x = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    found = Sparse(alpha=0.3).regress(x, 2 * x + 5)
    np.testing.assert_allclose(found.coefficients, [[2 - 0.3]])
    np.testing.assert_allclose(found.intercept, [5.0])


def test_bad_choices_fail_at_once():
    with pytest.raises(ValueError, match=r"Sparse.alpha must be > 0; got 0.0"):
        Sparse(alpha=0.0)
    with pytest.raises(ValueError, match=r"Sparse.max_iter must be >= 1; got 0"):
        Sparse(max_iter=0)
