"""Planted potentials are found again under each symmetry, and predict runs that were not fitted."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from brute_force import brute_force_gradient
from planted_pairs import DURATION, HILL, STEPS, WELL, Planted, hill, planted, well

from nucleate.theories import ClosedForm, Fit, Neural, NoSymmetry, PairPotential, Parity, Rotation, Translation
from nucleate.theories.pairs import pair_energies


def displacement(x):
    return x[0] + x[1] - x[2] - x[3]


ODD = (Planted(**WELL, slope=0.02), Planted(**HILL, slope=0.01))
OVAL = (lambda x: well(x * jnp.array([1.0, 0.5])), lambda x: hill(x * jnp.array([0.7, 1.0])))
FREE = (
    lambda x: well(displacement(x) / 1.5) + 0.01 * jnp.sin(x[0]) * jnp.cos(x[2]),
    lambda x: hill(displacement(x) / 1.5),
)
CASES = {
    "translation": (PairPotential(Translation(), coefficients=60), 1, ODD),
    "translation in the plane": (PairPotential(Translation(), ClosedForm(ridge=1e-2), coefficients=400), 2, ODD),
    "parity": (PairPotential(Parity(), coefficients=60), 1, (well, hill)),
    "parity in the plane": (PairPotential(Parity(), coefficients=200), 2, OVAL),
    "rotation": (PairPotential(Rotation(), coefficients=60), 2, (well, hill)),
    "none": (PairPotential(NoSymmetry(), ClosedForm(ridge=1e-6), coefficients=300), 1, FREE),
    "neural": (PairPotential(Parity(), Neural(width=16, iterations=300), coefficients=60), 1, (well, hill)),
}
MANY = ("translation in the plane",)  # a grid over the whole plane has four times as many functions to find
SLOW = ("none", *MANY)  # fitted to noisy gradients only, which is harder


@eqx.filter_jit
def values(function, x):
    return jax.vmap(function)(x)


def errors(fit, truth, dim, gauge=lambda x: np.ones((len(x), 1))):
    """The largest error of each potential in the data's range over the potential's own range, but for the `gauge`."""
    x = np.random.default_rng(0).uniform(-1, 1, size=(400, dim))
    x = x[np.linalg.norm(x, axis=1) <= 1]
    result = []
    for kind, function in zip(("same", "different"), truth, strict=True):
        at = x * getattr(fit.data_range, kind)
        with jax.enable_x64(True):
            exact = np.asarray(values(function, at))
        off = getattr(fit.potential(at), kind) - exact
        off = off - gauge(at) @ np.linalg.lstsq(gauge(at), off)[0]
        result.append(np.abs(off).max() / np.ptp(exact))
    return np.array(result)


def energy_error(fit, truth, embedding):
    """The largest error of U up to a constant, over its own range: what is left of f_a and f_r without symmetry."""
    flat = embedding.reshape(-1, 10, 1)
    exact = pair_energies(fit.terms, *truth, flat)
    off = fit.energy(flat) - exact
    return np.abs(off - off.mean()).max() / np.ptp(exact)


@pytest.mark.parametrize(
    ("name", "noise"), [(n, noise) for n in CASES for noise in (0.0, 0.02) if noise or n not in SLOW]
)
def test_planted_potentials_are_found(name, noise):
    theory, dim, truth = CASES[name]
    members = 120 if name in MANY else 30
    fit = theory.fit(planted(truth, theory.symmetry, dim, members=members, noise=noise))
    assert isinstance(fit, Fit)
    assert not fit.curl.detected
    unseen = planted(truth, theory.symmetry, dim, members=8, seed=1)
    truth_there = unseen["gradient"].to_numpy()
    missed = truth_there + fit.force(unseen["embedding"].to_numpy())
    assert 1 - missed.var() / truth_there.var() > 0.999
    assert fit.force_r2 == pytest.approx(1 / (1 + noise**2), abs=3e-3)
    if name == "none":
        assert energy_error(fit, truth, unseen["embedding"].to_numpy()) < 0.01
    else:
        assert np.all(errors(fit, truth, dim) < 0.01)


def test_as_smooth_as_runs_that_are_not_fitted_allow():
    theory = PairPotential(coefficients=120)
    noisy, unseen = (planted((well, hill), Parity(), members=10, noise=1.0, seed=seed) for seed in (0, 1))
    smooth = theory.smoothed(noisy, unseen)
    assert smooth.solver.ridge > 100 * theory.solver.ridge
    rough_error, smooth_error = (errors(each.fit(noisy), (well, hill), 1) for each in (theory, smooth))
    assert np.all(smooth_error < 0.5 * rough_error)
    # Where there is no noise, smoothness that bends the potentials has a cost.
    exact, unseen = (planted((well, hill), Parity(), members=10, seed=seed) for seed in (0, 1))
    assert theory.smoothed(exact, unseen).solver.ridge < smooth.solver.ridge


def test_the_ridge_is_not_chosen_on_runs_that_were_fitted(record):
    with pytest.raises(ValueError, match="were also fitted"):
        PairPotential().smoothed(record, record)
    with pytest.raises(ValueError, match="chooses the ridge of ClosedForm"):
        PairPotential(solver=Neural()).smoothed(record, record)
    with pytest.raises(ValueError, match="at least one ridge"):
        PairPotential().smoothed(record, record, ridges=())


def test_unseen_runs_are_predicted_far_better_than_by_what_never_moves(fit):
    score = fit.score(planted((well, hill), Parity(), members=8, seed=1))
    assert score.attrs["force_r2"] > 0.999
    assert not score.attrs["curl_detected"]
    assert float(score["force_r2"].min()) > 0.99
    assert float(score["trajectory_loss"].mean()) < 0.1 * float(score["trajectory_loss_constant"].mean())
    assert float(score["representation_loss"].mean()) < 0.2 * float(score["representation_loss_initial"].mean())


def test_force_is_minus_the_gradient_and_the_flow_goes_downhill(fit, record):
    embedding = record["embedding"].to_numpy()
    assert fit.force(embedding).shape == embedding.shape
    moved = fit.force(embedding) * record["gradient"].to_numpy()
    assert moved.sum() < 0
    times = np.linspace(0, DURATION, STEPS)
    path = fit.simulate(embedding[:4, 0], times)
    assert path.shape == (4, STEPS, 10, 1)
    assert np.all(np.diff(fit.energy(path), axis=1) < 0)
    assert np.allclose(fit.simulate(embedding[1, 0], times), path[1], atol=1e-4)


def test_its_force_is_the_brute_force_sum(fit, record):
    embedding = record["embedding"].to_numpy()[3, 2]
    pairs = np.stack([record["left"], record["right"]], axis=1)
    slow = brute_force_gradient(pairs, record["label"].to_numpy(), Parity(), fit.attract, fit.repel, embedding)
    assert np.abs(fit.force(embedding) + slow).max() < 1e-10


def test_potentials_are_zero_at_zero_and_take_displacements_in_either_shape(fit):
    r = np.linspace(-1, 1, 5)
    assert fit.potential(r).same[2] == 0
    assert np.array_equal(fit.potential(r).different, fit.potential(r[:, None]).different)
    assert np.allclose(fit.potential(r).same, fit.potential(-r).same)


def test_modular_addition_with_ordered_pairs_is_served_too():
    left, right = (grid.ravel() for grid in np.meshgrid(np.arange(7), np.arange(7), indexing="ij"))
    task = {"pairs": np.stack([left, right], axis=1), "label": (left + right) % 7}
    theory = PairPotential(Rotation(), coefficients=60)
    fit = theory.fit(planted((well, hill), Rotation(), 2, **task))
    assert fit.force_r2 > 0.999
    # All pairs of pairs together pull like seven times those of one label, if all are springs: only the sum of the
    # quadratic parts of 6 f_r and f_a is determined.
    quadratic = lambda x: np.stack([np.ones(len(x)), np.sum(x**2, axis=1)], axis=1)
    assert np.all(errors(fit, (well, hill), 2, quadratic) < 0.01)


def test_a_diverged_member_is_left_out_of_the_fit_and_nan_in_the_score(record, fit):
    broken = record.copy(deep=True)
    broken["embedding"][0, 5:] = np.nan
    again = PairPotential(coefficients=60).fit(broken)
    assert again.force_r2 > 0.9999
    unseen = planted((well, hill), Parity(), members=3, seed=1)
    unseen["gradient"][1, 4] = np.inf
    score = fit.score(unseen)
    assert np.isnan(score["trajectory_loss"].to_numpy()).tolist() == [False, True, False]
    assert float(score["force_r2"].min()) > 0.999


def test_one_run_is_fitted_without_a_curl_test_and_another_dimension_is_refused(record, fit):
    assert PairPotential(coefficients=60).fit(record.isel(member=[0])).curl is None
    plane = planted((well, hill), Rotation(), dim=2, members=2, seed=1)
    with pytest.raises(ValueError, match="fitted in dim 1; the record's embeddings have 2"):
        fit.score(plane)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: PairPotential(reach=0.0), r"reach must be > 0 and <= 1; got 0\.0"),
        (lambda: PairPotential(coefficients=3), "coefficients must be >= 8; got 3"),
        (lambda: PairPotential(configurations=0), "configurations must be >= 1; got 0"),
        (lambda: PairPotential(NoSymmetry(), Neural()), "Use ClosedForm"),
        (lambda: ClosedForm(ridge=-1.0), "ridge must be >= 0"),
        (lambda: Neural(depth=0), "depth must be >= 1"),
    ],
)
def test_bad_choices_fail_at_construction(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()
