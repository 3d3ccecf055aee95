"""Curves with planted parameters."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from nucleate.theories.power_laws import Exponential, Power, Stretched, fit_decay

TIME = np.geomspace(20.0, 5000.0, 60)
KINDS = (Power(), Exponential(), Stretched())


def planted(kind, rate, limit=0.0, amplitude=1.0, noise=0.0, seed=0):
    value = amplitude * np.exp(-rate * kind.clock(TIME))
    return limit + value * np.exp(noise * np.random.default_rng(seed).normal(size=len(TIME)))


@pytest.mark.parametrize("amplitude", [2.0, -2.0])
@pytest.mark.parametrize(("kind", "rate"), [(Power(), 0.3), (Exponential(), 1e-3), (Stretched(0.4), 0.1)])
def test_planted_parameters_are_recovered(kind, rate, amplitude):
    value = planted(kind, rate, limit=-0.7, amplitude=amplitude)
    for limit in (-0.7, None):
        found = fit_decay(kind, TIME, value, limit)
        tolerance = 1e-6 if limit is not None else 1e-2
        np.testing.assert_allclose([found.rate, found.limit], [rate, -0.7], rtol=tolerance)
        np.testing.assert_allclose([found.sign, found.log_amplitude], [np.sign(amplitude), np.log(2)], rtol=0.02)
        np.testing.assert_allclose(found(TIME), value, atol=1e-3)
        if isinstance(kind, Stretched):
            assert abs(found.decay.beta - 0.4) < 0.006
        assert found.r2 > 0.9999


@pytest.mark.parametrize("limit", [1.0, None])
@pytest.mark.parametrize(("kind", "rate"), [(Power(), 0.6), (Exponential(), 1e-3), (Stretched(0.5), 0.1)])
def test_the_planted_kind_has_the_lowest_bic(kind, rate, limit):
    noise = 0.02 if limit is not None else 0.003
    value = planted(kind, rate, limit=1.0, amplitude=3.0, noise=noise)
    bic = [fit_decay(other, TIME, value, limit).bic for other in KINDS]
    assert type(KINDS[int(np.argmin(bic))]) is type(kind)


@pytest.mark.parametrize("limit", [0.5, None])
def test_ninety_five_in_a_hundred_intervals_hold_the_truth(limit):
    rng, inside = np.random.default_rng(0), 0
    for _ in range(200):
        if limit is None:
            value = 0.5 + TIME**-0.4 + 0.002 * rng.normal(size=len(TIME))
        else:
            value = limit + TIME**-0.4 * np.exp(0.1 * rng.normal(size=len(TIME)))
        found = fit_decay(Power(), TIME, value, limit)
        inside += abs(found.rate - 0.4) <= found.error
    assert 180 <= inside <= 199


def test_errors_that_drift_widen_the_correlated_interval_only():
    rng, plain, wide = np.random.default_rng(1), 0, 0
    for _ in range(200):
        noise = np.zeros(len(TIME))
        for row in range(1, len(TIME)):
            noise[row] = 0.7 * noise[row - 1] + 0.1 * rng.normal()
        found = fit_decay(Power(), TIME, TIME**-0.4 * np.exp(noise), 0.0)
        plain += abs(found.rate - 0.4) <= found.error
        wide += abs(found.rate - 0.4) <= found.correlated_error
    assert plain < 160
    assert wide > 170


def test_r2_and_interval_are_those_of_a_linear_regression():
    """The formulas of Appendix D.1: ln|c| regressed on ln t."""
    value = -planted(Power(), 0.2, noise=0.1)
    x, y = np.log(TIME), np.log(-value)
    slope, intercept = np.polyfit(x, y, 1)
    found = fit_decay(Power(), TIME, value, 0.0)
    np.testing.assert_allclose([-found.rate, found.log_amplitude], [slope, intercept], rtol=1e-8)
    np.testing.assert_allclose(found.r2, np.corrcoef(x, y)[0, 1] ** 2, rtol=1e-8)
    scatter = np.sqrt(np.sum((y - intercept - slope * x) ** 2) / 58 / np.sum((x - x.mean()) ** 2))
    np.testing.assert_allclose(found.error, 2.0017 * scatter, rtol=1e-4)


def test_gradient_flow_on_a_degenerate_and_a_nondegenerate_potential():
    """Example A.5: on ¼x⁴ it falls as t^−½, on r/2 x² + ¼x⁴ exponentially."""
    time = np.geomspace(300.0, 3000.0, 60)
    noise = np.exp(0.01 * np.random.default_rng(0).normal(size=60))

    def seen(r):
        return noise * solve_ivp(lambda t, x: -r * x - x**3, (0, 3000), [1.0], t_eval=time, rtol=1e-9, atol=1e-20).y[0]

    degenerate, plain = ([fit_decay(kind, time, seen(r), 0.0) for kind in KINDS] for r in (0.0, 0.01))
    assert np.argmin([curve.bic for curve in degenerate]) == 0
    assert abs(degenerate[0].rate - 0.5) < 2 * degenerate[0].error
    assert np.argmin([curve.bic for curve in plain]) == 1
    assert abs(plain[1].rate - 0.01) < 1e-4


def test_the_magnetisation_of_the_mean_field_ising_model():
    """Appendix A.2: |m| ~ |r|^½ where r = T − 1 < 0, as a power law in |r|."""
    r = np.geomspace(1e-6, 1e-3, 20)
    m = np.array([brentq(lambda m, T=1 - x: np.tanh(m / T) - m, 1e-5, 1.0) for x in r])
    assert abs(fit_decay(Power(), r, m, 0.0).rate + 0.5) < 1e-3


def test_a_curve_goes_on_from_where_it_is():
    for kind in KINDS:
        curve = fit_decay(kind, TIME, planted(kind, 0.002, limit=1.0), 1.0)
        np.testing.assert_allclose(curve.onwards(curve(TIME)[10], TIME[10:] - TIME[10]), curve(TIME)[10:], rtol=1e-6)
        assert np.isnan(curve.onwards(0.9, TIME)).all()


def test_bad_input():
    with pytest.raises(ValueError, match=r"at least 5 rising times > 0"):
        fit_decay(Power(), np.arange(6.0), np.ones(6), 0.0)
    with pytest.raises(ValueError, match=r"values on one side of their limit 1\.0; cut the history"):
        fit_decay(Power(), TIME, np.linspace(0, 2, 60), 1.0)
    with pytest.raises(ValueError, match=r"Stretched\.beta must be > 0 and < 1; got 1\.5"):
        Stretched(1.5)
