"""Theorem 3: closed forms against quadrature by SciPy, its form against random inputs, and a planted rate."""

import numpy as np
import pytest
import xarray as xr
from scipy.integrate import quad
from scipy.stats import norm

from nucleate.theories import ClusterFlow
from nucleate.theories.joint import ClusterFlowFit, Clusters, ReLUGain, SmoothGain, UnitState, cluster_velocity, thetas

RNG = np.random.default_rng(3)
MIXTURE = Clusters(RNG.normal(size=(3, 4)), RNG.normal(size=3), np.array(0.6))
STATE = UnitState(RNG.normal(size=4), np.array(0.2))


@pytest.mark.parametrize(
    ("gain", "slope", "bends"),
    [
        (ReLUGain(), lambda x: float(x > 0), True),
        (SmoothGain(lambda x: 1 / np.cosh(x) ** 2), lambda x: 1 / np.cosh(x) ** 2, False),
    ],
    ids=["ReLU", "tanh"],
)
def test_thetas_are_integrals_over_the_spread(gain, slope, bends):
    size, spread = 1.7, 0.6

    def integral(r, power):
        kink = [-r / (size * spread)] if bends else None
        return quad(lambda y: slope(r + size * spread * y) * norm.pdf(y) * y**power, -9, 9, points=kink)[0]

    for r in (-1.0, 0.3, 2.0):
        first, second = thetas(gain, np.array([r]), size, spread)
        expected = size * integral(r, 0), spread * size**2 * integral(r, 1)
        np.testing.assert_allclose([first[0], second[0]], expected, atol=1e-6)


def test_the_velocity_is_that_of_random_inputs():
    which, noise = RNG.integers(0, 3, 200_000), RNG.normal(size=(200_000, 4))
    x = MIXTURE.centre[which] + 0.6 * noise
    weight = 3 * MIXTURE.strength[which] * (x @ STATE.values + STATE.offset > 0)
    found = cluster_velocity(ReLUGain(), MIXTURE, STATE)
    np.testing.assert_allclose(found.values, weight @ x / 200_000, atol=0.02)
    np.testing.assert_allclose(found.offset, weight.mean(), atol=0.02)


def test_scaling_a_relu_unit_does_not_change_its_velocity():
    """So it has no isolated point of rest: the talk's critical point needs a gradient that changes."""
    scaled = UnitState(3 * STATE.values, 3 * STATE.offset)
    one, other = (cluster_velocity(ReLUGain(), MIXTURE, state) for state in (STATE, scaled))
    np.testing.assert_allclose(one.values, other.values, rtol=1e-12)


def test_a_planted_rate_is_found_and_scored():
    times, rate = np.linspace(0, 3, 7), 1.4
    path = ClusterFlowFit(ClusterFlow(), rate, 0.0).simulate(STATE, times, MIXTURE)
    seen = xr.Dataset(
        {
            "values": (("member", "step", "dim"), path.values[None]),
            "offset": (("member", "step"), path.offset[None]),
            "centre": (("member", "cluster", "dim"), MIXTURE.centre[None]),
            "strength": (("member", "cluster"), MIXTURE.strength[None]),
            "spread": ("member", [0.6]),
        },
        coords={"step": np.arange(7), "eta": ("member", [0.5])},
    )
    fit = ClusterFlow().fit(seen)
    assert fit.rate == pytest.approx(rate, rel=1e-3)
    score = fit.score(seen)
    assert score.error_mean.item() < 1e-3 < score.error_constant_mean.item()
    np.testing.assert_allclose(fit.predicted(seen)[0], path.values, atol=1e-2)
    with pytest.raises(ValueError, match="several"):
        ClusterFlow().fit(xr.concat([seen, seen.assign_coords(eta=("member", [0.1]))], "member"))
    with pytest.raises(ValueError, match="not 0 in the first row"):
        ClusterFlow().fit(seen.assign({"values": seen["values"] * 0}))
