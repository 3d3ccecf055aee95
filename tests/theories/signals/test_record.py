"""Which rows of a record count, and what it lacks."""

import numpy as np
import pytest
import xarray as xr
from planted_signals import A, B, followed, law, linear

from nucleate.theories import LinearFlow, LotkaVolterra, SelfFlow
from nucleate.theories.signals.record import Signals


def test_a_member_ends_at_its_first_row_that_is_not_finite():
    record = followed(linear)
    cut = record.copy(deep=True)
    cut["signal"][0, 30:] = np.nan
    cut["signal"][1, 40, 1] = np.inf
    cut["signal"][2] = np.nan
    fit = LinearFlow().fit(cut)
    np.testing.assert_allclose(fit.interactions, A, atol=1e-9)
    other = law(A * 0.9, B)
    score = other.score(cut)
    assert np.isnan(score.isel(member=2).to_array()).all()
    for member, rows in ((0, 30), (1, 40), (3, 60)):
        alone = other.score(record.isel(member=[member], step=slice(0, rows)))
        xr.testing.assert_allclose(score.isel(member=member), alone.isel(member=0))


def test_later_steps_and_other_variables():
    record = followed(linear).rename(signal="power", freq="mode").assign_coords(mode=[2, 5, 7])
    fit = LinearFlow(variable="power").fit(record.sel(step=slice(0, 20)))
    assert fit.interactions.dims == ("mode", "source")
    assert fit.interactions.sel(mode=5, source=7).item() == pytest.approx(A[1, 2])
    np.testing.assert_allclose(fit.score(record.sel(step=slice(21, None)))["r2_rollout"], 1)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda r: r.rename(signal="power"), r"missing: 'signal' \(member, step, \*\)"),
        (lambda r: r.isel(member=0), r"over \(step, freq\) instead: 'signal'.*isel\(member=\[i\]\)"),
        (lambda r: r.drop_vars("step"), "missing: 'step'"),
        (lambda r: r.isel(step=[0]), "rising steps, at least 2"),
        (lambda r: r.isel(step=[1, 0]), "rising steps, at least 2"),
        (lambda r: r.where(r["step"] < 1), "first two rows are finite"),
    ],
)
@pytest.mark.parametrize("theory", [LinearFlow(), SelfFlow(), LotkaVolterra()])
def test_what_a_record_lacks_is_named(theory, change, match):
    with pytest.raises(ValueError, match=match):
        theory.fit(change(followed(linear)))


def test_a_law_is_not_scored_on_another_axis():
    with pytest.raises(ValueError, match="freq = 2"):
        law(A, B).score(followed(linear).isel(freq=[0, 1]))


def test_increments_are_per_step_and_end_with_the_finite_rows():
    x = np.array([[[1.0], [3.0], [9.0], [np.nan]], [[5.0], [5.0], [np.inf], [5.0]]])
    record = xr.Dataset(
        {"x": (("member", "step", "freq"), x)}, coords={"step": [0, 2, 4, 5], "seed": ("member", [3, 4])}
    )
    seen = Signals.read(record, "x")
    state, increment = seen.increments()
    assert (state.ravel().tolist(), increment.ravel().tolist()) == ([1.0, 3.0, 5.0], [1.0, 3.0, 0.0])
    assert (seen.names.tolist(), [*seen.coords]) == ([1], ["seed"])
    assert seen.rounding == np.finfo(np.float64).eps
    assert Signals.read(record.astype(np.float32), "x").rounding == np.finfo(np.float32).eps
