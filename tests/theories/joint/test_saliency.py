"""Theorem 2 and its K units: the closed form against direct integration, and planted saliency."""

import numpy as np
import pytest
import xarray as xr
from scipy.integrate import solve_ivp

from nucleate.theories import SaliencyFlow
from nucleate.theories.joint import SaliencyFlowFit, erf_ratio

RNG = np.random.default_rng(2)


def integrated(start, saliency, times, growth=lambda V: np.exp(np.square(V).sum(1, keepdims=True) / 2)):
    def velocity(t, v):
        V = v.reshape(start.shape)
        return (growth(V) * saliency).ravel()

    found = solve_ivp(velocity, (0, times[-1]), start.ravel(), "DOP853", times, rtol=1e-13, atol=1e-15)
    return found.y.T.reshape(-1, *start.shape)


def flow(saliency):
    return SaliencyFlowFit(SaliencyFlow(), saliency, 0.0)


def test_the_erf_identity_holds_to_ten_digits_and_the_slides_does_not():
    saliency = RNG.normal(size=8)
    end = np.sqrt(np.pi / 2) / np.abs(saliency).max()
    path = integrated(np.zeros((8, 1)), saliency[:, None], np.linspace(0, 0.99 * end, 12))[1:, :, 0]
    right, wrong = (erf_ratio(path, saliency, of_the_slide=slide) for slide in (False, True))
    assert (np.ptp(right, axis=1) / np.abs(right).mean(1)).max() < 1e-10
    assert (np.ptp(wrong, axis=1) / np.abs(wrong).mean(1)).max() > 0.05


@pytest.mark.parametrize("units", [1, 3])
def test_the_closed_form_is_the_flow_from_any_start(units):
    start, saliency = 0.5 * RNG.normal(size=(5, units)), RNG.normal(size=(5, units))
    fit = flow(saliency)
    times = np.linspace(0, 0.95 * fit.blow_up(start), 7)
    np.testing.assert_allclose(fit.simulate(start, times), integrated(start, saliency, times), rtol=1e-8, atol=1e-10)
    assert np.isnan(fit.simulate(start, np.array([1.01 * fit.blow_up(start)]))).all()


def test_the_exponential_is_of_the_sum_over_units_not_a_sum_of_exponentials():
    """Gradient flow of exp attention whose logits are ½ Σ_k v_k²: of the two readings of the slide, one is right."""
    saliency, times = np.array([[1.0, 0.5], [0.3, -0.6]]), np.linspace(0, 0.5, 3)

    def joint(t, state):  # V, and logits that start at 0
        V, z = state[:4].reshape(2, 2), state[4:]
        moving = np.exp(z)[:, None] * saliency
        return np.concatenate([moving.ravel(), (V * moving).sum(1)])

    truth = solve_ivp(joint, (0, 0.5), np.zeros(6), "DOP853", times, rtol=1e-12, atol=1e-14).y[:4].T.reshape(-1, 2, 2)
    np.testing.assert_allclose(flow(saliency).simulate(np.zeros((2, 2)), times), truth, atol=1e-9)
    other = integrated(np.zeros((2, 2)), saliency, times, lambda V: np.exp(np.square(V) / 2).sum(1, keepdims=True))
    assert np.abs(other[-1] - truth[-1]).max() > 0.1


def test_winner_blow_up_and_limits():
    fit = flow(np.array([[1.0], [-3.0], [0.0]]))
    assert fit.winner() == 1
    assert fit.blow_up() == pytest.approx(np.sqrt(np.pi / 2) / 3, rel=1e-12)
    limits = fit.limits().ravel()
    assert limits[1] == -np.inf
    assert limits[2] == 0
    near = integrated(np.zeros((3, 1)), fit.saliency, np.array([0, 0.99999 * fit.blow_up()]))[-1].ravel()
    assert abs(near[0] - limits[0]) < 1e-4
    assert near[1] < -4


def record(paths, step, eta):
    return xr.Dataset(
        {"values": (("member", "step", "token", "unit"), np.stack(paths))},
        coords={"step": step, "eta": ("member", np.full(len(paths), eta))},
    )


def test_planted_saliency_is_found_and_scored():
    saliency, step = RNG.normal(size=(4, 2)), np.arange(0, 60, 10)
    truth = flow(saliency)
    starts = [np.zeros((4, 2)), 0.3 * RNG.normal(size=(4, 2))]
    times = step * 0.9 * min(truth.blow_up(start) for start in starts) / step[-1]
    seen = record([truth.simulate(start, times) for start in starts], step, times[1] / step[1])
    fit = SaliencyFlow().fit(seen)
    np.testing.assert_allclose(fit.saliency, saliency, rtol=1e-8)
    assert fit.error < 1e-8
    score = fit.score(seen)
    assert score.error.max() < 1e-6
    np.testing.assert_allclose(score.skill, 1, atol=1e-9)
    assert flow(-saliency).score(seen).skill.max() < 0


def test_a_record_that_says_nothing_is_refused():
    with pytest.raises(ValueError, match=r"SaliencyFlow cannot read this record"):
        SaliencyFlow().fit(xr.Dataset())
    still = record([np.zeros((1, 2, 1))], np.array([0]), 0.1)
    with pytest.raises(ValueError, match=r"needs a member with two finite rows"):
        SaliencyFlow().fit(still)
