"""One claim, from the fleets that it needs to its verdict."""

import dataclasses
import json

import numpy as np

from nucleate.papers import Budget, Sizes, paper, replicate
from nucleate.papers.circles.experiments import COMPETITION, EXPERIMENTS, STRONGEST

PAPER = paper("circles")


def test_one_claim_trains_what_its_experiments_await(tmp_path):
    tiny = {"p": (11,), "dim": (6,), "embeddings": 2, "width": 8, "steps": 20, "snapshots": 0, "look_ablation": 0}
    sizes = {name: Sizes.of(EXPERIMENTS[name].quick, quick=tiny) for name in (COMPETITION, STRONGEST)}
    claim = next(claim for claim in PAPER.claims if claim.id == "circles/22")
    small = dataclasses.replace(PAPER, experiments=sizes, claims=(claim,))
    replication = replicate(small, Budget.QUICK, tmp_path / "one", claims=(claim,))
    assert [run.path.name for run in replication.runs()] == ["competition", "strongest"]
    kept = replication.runs()[1].about.config["kept"]
    last = replication.runs()[0].record().signal.values[:, -1]
    assert kept == (np.argsort(-last, axis=1)[:, :2] + 1).tolist()
    assert json.loads(replication.scorecard.read_text())[0]["reason"] == "too few"
