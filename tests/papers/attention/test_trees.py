"""Latent classifiers, small and trained for a moment; what claims and figures make of planted records."""

from dataclasses import replace

import equinox as eqx
import jax
import numpy as np
import plants_attention_trees as plants
import pytest

from nucleate.claims import Evidence, Verdict
from nucleate.fleet import View, train
from nucleate.papers import Budget
from nucleate.papers.attention.experiments.trees import EXPERIMENTS, TREES, TreeFleet
from nucleate.papers.attention.figures import trees as figures
from nucleate.papers.attention.ledger.trees import CLAIMS
from nucleate.papers.attention.readings import trees as readings
from nucleate.record import Outcome

SMALL = TreeFleet(
    classes=(6,), parts=(2,), lower=(5, 6), upper=(6, 8), tokens=20, length=0, dim=8, hidden=12, seeds=1,
    eta=3e-3, steps=40, look=20,
)  # fmt: skip


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    return train(SMALL.plan(TREES), tmp_path_factory.mktemp("trees") / "run").record().load()


def test_what_is_recorded(record):
    assert record.ncorr.shape == (2, 3, 2)
    assert record.entropy.shape == record.stable_rank.shape == (2, 3, 3)
    assert record.cosine.shape == (2, 3, 4)
    assert np.isfinite(record.ncorr).all()
    assert np.all((record.cosine >= 0) & (record.cosine <= 1))
    assert np.all(record.loss[:, -1] < record.loss[:, 0])
    assert np.all(record.entropy <= np.log(9))
    assert np.all((record.best_accuracy > 0.5) & (record.best_accuracy <= 1))


def test_ncorr_is_that_of_numpy():
    """Hidden units of the block of a level, at their highest over places, with its latents."""
    recipe, row = SMALL.recipe(), SMALL.members().row(0)
    data = recipe.data(row)
    (probe,) = (probe for probe in recipe.probes if probe.name == "ncorr")

    @eqx.filter_jit
    def seen(key, data):
        model = recipe.model(row, key)
        view = View(model, None, None, None, None, None, data)
        return probe.look(view), model.look(data["train"]["tokens"]).hidden

    found, hidden = seen(jax.random.key(0), data)
    hidden = np.asarray(hidden).max(2)
    for level, latents in enumerate(data["latents"].values()):
        varies = np.ptp(latents, axis=0) > 0
        units = hidden[:, level][:, np.ptp(hidden[:, level], axis=0) > 0]
        best = np.corrcoef(latents[:, varies].T, units.T)[: varies.sum(), varies.sum() :].max(1)
        assert float(found[level]) == pytest.approx(best.mean(), abs=1e-4)


def test_networks_share_nothing():
    members = EXPERIMENTS[TREES].at(Budget.STANDARD).members()
    assert len(set(members["seed"])) == len(set(members["seed_tree"])) == members.count == 36
    columns = (members[name].tolist() for name in ("classes", "parts", "lower", "upper"))
    assert set(zip(*columns, strict=True)) == set(readings.TALK)


def test_sizes_that_cannot_be_drawn_are_refused():
    with pytest.raises(ValueError, match=r"TreeFleet\.upper must have as many values"):
        TreeFleet(upper=(20,))
    with pytest.raises(ValueError, match=r"LatentHierarchy\.length must hold the 27 tokens"):
        TreeFleet(length=20)


def test_theorem_5_holds_and_needs_no_run():
    (claim, _) = CLAIMS
    row = claim.judge(Evidence({}, None))
    assert row.verdict == Verdict.REPLICATED
    assert "off by up to 0.50" in row.note


def test_a_shorter_run_is_too_early():
    evidence = Evidence({TREES: plants.run(0.0, -0.3, budget=Budget.QUICK)}, None)
    assert {check.reason for check in CLAIMS[1].judge(evidence).checks} == {"too early"}


def test_only_networks_as_wide_as_the_talks_are_held_to_its_table():
    """At paper size a table that is missed contradicts the claim; narrower networks are asked for their gain alone."""
    narrow = CLAIMS[1].judge(plants.matched(-0.5, -0.3))
    assert narrow.verdict == Verdict.REPLICATED
    assert "not held to it" in narrow.note
    wide = CLAIMS[1].judge(Evidence({TREES: plants.run(-0.5, -0.3, budget=Budget.PAPER)}, None))
    assert wide.verdict == Verdict.CONTRADICTED
    assert len(wide.checks) == len(CLAIMS[1].checks) == len(narrow.checks) + 2


def test_figures_of_planted_and_of_empty_records(tmp_path):
    evidence = plants.matched(-0.2, 0.0)
    for figure in figures.FIGURES:
        assert figure(evidence, tmp_path).path.exists()
    run = plants.run(0.0, 0.0)
    nobody = replace(run, dataset=run.dataset.assign(outcome=("member", np.full(36, Outcome.DIVERGED))))
    assert figures.table_1(Evidence({TREES: nobody}, None), tmp_path) is None
