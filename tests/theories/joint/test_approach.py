"""Theorem 4: the flow towards a target, its asymptotic ratio, and planted targets."""

import numpy as np
import pytest
import xarray as xr
from scipy.integrate import solve_ivp

from nucleate.theories import ApproachFlow
from nucleate.theories.joint import ApproachFlowFit, ExpGrowth, SoftmaxGrowth, approach, convergence_ratio, remaining

TARGET, START = np.array([1.2, 2.0, -0.7]), np.array([0.05, 0.1, 0.05])


@pytest.mark.parametrize("growth", [ExpGrowth(), SoftmaxGrowth(3.0)], ids=["exp", "softmax"])
def test_it_is_the_flow(growth):
    times = np.linspace(0, 1.0, 5)
    velocity = lambda t, v: (TARGET - v) * growth(v)
    truth = solve_ivp(velocity, (0, 1), START, "DOP853", times, rtol=1e-12, atol=1e-13).y.T
    np.testing.assert_allclose(approach(TARGET, START, times, growth), truth, atol=1e-9)


def test_the_ratio_of_rates_is_reached_in_the_end_and_far_off_at_first():
    target = np.array([1.0, 3.0])
    gone = -remaining(target, np.zeros(2), np.array([0.1, 2000.0]))
    relative = gone[:, 1] / gone[:, 0] / convergence_ratio(target[1:], target[:1])
    assert relative[1] == pytest.approx(1, abs=1e-2)
    assert relative[0] < 0.1


def test_planted_targets_are_found():
    times = np.linspace(0, 2, 9)
    path = approach(TARGET, START, times)
    seen = xr.Dataset(
        {"values": (("member", "step", "token", "unit"), path[None, ..., None])},
        coords={"step": np.arange(9), "eta": ("member", [0.25])},
    )
    fit = ApproachFlow().fit(seen)
    np.testing.assert_allclose(fit.target, TARGET, rtol=1e-3)
    assert fit.score(seen).error.max() < 1e-3 < fit.score(seen).error_constant.max()
    np.testing.assert_allclose(fit.simulate(START, times), path, atol=1e-3)
    with pytest.raises(ValueError, match="is about one unit; the record has 2"):
        ApproachFlow().fit(xr.concat([seen, seen], "unit"))


def test_a_start_beyond_the_target_is_refused():
    with pytest.raises(ValueError, match="start must lie before it"):
        ApproachFlowFit(ApproachFlow(), np.ones(1), 0.0).simulate(np.array([2.0]), np.array([0.0]))
