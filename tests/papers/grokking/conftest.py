"""Real, if tiny, fleets: every claim and every figure can read what the recipe records."""

import pickle

import numpy as np
import pytest
from filelock import FileLock
from plants_transformer import called_generalised

from nucleate.claims import Evidence
from nucleate.fleet import train
from nucleate.papers.grokking import PAPER
from nucleate.papers.grokking.experiments import (
    FOUR_SYMBOLS,
    LOTTERY,
    Effort,
    GroupFleet,
    ToyFleet,
    TransformerFleet,
    transformer,
)
from nucleate.papers.grokking.experiments.images import ImageFleet
from nucleate.papers.grokking.readings.images import Collapse, collapse

FEW = Effort(training_sets=50, embeddings=50, decoders=50, representations=50)


@pytest.fixture(scope="session")
def noise_file(common) -> str:
    """Images of noise in an .npz file."""
    rng = np.random.default_rng(0)
    path = common / "noise.npz"
    with FileLock(common / "noise.lock"):
        if not path.exists():
            np.savez(path, images=rng.integers(0, 256, (200, 5, 5), np.uint8), labels=rng.integers(0, 10, 200))
    return str(path)


@pytest.fixture(scope="session")
def tiny_runs(common, noise_file):
    """Ten symbols by regression, also in small batches, four by classification, a group,
    images of noise, and five symbols by transformers."""
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
        "digits": ImageFleet(
            digits=noise_file,
            train_size=(33, 40, 48),  # of as many slots, so that they share a program
            held_out=50,
            seeds=1,
            eta_last=(1e-3, 1e-2),
            decay=(0.01, 1.0),
            batch=20,
            width=8,
            steps=40,
            look=20,
        ),
        "transformer": TransformerFleet(
            p=5,
            dim=8,
            hidden=8,
            blocks=1,
            seeds=1,
            eta_dec=(1e-3, 1e-2),
            wd_dec=(0.1, 1.0),
            dropout=(0.0, 0.2),
            steps=40,
            look=20,
            look_embedding=20,
            weights=4,
        ),
    }
    fleets["batches"] = ToyFleet(eta_dec=(1e-4, 1e-2), batch=(5, 0), **small | {"eta_repr": (1e-3,)})
    fleets["group"] = GroupFleet(
        train_fraction=(0.5, 0.7), eta_dec=(1e-3, 1e-2), wd_dec=(0.0, 10.0), **small | {"eta_repr": (1e-3,)}
    )
    with FileLock(common / "tiny.lock"):
        return {name: train(fleet.plan(name), common / "tiny" / name) for name, fleet in fleets.items()}


@pytest.fixture(scope="session")
def collapsed(common) -> Collapse:
    """The experiment of Appendix I, which trains no network."""
    path = common / "collapsed.pickle"
    with FileLock(common / "collapsed.lock"):
        if not path.exists():
            path.write_bytes(pickle.dumps(collapse(Evidence({}, None))))
        return pickle.loads(path.read_bytes())


@pytest.fixture(scope="session")
def tiny(tiny_runs, collapsed):
    """Evidence for the whole paper: one of the runs for each experiment."""

    words = {"groups": "group", "batch": "batches", "/digits": "digits"}

    def run_of(name: str):
        if name == LOTTERY:
            return called_generalised(tiny_runs["transformer"])
        if name in transformer.EXPERIMENTS:
            return tiny_runs["transformer"]
        if name == FOUR_SYMBOLS:
            return tiny_runs["four"]
        return tiny_runs[next((kind for word, kind in words.items() if word in name), "ten")]

    return Evidence({name: run_of(name) for name in PAPER.experiments}, FEW, known={collapse: collapsed})
