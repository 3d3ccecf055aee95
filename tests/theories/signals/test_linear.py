"""Planted linear laws are found again, and their solutions agree with SciPy's."""

import numpy as np
import pytest
from planted_signals import STEPS, UNEQUAL, A, B, followed, law, linear, recorded
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from nucleate.theories import Fit, LinearFlow, SelfFlow
from nucleate.theories.signals import couplings


@pytest.mark.parametrize("step", [STEPS, UNEQUAL])
def test_planted_interactions_are_found(step):
    fit = LinearFlow().fit(followed(linear, step=step))
    assert isinstance(fit, Fit)
    assert fit.converged
    assert fit.interactions.dims == ("freq", "source")
    assert fit.interactions["freq"].values.tolist() == [1, 2, 3]
    np.testing.assert_allclose(fit.interactions, A, atol=1e-10)
    np.testing.assert_allclose(fit.intercept, B, atol=1e-10)
    score = fit.score(followed(linear, step=step, seed=1))
    np.testing.assert_allclose(score["r2"], 1)
    np.testing.assert_allclose(score["r2_rollout"], 1)
    assert float(score["error_rollout"].max()) < 1e-8 < 1 < float(score["error_constant"].min())


def test_planted_interactions_are_found_in_noise():
    fit = LinearFlow().fit(followed(linear, members=40, noise=1e-3))
    np.testing.assert_allclose(fit.interactions, A, atol=2e-3)
    np.testing.assert_allclose(fit.intercept, B, atol=2e-3)


def test_planted_self_terms_are_found():
    rates, intercept = np.array([-0.1, 0.02, 0.0]), np.array([0.3, -0.1, 0.0])
    fit = SelfFlow().fit(followed(lambda x: rates * x + intercept, step=UNEQUAL))
    np.testing.assert_allclose(fit.interactions, np.diag(rates), atol=1e-12)
    np.testing.assert_allclose(fit.intercept, intercept, atol=1e-12)
    still = SelfFlow().fit(recorded(np.ones((1, 60, 1))))
    assert float(still.interactions.squeeze()) == 0 == float(still.intercept.squeeze())


def test_linear_solution_is_exact():
    fit, x0, times = law(A, B), np.array([5.0, 1.0, 2.0]), np.array([0.0, 1.5, 40.0, 3.0])
    steady = np.linalg.solve(A, B)
    exact = [expm(A * t) @ (x0 + steady) - steady for t in times]
    np.testing.assert_allclose(fit.simulate(x0, times), exact, atol=1e-10)
    scipy = solve_ivp(lambda t, x: linear(x), (0, 40), x0, t_eval=[1.5, 40.0], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(fit.simulate(x0, times)[1:3], scipy.y.T, atol=1e-8)
    np.testing.assert_allclose(fit.closed_form(x0, times, epsilon=0.0), exact, atol=1e-10)
    np.testing.assert_allclose(fit.closed_form(x0, times), exact, atol=1e-4)


def test_singular_matrix_needs_epsilon_or_simulate():
    fit = law([[-0.1, 0.0], [0.0, 0.0]], [0.0, 2.0])
    x0, times = np.array([3.0, 1.0]), np.array([0.0, 10.0])
    exact = [[3.0, 1.0], [3 * np.exp(-1), 21.0]]
    np.testing.assert_allclose(fit.simulate(x0, times), exact)
    np.testing.assert_allclose(fit.closed_form(x0, times), exact, atol=1e-4)
    with pytest.raises(ValueError, match=r"A \+ 0.0 I has no inverse"):
        fit.closed_form(x0, times, epsilon=0.0)


def test_unstable_linear_law_overflows_in_silence():
    fit = law([[10.0]], [0.0])
    assert not np.isfinite(fit.simulate(np.ones(1), np.array([1e3]))).any()
    assert not np.isfinite(fit.rollout(np.ones(1), np.arange(1000))[-1]).any()


def test_couplings_by_hand():
    matrix = [[-1, 0.5, -0.1, 0.2], [0.4, -1, 1e-9, 0], [-0.3, 0, -1, 0.1], [-0.2, 0.3, 0.1, -1]]
    shares = couplings(law(matrix, np.zeros(4)))
    assert shares.attrs["tolerance"] == 1e-6
    expected = {"positive": 6 / 12, "negative": 3 / 12, "zero": 3 / 12}
    expected |= {"collaborate": 2 / 6, "compete": 1 / 6, "mixed": 1 / 6, "undecided": 2 / 6}
    assert {name: float(value) for name, value in shares.items()} == pytest.approx(expected)
    assert float(couplings(law(np.eye(2), np.zeros(2)))["zero"]) == 1
    with pytest.raises(ValueError, match="two frequencies"):
        couplings(law([[1]], [0]))
