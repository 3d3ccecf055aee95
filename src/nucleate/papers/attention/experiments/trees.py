"""Fleets that tell classes of latents apart: names, config, and one row with its three sizes."""

from dataclasses import dataclass
from typing import Annotated, final

import numpy as np

from nucleate.checking import Above, AtLeast, Seed
from nucleate.fleet import Members, grid
from nucleate.models import TransformerSize
from nucleate.papers.attention.recipe.trees import LEVELS, LatentClassifier
from nucleate.papers.config import Later
from nucleate.papers.paper import Experiment, Sizes
from nucleate.tasks import LatentHierarchy

TREES = "attention/trees"


@final
@dataclass(frozen=True)
class TreeFleet(Experiment):
    """Transformers that tell classes of latents apart, one for every combination of the listed values."""

    classes: Annotated[tuple[int, ...], AtLeast(2)] = (20, 30, 50)
    """Numbers of classes."""
    parts: Annotated[tuple[int, ...], AtLeast(1)] = (2, 3)
    """Children of a latent."""
    lower: Annotated[tuple[int, ...], AtLeast(2)] = (10, 20)
    """Latents of the lower level, N₀."""
    upper: Annotated[tuple[int, ...], AtLeast(2)] = (20, 30)
    """Latents of the upper level, N₁: the first goes with the first N₀, and so on."""
    tokens: Annotated[int, AtLeast(2)] = 100
    """Different tokens, the last of which is padding."""
    length: Annotated[int, AtLeast(0)] = 30
    """Length of a sequence; 0: as long as the longest class can be, and one token of padding."""
    dim: Annotated[int, AtLeast(1)] = 1024
    """Width of the embedding and of the blocks."""
    hidden: Annotated[int, AtLeast(1)] = 400
    """Hidden units of the blocks' MLPs."""
    blocks: Annotated[int, AtLeast(LEVELS)] = 3
    """Encoder blocks."""
    seeds: Annotated[int, AtLeast(1)] = 5
    """Networks per combination. Every network of the fleet has its own hierarchy and init."""
    first_seed: Annotated[Seed, Later] = 0
    """Seeds count from here."""
    eta: Annotated[float, Above(0)] = 1e-4
    """Learning rate."""
    decay: Annotated[float, AtLeast(0)] = 1e-4
    """L2 penalty, inside Adam's gradient."""
    steps: Annotated[int, AtLeast(1)] = 10_000
    """Optimiser steps."""
    look: Annotated[int, AtLeast(1)] = 200
    """Record every N steps."""
    block: int | None = 1
    """Networks advanced together by one core; measured if left out."""

    def check(self) -> None:
        if len(self.lower) != len(self.upper):
            self.refuse("upper", f"must have as many values as lower = {self.lower}; got {self.upper}")
        # Sizes that cannot be drawn are refused here rather than when the first network is made.
        for classes in self.classes:
            for parts in self.parts:
                length = self.length or parts ** (LEVELS + 1) + 1
                for latents in zip(self.lower, self.upper, strict=True):
                    LatentHierarchy(classes, parts, latents, self.tokens, length)

    def recipe(self) -> LatentClassifier:
        return LatentClassifier(
            size=TransformerSize(self.blocks, 1, self.dim, self.hidden),
            tokens=self.tokens,
            length=self.length,
            most=(max(self.lower), max(self.upper)),
            look=self.look,
        )

    def members(self) -> Members:
        members = grid(
            classes=self.classes, parts=self.parts, which=range(len(self.lower)), seed=range(self.seeds), eta=self.eta
        )
        # No two networks share an init or a hierarchy: each is an independent unit, as the intervals of claims assume.
        seed, which = self.first_seed + np.arange(members.count), members["which"]
        return members.with_columns(
            repeat=members["seed"],
            seed=seed,
            seed_tree=seed,
            lower=np.array(self.lower)[which],
            upper=np.array(self.upper)[which],
            decay=np.full(members.count, self.decay),
            dim=np.full(members.count, self.dim),
        )


EXPERIMENTS = {
    TREES: Sizes.of(
        TreeFleet(),
        # A tenth of the steps at ten times the learning rate; padding, of which one place is enough, is left out.
        standard={"dim": 64, "length": 0, "eta": 1e-3, "steps": 1000, "seeds": 3, "look": 50},
        quick={"classes": (20,), "parts": (2,), "seeds": 3, "steps": 400, "look": 40},
    ),
}
