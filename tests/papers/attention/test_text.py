"""Readers of text, small and trained for a moment; what claims and figures make of planted records."""

from dataclasses import replace

import numpy as np
import plants_attention_text as plants
import pytest

from nucleate.claims import Evidence
from nucleate.fleet import train
from nucleate.papers import Budget
from nucleate.papers.attention.experiments.text import ADAM, EXPERIMENTS, SGD, ReaderFleet
from nucleate.papers.attention.experiments.trees import TREES
from nucleate.papers.attention.figures import text as figures
from nucleate.papers.attention.ledger.text import CLAIMS
from nucleate.papers.attention.readings import text as readings


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """Of a fleet with one block and with two, the network with one."""
    folder = tmp_path_factory.mktemp("text")
    (folder / "text.txt").write_bytes(b"the cat sat on the mat, and the dog sat on the log. " * 40)
    fleet = ReaderFleet(
        text=str(folder / "text.txt"), descent="sgd", eta=0.5, blocks=(1, 2), dim=8, hidden=8, dropout=0.1, context=12,
        batch=4, seeds=1, steps=30, look=10, maps=4,
    )  # fmt: skip
    plan = fleet.plan(SGD)
    assert plan.members["blocks"].tolist() == [1, 2]
    return train(replace(plan, members=plan.members.only([0])), folder / "run").record().load()


def test_what_is_recorded(record):
    assert record.entropy.shape == (1, 4, 2)
    assert record.cosine.shape == (1, 4, 3)
    assert record.attention.shape[2:] == (12, 12)
    for name, there in (("entropy", 1), ("cosine", 2), ("stable_rank", 1)):  # the last is of the block that it lacks
        assert np.isfinite(record[name].values[..., :there]).all()
        assert np.isnan(record[name].values[..., there:]).all()
    assert np.all(record.valid_loss[:, -1] < record.valid_loss[:, 0])
    np.testing.assert_allclose(record.attention.sum("key"), 1, atol=1e-5)
    assert bytes(record.window.values.astype(np.uint8)).isascii()


def test_a_text_that_is_too_short_is_refused_before_training(tmp_path):
    (tmp_path / "short.txt").write_text("too short")
    with pytest.raises(ValueError, match=r"TextTask\.text must be longer than context = 35 in both parts"):
        ReaderFleet(text=str(tmp_path / "short.txt"))
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(ValueError, match="is empty"):
        ReaderFleet(text=str(tmp_path / "empty.txt"))


def test_a_planted_dip_and_its_bounce_are_found():
    found = readings.dips(plants.run(ADAM, (2.5, 1.5, 2.0)).dataset)
    np.testing.assert_allclose(found.depth, np.exp(-1), rtol=0.1)
    np.testing.assert_allclose(found.bounce, 0.5, atol=0.06)
    steps = EXPERIMENTS[ADAM].standard.steps
    np.testing.assert_allclose(found.step, steps / 3, atol=steps / 10)
    risen = readings.dips(plants.run(ADAM, (2.5, 2.6, 2.7)).dataset)
    assert np.isnan(risen.bounce).all()


def test_noise_is_no_bounce():
    record = plants.run(ADAM, (2.5, 1.5, 1.5)).dataset.copy(deep=True)
    record.entropy.values[:, 15] = 0.2
    assert np.all(readings.dips(record).bounce < 0.05)


def test_shorter_runs_are_too_early():
    runs = {name: plants.run(name, budget=Budget.QUICK) for name in (SGD, ADAM)}
    evidence = Evidence({**runs, TREES: plants.trees.run(0.0, 0.0, budget=Budget.QUICK)}, None)
    for claim in CLAIMS:
        assert {check.reason for check in claim.judge(evidence).checks} <= {"too early"}


def test_networks_that_still_learn_may_bounce_later():
    (claim,) = (claim for claim in CLAIMS if claim.id == "attention/18")
    learning = Evidence({ADAM: plants.run(ADAM, (2.5, 2.2, 1.5), loss=(4.0, 1.5))}, None)
    assert {check.reason for check in claim.judge(learning).checks} == {"too early"}
    assert claim.judge(plants.adam(2.5, 2.2, 1.5)).verdict == "contradicted"


def test_layers_are_judged_in_networks_as_wide_as_the_talks():
    (claim,) = (claim for claim in CLAIMS if claim.id == "attention/32")
    assert len(claim.judge(plants.orthogonal(1.2)).checks) == len(claim.checks) - 2
    runs = {name: plants.run(name, budget=Budget.PAPER) for name in (SGD, ADAM)}
    wide = Evidence({**runs, TREES: plants.trees.run(0.0, 0.0, budget=Budget.PAPER)}, None)
    assert len(claim.judge(wide).checks) == len(claim.checks)


def test_figures_of_planted_records(tmp_path):
    runs = {name: plants.run(name) for name in (SGD, ADAM)}
    evidence = Evidence({**runs, TREES: plants.trees.run(0.0, 0.0)}, None)
    for figure in figures.FIGURES:
        assert figure(evidence, tmp_path).path.exists()
