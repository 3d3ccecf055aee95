"""Planted rates are found again, and what a record lacks is named."""

import numpy as np
import pytest
import xarray as xr

from nucleate.observables import equations, gram, known, parallelograms
from nucleate.theories import AllParallelograms, EffectiveLoss, ExactFlow, Fit, KnownParallelograms, LinearizedFlow

P = 10
LEFT, RIGHT = np.triu_indices(P)
QUADS = parallelograms(LEFT + RIGHT)
A = equations(np.stack([LEFT, RIGHT], axis=-1), QUADS, P)
STEPS = np.arange(0, 1001, 50)


def planted(rate, theory=None, members=6, dim=1, noise=3e-4, seed=0):
    """A record that follows `theory` at a known rate, at learning rates of its own for each member."""
    theory = theory or EffectiveLoss()
    rng = np.random.default_rng(seed)
    eta = 10.0 ** rng.uniform(-3.5, -2.5, size=members)
    in_train = rng.permuted(np.tile(np.arange(len(LEFT)) < 45, (members, 1)), axis=1)
    chosen = known(QUADS, in_train) if isinstance(theory.quads, KnownParallelograms) else np.ones((members, 70), bool)
    weight = chosen.sum(axis=1) if theory.per_parallelogram else np.ones(members)
    x0 = rng.uniform(-0.5, 0.5, size=(members, P, dim))
    path = theory.flow.trajectory(
        gram(A, chosen) / weight[:, None, None], x0, rate * eta[:, None] * STEPS.astype(float)
    )
    path[:, 1:] += noise * rng.normal(size=path[:, 1:].shape)
    return xr.Dataset(
        {
            "embedding": (("member", "step", "token", "dim"), path.astype(np.float32)),
            "left": ("pair", LEFT),
            "right": ("pair", RIGHT),
            "label": ("pair", LEFT + RIGHT),
            "in_train": (("member", "pair"), in_train),
        },
        coords={"step": STEPS, "eta_repr": ("member", eta), "seed": ("member", np.arange(members))},
    )


@pytest.mark.parametrize("rate", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("dim", [1, 2])
def test_planted_rate_is_found_and_unseen_members_predicted(rate, dim):
    fit = EffectiveLoss().fit(planted(rate, dim=dim))
    assert isinstance(fit, Fit)
    assert fit.identified
    assert fit.rate == pytest.approx(rate, rel=0.01)
    score = fit.score(planted(rate, dim=dim, seed=1))
    assert float(score["error"].max()) < 1e-3
    assert float(score["skill"].min()) > 0.99


@pytest.mark.parametrize("flow", [ExactFlow(), LinearizedFlow()])
@pytest.mark.parametrize("quads", [AllParallelograms(), KnownParallelograms()])
@pytest.mark.parametrize("per_parallelogram", [False, True])
def test_every_choice_recovers_its_own_rate(flow, quads, per_parallelogram):
    theory = EffectiveLoss(flow, quads, per_parallelogram)
    rate = 50.0 if per_parallelogram else 1.0
    fit = theory.fit(planted(rate, theory))
    assert fit.rate == pytest.approx(rate, rel=0.02)
    assert fit.theory == theory


def test_the_wrong_parallelograms_fit_worse():
    record = planted(1.0, EffectiveLoss(quads=KnownParallelograms()))
    right = EffectiveLoss(quads=KnownParallelograms()).fit(record)
    wrong = EffectiveLoss(quads=AllParallelograms()).fit(record)
    assert right.error < wrong.error / 10


def test_the_choice_of_flow_does_not_change_a_score():
    record = planted(1.0)
    exact, linear = (EffectiveLoss(flow).fit(record) for flow in (ExactFlow(), LinearizedFlow()))
    assert exact.rate == pytest.approx(linear.rate, rel=1e-4)
    np.testing.assert_allclose(exact.score(record)["error"], linear.score(record)["error"], atol=1e-6)


def test_score_knows_its_baseline_and_keeps_coordinates():
    record = planted(1.0)
    score = EffectiveLoss().fit(record).score(record)
    assert score["error"].dims == ("member", "step")
    assert score["seed"].equals(record["seed"])
    assert float(score["error"].isel(step=0).max()) < 1e-12
    first = record["embedding"].isel(member=2, step=0, dim=0).to_numpy().astype(float)
    last = record["embedding"].isel(member=2, step=-1, dim=0).to_numpy().astype(float)
    overlap = np.corrcoef(first, last)[0, 1]
    assert float(score["error_constant"][2, -1]) == pytest.approx(1 - overlap**2, rel=1e-5)
    np.testing.assert_allclose(score["skill"], 1 - score["error"].mean("step") / score["error_constant"].mean("step"))
    assert score.attrs["rate"] > 0


def test_simulate_counts_time_in_steps_times_learning_rate():
    record = planted(5.0, noise=0)
    fit = EffectiveLoss().fit(record)
    member = record.isel(member=3)
    path = fit.simulate(
        member["embedding"].to_numpy()[0],
        STEPS * float(member["eta_repr"]),
        in_train=member["in_train"].to_numpy(),
    )
    np.testing.assert_allclose(path, member["embedding"], atol=1e-3)
    with pytest.raises(ValueError, match="in_train"):
        fit.simulate(path[0], np.array([0.0]))
    with pytest.raises(ValueError, match="not all 0"):
        fit.simulate(0 * path[0], np.array([0.0]), member["in_train"].to_numpy())


def test_timescale_is_that_of_the_slowest_decay():
    theory = EffectiveLoss(LinearizedFlow(), AllParallelograms())
    fit = theory.fit(planted(2.0, theory))
    values, vectors = np.linalg.eigh(A.T @ A)
    x0 = vectors[:, 2:3] / 2
    scale = fit.timescale(x0)
    assert scale == pytest.approx(1 / (fit.rate * 2 * values[2] / 0.25))
    np.testing.assert_allclose(fit.simulate(x0, np.array([scale]))[0], x0 / np.e, atol=1e-10)


def test_timescale_is_infinite_if_no_line_is_determined():
    record = planted(1.0)
    few = np.arange(len(LEFT)) < 3
    assert EffectiveLoss().fit(record).timescale(np.ones((P, 1)), few) == float("inf")


def test_members_count_up_to_their_last_finite_snapshot():
    clean = planted(1.0, members=8)
    broken = clean.copy(deep=True)
    broken["embedding"][0, 7:] = np.nan  # stopped early
    broken["embedding"][1, 9, 4] = np.inf  # diverged, and what follows is not to be trusted
    broken["embedding"][2, 1:] = np.nan  # one snapshot: nothing to learn from
    broken["embedding"][3, :] = np.nan  # none
    fit = EffectiveLoss().fit(broken)
    assert fit.rate == pytest.approx(1, rel=0.02)
    score = fit.score(broken)
    finite = np.isfinite(score["error"].to_numpy()).sum(axis=1)
    assert finite.tolist() == [7, 9, 1, 0] + [len(STEPS)] * 4
    assert np.isfinite(score["skill"]).to_numpy().tolist() == [True, True, False, False] + [True] * 4
    cut = fit.score(clean.isel(step=slice(7)))
    np.testing.assert_allclose(score["error"][0, :7], cut["error"][0], atol=1e-12)
    assert float(score["skill"][0]) == pytest.approx(float(cut["skill"][0]))


def test_a_member_that_stands_still_has_no_skill_and_a_collapsed_one_is_all_error():
    record = planted(1.0)
    record["embedding"][0] = record["embedding"][0, 0]
    record["embedding"][1, 1:] = 0
    record["embedding"][2] = 0
    score = EffectiveLoss().fit(planted(1.0)).score(record)
    assert np.isnan(score["skill"][0])
    assert (score["error"][1, 1:] == 1).all()
    assert (score["error"][2] == 1).all()


def test_noise_is_not_identified():
    record = planted(1.0, members=3)
    rng = np.random.default_rng(0)
    embedding = record["embedding"]
    still = embedding.to_numpy()[:, :1] + 1e-4 * rng.normal(size=embedding.shape)
    assert not EffectiveLoss().fit(record.assign(embedding=(embedding.dims, still))).identified


def test_order_of_dimensions_and_first_step_do_not_matter():
    record = planted(1.0)
    moved = record.transpose("dim", "token", "step", "pair", "member").assign_coords(step=STEPS + 300)
    assert EffectiveLoss().fit(moved).rate == pytest.approx(EffectiveLoss().fit(record).rate, rel=1e-4)


def test_one_learning_rate_for_all_may_be_a_scalar():
    record = planted(1.0).isel(member=[0])
    scalar = record.drop_vars("eta_repr").assign_coords(eta_repr=float(record["eta_repr"][0]))
    assert EffectiveLoss().fit(scalar).rate == pytest.approx(EffectiveLoss().fit(record).rate, rel=1e-4)


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("embedding", "probe"),
        ("step", "coordinate"),
        ("eta_repr", "hyperparameter"),
        ("left", "task"),
        ("right", "task"),
        ("label", "task"),
        ("in_train", "split"),
    ],
)
def test_a_missing_variable_is_named_with_its_provider(name, provider):
    record = planted(1.0, members=2)
    fit = EffectiveLoss().fit(record)
    for use in (EffectiveLoss().fit, fit.score):
        with pytest.raises(ValueError, match=f"'{name}'.*{provider}"):
            use(record.drop_vars(name))


def test_all_parallelograms_need_no_training_set():
    theory = EffectiveLoss(quads=AllParallelograms())
    record = planted(1.0, theory)
    assert theory.fit(record.drop_vars("in_train")).rate == pytest.approx(theory.fit(record).rate)


def test_a_record_that_cannot_give_a_rate_says_so():
    record = planted(1.0, members=2)
    with pytest.raises(ValueError, match="two finite snapshots"):
        EffectiveLoss().fit(record.isel(step=[0]))
    with pytest.raises(ValueError, match="cannot find a rate"):
        EffectiveLoss().fit(record.assign(in_train=record["in_train"] & False))
