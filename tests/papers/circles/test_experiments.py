"""The fleets of the circles paper: their members, their starts, and what they refuse."""

import dataclasses

import numpy as np
import pytest
from circle_records import fleet, with_counts

from nucleate.observables import signal
from nucleate.papers import Budget, paper
from nucleate.papers.circles.experiments import EXPERIMENTS, PERTURBED, CircleFleet


def test_trials_share_an_embedding_and_nothing_else():
    members = CircleFleet(embeddings=2, trials=3).plan("trials").members
    assert members["seed_embedding"].tolist() == [0, 0, 0, 1, 1, 1]
    assert len(set(members["seed"].tolist())) == len(set(members["seed_split"].tolist())) == 6


def test_factors_scale_the_same_embedding():
    plan = CircleFleet(start="perturbed", factor=(0.5, 1.0, 2.0), embeddings=2).plan("factors")
    assert len(set(plan.members["seed_embedding"].tolist())) == 2
    rows = [plan.members.row(i) for i in range(plan.members.count) if plan.members["seed_embedding"][i] == 0]
    signals = [np.asarray(signal(plan.recipe.start(row))) for row in rows]
    np.testing.assert_allclose(signals[2][24] / signals[0][24], 4, rtol=1e-4)
    np.testing.assert_allclose(np.delete(signals[2], 24), np.delete(signals[0], 24), rtol=1e-4)


@pytest.mark.parametrize("start", ["lines", "circles"])
def test_constructed_frequencies_have_their_signals(start):
    plan = CircleFleet(start=start, ratio=(0.25,), embeddings=5).plan("constructed")
    for i in range(plan.members.count):
        row = plan.members.row(i)
        found = np.asarray(signal(plan.recipe.start(row)))
        np.testing.assert_allclose(found[[row["first"] - 1, row["second"] - 1]], [80, 20], rtol=1e-3)
        assert np.delete(found, [row["first"] - 1, row["second"] - 1]).max() < 1e-3
        assert row["second"] not in {2 * row["first"] % 59, -2 * row["first"] % 59}
        assert row["first"] not in {2 * row["second"] % 59, -2 * row["second"] % 59}


@pytest.fixture
def source():
    """Two networks with six surviving circles, of different strengths."""
    return fleet(with_counts([6, 6]), wd=0.5)


SEQUEL = CircleFleet(start="kept", source="source", embeddings=2)


def test_kept_frequencies_come_from_the_source(source):
    assert SEQUEL.awaits == "source"
    with pytest.raises(ValueError, match=r"CircleFleet is made from the record of source, which is not there yet"):
        SEQUEL.plan("kept")
    filled = SEQUEL.after(source)
    assert filled.awaits == ""
    plan = filled.plan("kept")
    strongest = np.argsort(-source.signal.values[:, -1], axis=1)[:, :2] + 1
    for i in range(plan.members.count):
        row = plan.members.row(i)
        found = np.flatnonzero(np.asarray(signal(plan.recipe.start(row))) > 1e-3) + 1
        wanted = sorted({row["first"], row["second"]})
        assert found.tolist() == wanted
        if row["variant"] in (0, 1):
            assert wanted == sorted(strongest[row["seed"], : row["variant"] + 1].tolist())
        else:
            assert not set(wanted) & set(strongest[row["seed"]].tolist())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"embeddings": 3}, r"CircleFleet.embeddings must be at most 2, the networks of source; got 3"),
        ({"dim": (64,)}, r"CircleFleet.dim must be that of source, \[128\]; got \[64\]"),
        ({"first_seed": 7}, r"CircleFleet.first_seed must be that of source, 0; got 7"),
    ],
)
def test_a_sequel_must_match_its_source(source, change, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(SEQUEL, **change).after(source)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"p": (2,)}, r"CircleFleet.p must be >= 3; got 2"),
        ({"p": ()}, r"CircleFleet.p needs at least one value"),
        ({"wd": (-0.1,)}, r"CircleFleet.wd must be >= 0; got -0.1"),
        ({"wd": (float("nan"),)}, r"CircleFleet.wd must be >= 0; got nan"),
        ({"dim": (0,)}, r"CircleFleet.dim must be >= 1; got 0"),
        ({"start": "perturbed", "frequency": 30}, r"CircleFleet.frequency must be between 1 and 29 for p=59; got 30"),
        ({"start": "perturbed", "frequency": 0}, r"CircleFleet.frequency must be between 1 and 29 for p=59; got 0"),
        ({"start": "kept", "kept": ((1, 40),)}, r"CircleFleet.kept must be between 1 and 29 for p=59; got 40"),
        ({"start": "kept"}, r"CircleFleet.start kept needs `source` or `kept`"),
        ({"variants": ()}, r"CircleFleet.variants must be one or more of A to D, none of them twice; got \(\)"),
        ({"variants": ("A", "A")}, r"CircleFleet.variants must be one or more of A to D, none of them twice"),
        ({"start": "lines", "p": (7,)}, r"CircleFleet.start lines needs p >= 11"),
        ({"steps": 0}, r"CircleFleet.steps must be >= 1; got 0"),
        ({"snapshots": 1}, r"CircleFleet.snapshots must be 0, or at least 2"),
        ({"eta": 0.0}, r"CircleFleet.eta must be > 0; got 0.0"),
        ({"factor": (-1.0,)}, r"CircleFleet.factor must be >= 0; got -1.0"),
        ({"ratio": ()}, r"CircleFleet.ratio needs at least one value"),
    ],
)
def test_bad_configs_say_what_would_be_right(change, message):
    with pytest.raises(ValueError, match=message):
        CircleFleet(**change)


def test_every_budget_raises_and_lowers_alike():
    for budget in Budget:
        if experiment := EXPERIMENTS[PERTURBED].at(budget):
            assert min(experiment.factor) + max(experiment.factor) == pytest.approx(2)


def test_variants_are_chosen(source):
    both = dataclasses.replace(SEQUEL, variants=("B", "D")).after(source).plan("kept").members
    every = SEQUEL.after(source).plan("kept").members
    assert both["variant"].tolist() == [1, 3, 1, 3]
    for name in ("first", "second", "seed"):
        assert both[name].tolist() == every[name][np.isin(every["variant"], [1, 3])].tolist()


def test_fleets_do_not_share_networks_but_for_the_ablated():
    first = [sizes.paper.first_seed for sizes in EXPERIMENTS.values() if not sizes.paper.source]
    assert len(set(first)) == len(first)
    apart = min(np.diff(sorted(first)))
    assert all(sizes.paper.members().count < apart for sizes in EXPERIMENTS.values() if not sizes.paper.source)


def test_every_experiment_is_needed_by_a_claim():
    assert {need for claim in paper("circles").claims for need in claim.needs} == set(EXPERIMENTS)
