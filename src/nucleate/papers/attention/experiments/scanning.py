"""Scan & Snap: names, configs, and one row per experiment with its three sizes."""

import abc
from dataclasses import dataclass
from typing import Annotated, final

import numpy as np

from nucleate.checking import Above, AtLeast, Below, Seed
from nucleate.fleet import Members, grid
from nucleate.papers.attention.recipe.scanning import ENDLESS, Scanning
from nucleate.papers.paper import Experiment, Sizes

TOKENS = "attention/tokens"
RATIOS = "attention/ratios"
LENGTHS = "attention/lengths"
STEP_SIZES = "attention/step-sizes"
ENTROPY = "attention/entropy"


@dataclass(frozen=True)
class TokenFleet(Experiment):
    """One-layer attention on mixtures of tokens: what all fleets of it have in common."""

    lasts: Annotated[tuple[int, ...], AtLeast(1)] = (2,)
    """Numbers of last tokens."""
    nexts: Annotated[int, AtLeast(1)] = 1
    """Next tokens, and so classes, of each last token."""
    length: Annotated[tuple[int, ...], AtLeast(0)] = (128,)
    """Lengths of the sequences; 0: without end, in exact expectation."""
    batch: Annotated[int, AtLeast(1)] = 128
    """Sequences in a batch."""
    momentum: Annotated[tuple[float, ...], AtLeast(0), Below(1)] = (0.0,)
    """Momentum of gradient descent; the theory has none, the authors' code 0.9."""
    seeds: Annotated[int, AtLeast(1)] = 10
    """Networks per combination. Every network of the fleet has its own init and sequences."""
    first_seed: Seed = 0
    """Seeds count from here, so that fleets of the same size do not share networks."""
    steps: Annotated[int, AtLeast(1)] = 2000
    """Optimiser steps."""
    looks: Annotated[int, AtLeast(2)] = 120
    """Record about N times, at log-spaced steps."""
    block: int | None = 4
    """Networks advanced together by one core; measured if left out."""

    def check(self) -> None:
        if 1 in self.length:
            self.refuse("length", f"must leave a token before the last one; got {self.length}")
        if self.nexts == 1 and 1 in self.lasts:
            self.refuse("nexts", "must be 2 or more where there is one last token, for there to be two classes; got 1")

    def recipe(self) -> Scanning:
        recorded = len(set(self.lasts)) == 1  # logits of different shapes do not fit into one record
        return Scanning(self.nexts, self.batch, self.starts_at_random, scores=recorded, looks=self.looks)

    @property
    @abc.abstractmethod
    def starts_at_random(self) -> bool:
        """Whether networks start uniform on ±1/√M rather than at zero."""

    def numbered(self, members: Members) -> Members:
        """The table with a seed of its own for each network, and how often its combination came before."""
        seed = self.first_seed + np.arange(members.count)
        return members.with_columns(repeat=members["seed"], seed=seed)


@final
@dataclass(frozen=True)
class RatioFleet(TokenFleet):
    """Attention from a start at zero, as the theory has it, one for every combination of learning rates and lengths."""

    eta_y: Annotated[tuple[float, ...], Above(0)] = (1.0,)
    """Learning rates of the decoder Y."""
    ratio: Annotated[tuple[float, ...], Above(0)] = (1.0,)
    """η_Z/η_Y: learning rates of attention Z as shares of the decoder's."""

    @property
    def starts_at_random(self) -> bool:
        return False

    def members(self) -> Members:
        members = grid(
            lasts=self.lasts,
            length=self.length,
            momentum=self.momentum,
            eta_y=self.eta_y,
            ratio=self.ratio,
            seed=range(self.seeds),
        )
        return self.numbered(members.with_columns(eta_z=members["eta_y"] * members["ratio"], mult=1 / members["ratio"]))


@final
@dataclass(frozen=True)
class EntropyFleet(TokenFleet):
    """Attention from a random start, one for every combination of η_Z and η_Y/η_Z."""

    eta_z: Annotated[tuple[float, ...], Above(0)] = (0.5, 1.0, 2.0, 3.0)
    """Learning rates of attention Z."""
    mult: Annotated[tuple[float, ...], Above(0)] = (1.0, 2.0, 5.0, 10.0)
    """η_Y/η_Z: the decoder's learning rates as multiples of attention's."""

    @property
    def starts_at_random(self) -> bool:
        return True

    def members(self) -> Members:
        return self.numbered(
            grid(
                lasts=self.lasts,
                length=self.length,
                momentum=self.momentum,
                eta_z=self.eta_z,
                mult=self.mult,
                seed=range(self.seeds),
            )
        )


_RATIOS = (0.01, 0.03, 0.1, 0.3, 1.0)

EXPERIMENTS = {
    # The talk's token dynamics, and the same with the momentum of the authors' code.
    TOKENS: Sizes.of(
        RatioFleet(momentum=(0.0, 0.9), seeds=50, steps=10_000),
        standard={"seeds": 12, "steps": 2000},
        quick={"seeds": 6, "steps": 500},
    ),
    # As near to the theory's assumptions as networks with sequences of their own can be: long sequences, a slow Z.
    RATIOS: Sizes.of(
        RatioFleet(length=(512,), ratio=_RATIOS, seeds=20, first_seed=1000, steps=100_000),
        standard={"seeds": 8, "steps": 10_000},
        quick={"seeds": 6, "steps": 1000, "length": (128,), "ratio": (0.01, 0.1, 1.0)},
    ),
    LENGTHS: Sizes.of(
        RatioFleet(length=(8, 32, 128, 512, ENDLESS), ratio=_RATIOS, seeds=20, first_seed=2000, steps=10_000),
        standard={"seeds": 6, "steps": 2000},
        quick=None,
    ),
    STEP_SIZES: Sizes.of(
        RatioFleet(eta_y=(0.1, 0.3, 1.0, 3.0, 10.0, 30.0), ratio=_RATIOS, seeds=20, first_seed=4000, steps=20_000),
        standard={"ratio": (0.01, 0.1, 1.0), "seeds": 6, "steps": 3000},
        quick=None,
    ),
    # The talk's entropies. It does not say how long networks were trained.
    ENTROPY: Sizes.of(
        EntropyFleet(lasts=(1, 3, 5, 10), nexts=2, seeds=10, first_seed=8000, steps=5000, looks=40),
        standard={"seeds": 8, "steps": 1500},
        quick={"lasts": (3,), "eta_z": (0.5, 3.0), "mult": (1.0, 10.0), "seeds": 6, "steps": 300},
    ),
}
