"""The fleets behind the paper's figures, as typed configs."""

import dataclasses
from dataclasses import dataclass
from typing import final

import numpy as np

from nucleate.fleet import Plan, grid
from nucleate.papers.paper import Experiment
from nucleate.papers.repons.recipe import ReponNetwork


@final
@dataclass(frozen=True)
class ReponFleet(Experiment):
    """Addition networks Dec(E_a + E_b), one for every combination of the listed values.

    The paper gives no architecture and no hyperparameters. These were chosen after a pilot that looked at several: they
    give a mix of canonical and other configurations in d = 1, as the paper has it.
    """

    p: int = 10
    """Numbers to add: 0 to p − 1."""
    dim: tuple[int, ...] = (1,)
    """Embedding dimensions."""
    width: tuple[int, ...] = (200,)
    """Units in the hidden layer."""
    wd: tuple[float, ...] = (0.0,)
    """L2 penalties on all parameters."""
    init_scale: tuple[float, ...] = (1.0,)
    """Standard deviations of the initial embedding."""
    embeddings: int = 100
    """Initial embeddings for each combination."""
    decoders: int = 1
    """Networks that share an initial embedding, each with a decoder of its own."""
    train_size: int | None = None
    """Pairs that are trained on; all if left out."""
    eta: float = 0.1
    """Learning rate of gradient descent."""
    steps: int = 1500
    """Optimiser steps."""
    look: int = 10
    """Record positions and gradients every so many steps."""
    first_seed: int = 0
    """Seeds count from here, so that fleets compared with each other do not share networks."""
    block: int | None = None
    """Networks advanced together by one core; measured if left out."""

    def __post_init__(self):
        for name, low in (("dim", 1), ("width", 1), ("wd", 0), ("init_scale", 0)):
            if not getattr(self, name):
                raise ValueError(f"ReponFleet.{name} needs at least one value; got none.")
            for value in getattr(self, name):
                if not value >= low:
                    raise ValueError(f"ReponFleet.{name} must be >= {low}; got {value}.")
        for name, low in (("p", 3), ("embeddings", 1), ("decoders", 1), ("steps", 1), ("look", 1), ("first_seed", 0)):
            if getattr(self, name) < low:
                raise ValueError(f"ReponFleet.{name} must be >= {low}; got {getattr(self, name)}.")
        if not self.eta > 0:
            raise ValueError(f"ReponFleet.eta must be > 0; got {self.eta}.")
        if self.train_size is not None and not 1 <= self.train_size <= self.pairs:
            raise ValueError(
                f"ReponFleet.train_size must be between 1 and {self.pairs} for p={self.p}; got {self.train_size}."
            )

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return self.p * (self.p + 1) // 2

    def plan(self, name: str) -> Plan:
        members = grid(
            dim=self.dim,
            width=self.width,
            wd=self.wd,
            init_scale=self.init_scale,
            repeat=range(self.embeddings),
            trial=range(self.decoders),
            seed=0,
        )
        number = np.arange(members.count)
        members = members.with_columns(
            eta=np.full(members.count, self.eta),
            train_size=np.full(members.count, self.train_size or self.pairs),
            seed=self.first_seed + number,
            seed_split=self.first_seed + number,
            seed_embedding=self.first_seed + number // self.decoders,
        )
        about = {"experiment": name, "config": dataclasses.asdict(self)}
        recipe = ReponNetwork(self.p, self.look, validate=(self.train_size or self.pairs) < self.pairs)
        return Plan(recipe, members, self.steps, self.block, about)
