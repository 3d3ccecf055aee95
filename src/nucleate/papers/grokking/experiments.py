"""The fleets behind the paper's figures, as typed configs."""

import dataclasses
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from nucleate.fleet import Members, Plan, grid
from nucleate.observables import ideal_test_accuracy
from nucleate.papers.grokking.toy import Classification, Regression, ToyAddition
from nucleate.papers.paper import Experiment

# A split whose ideal test accuracy is lower can never be told apart from memorization (Table 1 asks for 90 %).
FEASIBLE = 0.9


@final
@dataclass(frozen=True)
class ToyFleet(Experiment):
    """Toy addition networks Dec(E_a + E_b), one for every combination of the listed values."""

    p: int = 10
    """How many symbols are added."""
    readout: Literal["regression", "classification"] = "regression"
    """Regression to random templates, or cross-entropy over the sums."""
    train_size: tuple[int, ...] = (45,)
    """Training pairs, of p(p+1)/2."""
    seeds: int = 3
    """Networks for each combination. Every network of the fleet has a split, templates and init of its own."""
    eta_repr: tuple[float, ...] = (1e-3,)
    """Learning rates of the embedding."""
    eta_dec: tuple[float, ...] = (1e-4,)
    """Learning rates of the decoder."""
    paired: bool = False
    """Use the first eta_repr with the first eta_dec and so on, instead of every combination."""
    wd_dec: tuple[float, ...] = (0.0,)
    """Weight decays of the decoder."""
    wd_repr: float = 0.0
    """Weight decay of the embedding."""
    init_scale: float = 1.0
    """Embeddings start uniform in ±init_scale/2."""
    batch: int = 0
    """Minibatch size; 0 trains on the full batch."""
    width: int = 200
    """Units in each of the decoder's two hidden layers."""
    steps: int = 5000
    """Optimiser steps."""
    look: int = 10
    """Record every so many steps."""
    stop: tuple[Literal["train90", "valid90", "rqi95"], ...] = ()
    """Stop a network once all of these thresholds are crossed."""
    feasible: bool = False
    """Use only splits from which an ideal network could reach 90 % validation accuracy."""
    training_set: tuple[tuple[int, int], ...] = ()
    """These pairs, instead of random splits."""
    block: int | None = None
    """Networks advanced together by one core; measured if left out."""

    def __post_init__(self):
        for name in ("train_size", "eta_repr", "eta_dec", "wd_dec"):
            if not getattr(self, name):
                raise ValueError(f"ToyFleet.{name} needs at least one value; got none.")
        for name in ("eta_repr", "eta_dec"):
            for value in getattr(self, name):
                if not value > 0:
                    raise ValueError(f"ToyFleet.{name} must be > 0; got {value}.")
        for value in (*self.wd_dec, self.wd_repr):
            if not value >= 0:
                raise ValueError(f"ToyFleet.wd_dec and wd_repr must be >= 0; got {value}.")
        for name in ("seeds", "steps", "look", "width"):
            if getattr(self, name) < 1:
                raise ValueError(f"ToyFleet.{name} must be >= 1; got {getattr(self, name)}.")
        if self.paired and len(self.eta_repr) != len(self.eta_dec):
            raise ValueError(
                f"ToyFleet.paired needs as many eta_repr as eta_dec; got {len(self.eta_repr)} and {len(self.eta_dec)}."
            )
        if any(not 0 <= number < self.p for pair in self.training_set for number in pair):
            raise ValueError(f"ToyFleet.training_set must pair numbers below p={self.p}; got {self.training_set}.")
        if len({tuple(sorted(pair)) for pair in self.training_set}) < len(self.training_set):
            raise ValueError(f"ToyFleet.training_set lists a pair twice; got {self.training_set}.")
        if self.batch < 0:
            raise ValueError(f"ToyFleet.batch must be >= 0; got {self.batch}.")
        if not self.init_scale > 0:
            raise ValueError(f"ToyFleet.init_scale must be > 0; got {self.init_scale}.")
        pairs = len(self.recipe().task.pairs)
        for size in self.train_size:
            if not 1 <= size <= pairs:
                raise ValueError(f"ToyFleet.train_size must be between 1 and {pairs} for p={self.p}; got {size}.")
        if self.feasible and pairs in self.train_size:
            raise ValueError("ToyFleet.feasible needs validation pairs; train_size leaves none.")

    def recipe(self) -> ToyAddition:
        return ToyAddition(
            p=self.p,
            width=self.width,
            readout=Regression() if self.readout == "regression" else Classification(),
            batch=self.batch,
            look=self.look,
            stop=self.stop,
            training_set=self.training_set,
        )

    def plan(self, name: str) -> Plan:
        members = grid(
            train_size=[len(self.training_set)] if self.training_set else self.train_size,
            eta_repr=self.eta_repr,
            eta_dec=self.eta_dec,
            wd_dec=self.wd_dec,
            wd_repr=self.wd_repr,
            init_scale=self.init_scale,
            seed=range(self.seeds),
        )
        if self.paired:
            pairs = set(zip(self.eta_repr, self.eta_dec, strict=True))
            rates = zip(members["eta_repr"].tolist(), members["eta_dec"].tolist(), strict=True)
            members = members.only([i for i, rate in enumerate(rates) if rate in pairs])
        # No two networks share an init or a split: each is an independent unit, as the intervals of claims assume.
        members = members.with_columns(
            repeat=members["seed"], seed=np.arange(members.count), seed_split=self._split_seeds(members)
        )
        about = {"experiment": name, "config": dataclasses.asdict(self)}
        return Plan(self.recipe(), members, self.steps, self.block, about)

    def _split_seeds(self, members: Members) -> np.ndarray:
        """A seed of its own for the split of every member, skipping infeasible splits where asked to."""
        if not self.feasible:
            return np.arange(members.count)
        seeds = np.empty(members.count, int)
        first = 0
        for size in np.unique(members["train_size"]).tolist():
            wanted = np.flatnonzero(members["train_size"] == size)
            found: list[int] = []
            while len(found) < len(wanted):
                batch = range(first, first + 2 * len(wanted))
                found += self._feasible(batch, size)
                first = batch.stop
                if first > 100 * members.count and not found:
                    raise ValueError(f"ToyFleet.feasible: no feasible split of {size} pairs; use a larger train_size.")
            seeds[wanted] = found[: len(wanted)]
        return seeds

    def _feasible(self, seeds: range, size: int) -> list[int]:
        recipe = self.recipe()
        in_train = np.stack([recipe.split({"seed_split": seed, "train_size": size}).in_train for seed in seeds])
        ideal = np.asarray(ideal_test_accuracy(recipe.structure.equations, recipe.structure.quads, in_train), float)
        return [seed for seed, reachable in zip(seeds, ideal >= FEASIBLE, strict=True) if reachable]
