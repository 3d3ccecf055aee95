"""Planted meetings are found again, and solutions agree with SciPy's."""

import numpy as np
import pytest
from planted_signals import followed
from scipy.integrate import solve_ivp

from nucleate.theories import LotkaVolterra
from nucleate.theories.signals import LotkaVolterraFit


def species(x):
    """Two prey and a predator, with a meeting of equals each."""
    a, b, c = np.moveaxis(x, -1, 0)
    return np.stack([0.1 * a - 0.01 * a * a - 0.02 * a * c, 0.05 * b - 0.01 * b * b, -0.1 * c + 0.02 * a * c], axis=-1)


def test_planted_lotka_volterra_is_found_and_agrees_with_scipy():
    fit = LotkaVolterra().fit(followed(species, members=8))
    assert isinstance(fit, LotkaVolterraFit)
    np.testing.assert_allclose(fit.linear, np.diag([0.1, 0.05, -0.1]), atol=1e-9)
    planted = np.zeros((3, 3, 3))
    planted[0, 0, [0, 2]], planted[1, 1, 1], planted[2, 0, 2] = (-0.01, -0.02), -0.01, 0.02
    np.testing.assert_allclose(fit.quadratic, planted, atol=1e-9)
    np.testing.assert_allclose(fit.intercept, 0, atol=1e-8)
    score = fit.score(followed(species, members=2, seed=1))
    np.testing.assert_allclose(score["r2_rollout"], 1, atol=1e-9)
    x0, times = np.array([2.0, 1.0, 3.0]), np.array([30.0, 0.0, 7.0, 30.0])
    scipy = solve_ivp(lambda t, x: species(x), (0, 30), x0, t_eval=[0, 7, 30], method="Radau", rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(fit.simulate(x0, times), scipy.y.T[[2, 0, 1, 2]], rtol=1e-7)
    np.testing.assert_allclose(fit.simulate(x0, np.zeros(1)), x0[None])


def test_lotka_volterra_that_explodes_is_an_outcome():
    grow = LotkaVolterra().fit(followed(species, members=8))
    explosive = LotkaVolterraFit(grow.theory, grow.linear * 0, abs(grow.quadratic) * 100, grow.intercept * 0, True)
    path = explosive.simulate(np.ones(3), np.array([0.0, 0.1, 1e3]))
    assert np.isfinite(path[:2]).all()
    assert np.isnan(path[2]).all()
    assert not np.isfinite(explosive.rollout(np.ones(3), np.arange(50))[-1]).any()
    score = explosive.score(followed(species))
    assert np.all(score["r2_rollout"] == -np.inf)
    assert np.all(score["error_rollout"] == np.inf)
    assert np.isfinite(score["r2"]).all()
    with pytest.raises(ValueError, match=r"times must be non-negative"):
        grow.simulate(np.ones(3), np.array([-1.0]))
