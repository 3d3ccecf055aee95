"""JoMA: exact statements in double precision, a tiny fleet, and every claim and figure on both."""

import numpy as np
import pytest
from PIL import Image

from nucleate.claims import Evidence, Verdict
from nucleate.fleet import train
from nucleate.papers import Budget
from nucleate.papers.attention import PAPER
from nucleate.papers.attention.experiments.joint import (
    EXPERIMENTS,
    JOINT,
    JOINT_LONG,
    JOINT_MAP,
    JOINT_RELU,
    JOINT_UNITS,
    Effort,
    JointFleet,
    UnitFleet,
)
from nucleate.papers.attention.figures.joint import FIGURES
from nucleate.papers.attention.ledger.joint import CLAIMS
from nucleate.papers.attention.readings import joint as readings
from nucleate.papers.attention.readings import joint_flows as flows
from nucleate.plots import style

BY_ID = {claim.id: claim for claim in CLAIMS}


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    small = {"distinct": 3, "common": 3, "classes": 4, "dim": 8, "steps": 40, "look": 20}
    fleets = {
        JOINT: JointFleet(eta=(0.1, 1.0), init=(0.01, 0.1), seeds=2, **small),
        JOINT_UNITS: UnitFleet(batch=64, seeds=8, steps=40, look=20),
    }
    folder = tmp_path_factory.mktemp("joint")
    runs = {name: train(fleet.plan(name), folder / str(i)) for i, (name, fleet) in enumerate(fleets.items())}
    effort = Effort(networks=6, duration=2.0, flows=8, samples=2000, units=6)
    return Evidence(runs | dict.fromkeys((JOINT_LONG, JOINT_MAP, JOINT_RELU), runs[JOINT]), effort)


def test_invariants_drift_to_first_order_in_the_step(tiny):
    seen = tiny.once(flows.drifts)
    for drift in (seen.linear, seen.exp, seen.queries):
        tenfold = drift[:, :-1, -1] / drift[:, 1:, -1]
        assert np.all((tenfold > 7) & (tenfold < 14)), tenfold
        assert drift[:, -1, -1].max() < 1e-3
    assert seen.alone[:, -1, -1].min() > 0.05  # one query of two


def test_the_recorded_numbers_are_those_of_the_network(tiny):
    record = tiny.record(JOINT)
    values = record["values"].values[0, -1]
    s = np.linalg.svd(values, compute_uv=False)
    np.testing.assert_allclose(record.stable_rank.values[0, -1], (s**2).sum() / s[0] ** 2, rtol=1e-3)
    np.testing.assert_allclose(record.mean_attention.values.sum(-1), 1, rtol=1e-4)
    assert np.all(record.entropy.values <= np.log(6) + 1e-5)
    seen = tiny.once(readings.estimates)
    np.testing.assert_allclose(seen.cosine[:, 0], 1, atol=1e-6)


def test_trained_units_follow_theorem_3_better_than_nothing(tiny):
    seen = tiny.once(readings.followed)
    assert np.median(seen.error) < np.median(seen.constant)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_every_claim_can_be_judged(claim, tiny):
    row = claim.judge(tiny)
    assert row.verdict in list(Verdict)
    assert "nan" not in row.note


@pytest.mark.parametrize("number", [8, 9, 10])
def test_exact_claims_hold(number, tiny):
    for check in BY_ID[f"attention/{number}"].judge(tiny).checks:
        assert check.verdict != Verdict.CONTRADICTED, check


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.__name__)
def test_every_figure_is_drawn(figure, tiny, tmp_path):
    with style():
        picture = figure(tiny, tmp_path)
    with Image.open(picture.path) as image:
        assert len(np.unique(np.asarray(image.convert("RGB")))) > 10
    assert picture.caption.endswith(".")


def test_sizes_of_the_experiments():
    assert EXPERIMENTS[JOINT].paper.seeds >= EXPERIMENTS[JOINT].standard.seeds >= 6
    assert JointFleet().recipe().task.tokens == 20
    assert EXPERIMENTS[JOINT_RELU].standard.recipe().activation(np.float32(-1)) == 0
    with pytest.raises(ValueError, match=r"JointFleet\.dim must be at least 21"):
        JointFleet(dim=20)


def test_the_paper_has_the_effort_that_its_readings_ask_for():
    assert {type(PAPER.effort.at(budget)) for budget in Budget} == {Effort}
