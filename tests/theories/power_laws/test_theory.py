"""Records with planted power laws."""

import numpy as np
import pytest
import xarray as xr

from nucleate.theories import FreeLimit, KnownLimit, PowerLaw, RecordedLimit, Window
from nucleate.theories.power_laws import lojasiewicz

STEP = np.arange(0, 64001, 256)
T = np.maximum(STEP, 1.0)


def record(*histories, dims=("member", "step"), **more):
    values = np.stack(histories).reshape(*(1,) * (len(dims) - 2), len(histories), len(STEP))
    return xr.Dataset({"c": (dims, values), **more}, coords={"step": STEP})


def test_two_regimes_of_a_head_as_in_figure_1():
    """Head (2, 1) of run 0 in Table 5: exponents 0.321 up to 12,032 and 0.082 from 14,976 on."""
    noise = 0.01 * np.random.default_rng(0).normal(size=len(T))
    c = -np.exp(np.where(T < 13500, 1.491 - 0.321 * np.log(T), -0.771 - 0.082 * np.log(T)) + noise)
    c[STEP < 4000] *= -1  # of the other sign early on
    laws = PowerLaw("c").fit(record(c)).laws.isel(member=0)
    np.testing.assert_allclose(laws.exponent, [0.321, 0.082], atol=0.01)
    np.testing.assert_allclose(laws.start, [4096, 13568], atol=600)
    np.testing.assert_allclose(laws.constant, [1.491, -0.771], atol=0.1)
    assert (laws.preferred == 0).all()
    assert (laws.r2 > 0.9).all()


def test_histories_have_laws_of_their_own_whatever_their_axes():
    seen = record(T**-0.5, 3 * T**-0.1, np.exp(-T / 9000), dims=("member", "block", "step"))
    fit = PowerLaw("c", windows=Window(start=1000)).fit(seen)
    assert fit.laws.exponent.dims == ("member", "block", "regime")
    np.testing.assert_allclose(fit.final.exponent[0, :2], [0.5, 0.1], rtol=1e-6)
    assert fit.final.preferred[0].values.tolist() == [0, 0, 1]
    assert (fit.final.evidence[0, :2] > 0).all()
    assert fit.final.evidence[0, 2] < 0


def test_a_step_axis_of_its_own_will_do_and_axes_may_come_in_any_order():
    seen = record(T**-0.5, T**-0.2).rename(step="step_attention").transpose("step_attention", "member")
    np.testing.assert_allclose(PowerLaw("c").fit(seen).final.exponent, [0.5, 0.2], rtol=1e-6)


def test_the_distance_to_a_limit_is_a_power_law_where_the_value_itself_is_none():
    """The contact limit: |c − c*| ~ t^−½, while |c| tends to |c*|."""
    c = -0.2 - 3 * T**-0.5
    seen = record(c, c, c_star=("member", [-0.2, -0.2]))
    for limit in (KnownLimit(-0.2), RecordedLimit("c_star"), FreeLimit()):
        law = PowerLaw("c", limit=limit, windows=Window(start=500)).fit(seen).final
        np.testing.assert_allclose(law.exponent, 0.5, rtol=1e-2)
        np.testing.assert_allclose(law.limit, -0.2, atol=1e-3)
    wrong = PowerLaw("c", windows=Window(start=500)).fit(seen).final
    assert (wrong.exponent < 0.1).all()


def test_a_history_is_read_from_its_last_crossing():
    c = np.where(STEP < 10000, np.cos(STEP / 900), T**-0.3)
    start = PowerLaw("c", windows=Window()).fit(record(c)).final.start.item()
    crossings = STEP[1:][np.sign(c[1:]) != np.sign(c[:-1])]
    assert start == crossings[-1]


def test_histories_without_a_law_are_nan_and_harm_no_other():
    dead = np.full(len(T), np.nan)
    fit = PowerLaw("c", windows=Window()).fit(record(T**-0.3, dead, np.zeros(len(T))))
    np.testing.assert_allclose(fit.final.exponent[0], 0.3, rtol=1e-6)
    assert np.isnan(fit.final.exponent[1:]).all()
    assert np.isnan(fit.simulate(0.5, np.array([1.0]))[0, 1:]).all()
    assert np.isnan(fit.score(record(T**-0.3, dead, dead)).error[1:]).all()
    assert np.isnan(PowerLaw("c").fit(record(dead)).final.exponent).all()


def test_a_law_foretells_steps_it_has_not_seen():
    noise = 0.01 * np.random.default_rng(0).normal(size=len(T))
    seen = record(T**-0.3 * np.exp(noise))
    fit = PowerLaw("c").fit(seen.sel(step=slice(0, 20000)))
    score = fit.score(seen.sel(step=slice(20000, None)))
    assert (score.error < 0.2 * score.error_constant).all()


def test_a_simulation_is_the_gradient_flow_of_the_potential():
    """On ¼x⁴ the flow from x0 is (x0⁻² + 2t)^−½; the law is fitted to another start."""
    time = np.arange(1.0, 500.0)
    seen = xr.Dataset({"x": (("member", "step"), (2 * time[None]) ** -0.5)}, coords={"step": time})
    fit = PowerLaw("x", windows=Window()).fit(seen)
    path = fit.simulate(np.array([0.7]), np.array([0.0, 3.0, 50.0]))
    np.testing.assert_allclose(path[:, 0], (0.7**-2 + 2 * np.array([0.0, 3.0, 50.0])) ** -0.5, rtol=1e-6)


@pytest.mark.parametrize("holder", [1.0, 0.5])
def test_a_measurement_inherits_the_rate_of_the_flow(holder):
    """Corollary A.4: x ~ t^−½ has θ = ¾, and so has what is seen of |x|^β once β is known."""
    seen = record((2 * T) ** (-0.5 * holder))
    exponent = PowerLaw("c").fit(seen).final.exponent.to_numpy()
    np.testing.assert_allclose(lojasiewicz(exponent, holder), 0.75, rtol=1e-6)


def test_bad_input():
    with pytest.raises(ValueError, match=r"There are laws for \(1,\) histories; the record has \(2,\)"):
        PowerLaw("c").fit(record(T**-0.3)).score(record(T, T))
    with pytest.raises(ValueError, match=r"holder must be > 0 and <= 1; got 2"):
        lojasiewicz(np.array([0.5]), holder=2.0)
