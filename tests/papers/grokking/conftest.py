"""Real, if tiny, fleets: every claim and every figure can read what the recipe records."""

import pytest

from nucleate.claims import Evidence
from nucleate.fleet import train
from nucleate.papers.grokking import PAPER
from nucleate.papers.grokking.experiments import FOUR_SYMBOLS, Effort, ToyFleet

FEW = Effort(training_sets=50, embeddings=50, decoders=50, representations=50)


@pytest.fixture(scope="session")
def tiny_runs(tmp_path_factory):
    """Ten symbols by regression, four by classification."""
    small = {"seeds": 1, "width": 8, "steps": 40, "look": 20, "block": 1, "eta_repr": (1e-2, 1e-3)}
    fleets = {
        "ten": ToyFleet(eta_dec=(1e-3, 1e-2), wd_dec=(0.0, 10.0), **small),
        "four": ToyFleet(
            p=4,
            readout="classification",
            train_size=(2,),
            training_set=((0, 2), (1, 1)),
            eta_dec=(1e-3, 1e-2),
            paired=True,
            **small,
        ),
    }
    folder = tmp_path_factory.mktemp("tiny")
    return {name: train(fleet.plan(name), folder / name) for name, fleet in fleets.items()}


@pytest.fixture(scope="session")
def tiny(tiny_runs):
    """Evidence for the whole paper: one of the runs for each experiment."""
    return Evidence({name: tiny_runs["four" if name == FOUR_SYMBOLS else "ten"] for name in PAPER.experiments}, FEW)
