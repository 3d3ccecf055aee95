"""The theory recovers clocks that were planted, and scores networks that follow it, or do not."""

import numpy as np
import pytest
import xarray as xr

from nucleate.theories import ScanSnap, integrate
from nucleate.theories.scanning import ClockFlow, Scans, clock_law

P = np.array([[0.4, 0.2, 0.3, 0.1, 0.0, 0.0], [0.4, 0.2, 0.0, 0.0, 0.3, 0.1]])
LAST, TOKENS = np.array([0, 1]), 10
STEP = np.concatenate([[0], np.geomspace(0.2, 1e5, 159)])
RATIOS = np.array([0.01, 0.1])


def record(Z: np.ndarray) -> xr.Dataset:
    return xr.Dataset(
        {
            "scores": (("member", "step", "last", "token"), Z),
            "probability": (("class", "token"), P),
            "last_token": ("class", LAST),
            "vocabulary": TOKENS,
        },
        coords={"step": STEP, "eta_z": ("member", RATIOS), "mult": ("member", 1 / RATIOS)},
    )


@pytest.fixture(scope="module")
def planted():
    """Logits that follow a clock with C₀ = 1 and amplitude 1.5 exactly."""
    law = 1.5 * clock_law(STEP + 0 * RATIOS[:, None], RATIOS[:, None], 2, TOKENS)
    clock = np.where(STEP > 0, law, 0)
    return record(np.stack([integrate(ClockFlow(P, LAST), np.zeros((2, 6)), each) for each in clock])), clock


def test_recovers_planted_parameters_and_explains_everything(planted):
    seen, clock = planted
    fit = ScanSnap(amplitude=None).fit(seen)
    assert pytest.approx(1, rel=0.05) == fit.C0
    assert fit.amplitude == pytest.approx(1.5, rel=0.02)
    assert fit.identified
    scores = fit.score(seen)
    np.testing.assert_allclose(scores.clock, clock, rtol=0.02, atol=1e-3)
    assert np.all(scores.skill > 0.999)
    assert np.all(scores.skill_on_clock > 0.999)
    assert np.all(scores.closed_form_error[:, -1] < 1e-6)
    assert np.all(scores.within_bounds[:, 2:] == 1)  # B is still 0 at the first two


def test_simulates_what_it_was_fitted_to(planted):
    seen, _ = planted
    fit = ScanSnap(amplitude=None).fit(seen)
    path = fit.simulate(np.zeros((2, 6)), STEP, ratio=0.1)
    np.testing.assert_allclose(path, seen.scores[1], atol=0.02)


def test_logits_that_move_otherwise_are_not_explained(planted):
    seen, _ = planted
    backwards = seen.assign(scores=-seen.scores)
    scores = ScanSnap().fit(seen).score(backwards)
    assert np.all(scores.skill < 0)
    assert np.all(scores.closed_form_error[:, -1] > 0.5)


def test_a_diverged_row_ends_a_history(planted):
    seen, _ = planted
    Z = seen.scores.values.copy()
    Z[0, 100:] = np.nan
    found = Scans.read(record(Z))
    assert np.isnan(found.clock[0, 100:]).all()
    assert np.isfinite(found.clock[0, :100]).all()


def test_a_record_without_logits_is_refused_by_name(planted):
    with pytest.raises(ValueError, match="missing: 'scores'"):
        ScanSnap().fit(planted[0].drop_vars("scores"))
    with pytest.raises(ValueError, match="two finite rows"):
        ScanSnap().fit(planted[0].isel(step=slice(0, 1)))
