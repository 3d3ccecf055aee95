"""Your own paper: an experiment at three sizes, two claims, a figure, and a verdict on each claim.

Run it: python examples/own_paper.py
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, final

import jax
import jax.numpy as jnp
import numpy as np
import optax

from nucleate.checking import Above, AtLeast, Seed
from nucleate.claims import Check, Claim, Evidence, Findings, Region, Steps, Threshold, bootstrap, share, summary
from nucleate.fleet import Every, Members, Probe, Recipe, grid
from nucleate.models import MLP
from nucleate.papers import Budget, Experiment, Paper, Sizes, replicate, write_replication_report
from nucleate.plots import Picture, loss_curves, panels, save
from nucleate.record import at_the_end

# --- recipe.py: ONE network ----------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class Parity(Recipe):
    """An MLP that learns the parity of the first `secret` of `bits` bits. Columns: `seed`, `eta`."""

    bits: int
    secret: int

    def data(self, member):
        x = np.random.default_rng(member["seed"]).choice([-1.0, 1.0], (512, self.bits)).astype(np.float32)
        return {"train": {"x": x, "y": x[:, : self.secret].prod(1)}}

    def model(self, member, key):
        return MLP((self.bits, 32, 1), key=key)

    def optimizer(self, member):
        return optax.adam(member["eta"])

    def loss(self, model, batch, key):
        answer = jax.vmap(model)(batch["x"])[:, 0]
        return jnp.mean((answer - batch["y"]) ** 2), answer

    @property
    def probes(self):
        right = lambda view: jnp.mean(jnp.sign(view.outputs) == view.batch["y"])
        return (Probe("loss", lambda view: view.loss, Every(20)), Probe("accuracy", right, Every(20)))


# --- experiments.py: a config, and one row per experiment ------------------------------------------------------------


@final
@dataclass(frozen=True)
class ParityFleet(Experiment):
    """Parity networks, one for each seed and learning rate."""

    bits: Annotated[int, AtLeast(2)] = 6
    """Bits of an input."""
    secret: Annotated[int, AtLeast(1)] = 2
    """Bits whose parity is to be learned."""
    eta: Annotated[tuple[float, ...], Above(0)] = (0.01,)
    """Learning rates of Adam."""
    seeds: Annotated[int, AtLeast(1)] = 24
    """Networks per learning rate."""
    first_seed: Seed = 0
    """Seeds count from here."""
    steps: Annotated[int, AtLeast(1)] = 400
    """Optimiser steps."""
    block: int | None = 1

    def check(self) -> None:
        if self.secret > self.bits:
            self.refuse("secret", f"must be <= bits = {self.bits}; got {self.secret}")

    def recipe(self) -> Parity:
        return Parity(self.bits, self.secret)

    def members(self) -> Members:
        return grid(eta=self.eta, seed=range(self.first_seed, self.first_seed + self.seeds))


EASY = "parity/easy"
EXPERIMENTS = {EASY: Sizes.of(ParityFleet(), quick={"seeds": 12})}

# --- ledger/: claims; each check states its rule before anything is trained -------------------------------------------

LEARNED = Check("share of networks that learn", "all", Region.at_least(0.5), mature=Steps(200, EASY))
FALL = Check("loss at the end over loss at the start", "at most 0.1", Region.below(0.1), Threshold.PAPER)


def _learned(evidence: Evidence) -> Findings:
    accuracy = at_the_end(evidence.record(EASY), "accuracy")
    return Findings(
        {LEARNED: share(int((accuracy == 1).sum()), len(accuracy))}, f"{len(accuracy)} networks, each on its own data."
    )


def _fall(evidence: Evidence) -> Findings:
    record = evidence.record(EASY)
    return Findings({FALL: bootstrap(np.median, at_the_end(record, "loss") / record.loss.values[:, 0])})


CLAIMS = (
    Claim(
        "parity/1", "Sec. 1", "Small parities are learned.", (LEARNED,), _learned, (EASY,), quote="All networks learn."
    ),
    Claim("parity/2", "Sec. 1", "The loss falls tenfold.", (FALL,), _fall, (EASY,)),
)

# --- figures/: from evidence to pictures ------------------------------------------------------------------------------


def figure_1(evidence: Evidence, folder: Path) -> Picture:
    record = evidence.record(EASY)
    figure, (ax,) = panels(1, 1)
    loss_curves(ax, record.step.values, {"parity of two bits": record.loss.values})
    return Picture(save(figure, folder / "figure_1.png"), "Fig. 1: the loss falls", "Median and quartiles.")


PAPER = Paper("parity", "Parity", "Our own (2026)", CLAIMS, EXPERIMENTS, figures=(figure_1,))


def main(folder: Path) -> None:
    """Train, measure, judge, draw, report."""
    replication = replicate(PAPER, Budget.QUICK, folder)
    write_replication_report(replication)
    for row in replication.rows():
        print(f"{row.claim} {row.verdict}: {row.expected}; measured {row.decisive.found}")
    print(summary(replication.rows()))


def test_both_claims_are_decided_and_the_page_is_written(tmp_path, capsys):
    main(tmp_path / "parity")
    assert capsys.readouterr().out.splitlines()[-1] == "2 replicated, 0 contradicted, 0 inconclusive"
    assert "Fig. 1: the loss falls" in (tmp_path / "parity" / "report.html").read_text()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(temporary) / "parity")
