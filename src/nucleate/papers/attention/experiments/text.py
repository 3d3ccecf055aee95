"""Fleets that learn text: names, config, and one row per experiment with its three sizes."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal, final

import numpy as np

from nucleate.checking import Above, AtLeast, Below
from nucleate.fleet import Members, grid
from nucleate.models import TransformerSize
from nucleate.papers.attention.recipe.corpus import text_of
from nucleate.papers.attention.recipe.text import TextReader
from nucleate.papers.paper import Experiment, Sizes
from nucleate.tasks import TextTask

SGD = "attention/text-sgd"
ADAM = "attention/text-adam"


@final
@dataclass(frozen=True)
class ReaderFleet(Experiment):
    """Transformers that learn text byte by byte, one for every number of blocks and seed."""

    text: str = ""
    """A file of text, instead of the reference of Python's language that comes with Python."""
    descent: Literal["sgd", "adam"] = "adam"
    """The optimiser; gradients are clipped to a norm of 0.5."""
    eta: Annotated[float, Above(0)] = 1e-4
    """Learning rate."""
    blocks: Annotated[tuple[int, ...], AtLeast(1)] = (1, 2, 5, 10)
    """Numbers of encoder blocks."""
    dim: Annotated[int, AtLeast(1)] = 200
    """Width of the embedding and of the blocks."""
    hidden: Annotated[int, AtLeast(1)] = 200
    """Hidden units of the blocks' MLPs."""
    heads: Annotated[int, AtLeast(1)] = 1
    """Heads of each block."""
    dropout: Annotated[float, AtLeast(0), Below(1)] = 0.2
    """Dropout rate."""
    context: Annotated[int, AtLeast(2)] = 35
    """Bytes of a window."""
    batch: Annotated[int, AtLeast(1)] = 20
    """Windows per step."""
    seeds: Annotated[int, AtLeast(1)] = 6
    """Networks for each number of blocks. Every network has its own init and windows."""
    first_seed: Annotated[int, AtLeast(0)] = 0
    """Seeds count from here, so that fleets do not share networks."""
    steps: Annotated[int, AtLeast(1)] = 60_000
    """Optimiser steps."""
    look: Annotated[int, AtLeast(1)] = 200
    """Record losses, entropies, cosines and ranks every N steps."""
    maps: Annotated[int, AtLeast(2)] = 40
    """Record attention N times, at log-spaced steps."""
    block: int | None = 1
    """Networks advanced together by one core; measured if left out."""

    def check(self) -> None:
        if self.dim % self.heads:
            self.refuse("heads", f"must divide dim={self.dim}; got {self.heads}")
        TextTask(text_of(self.text), self.context)  # a text that is too short is refused before anything is trained

    def recipe(self) -> TextReader:
        return TextReader(
            text=self.text,
            descent=self.descent,
            size=TransformerSize(1, self.heads, self.dim, self.hidden),
            most=max(self.blocks),
            context=self.context,
            batch=self.batch,
            dropout=self.dropout,
            look=self.look,
            maps=self.maps,
        )

    def members(self) -> Members:
        members = grid(blocks=self.blocks, seed=range(self.seeds), eta=self.eta)
        # No two networks share an init or windows: each is an independent unit, as the intervals of claims assume.
        sizes = {name: np.full(members.count, getattr(self, name)) for name in ("dim", "context")}
        return members.with_columns(repeat=members["seed"], seed=self.first_seed + np.arange(members.count), **sizes)


_TALKS = ReaderFleet()
# Fewer steps; with Adam, at ten times the learning rate.
_SMALL = {"dim": 64, "hidden": 64, "context": 32, "batch": 16, "dropout": 0.0, "steps": 4000, "look": 40, "maps": 30}
_QUICK = {"blocks": (1,), "seeds": 3, "steps": 500, "look": 20}

EXPERIMENTS = {
    SGD: Sizes.of(
        replace(_TALKS, descent="sgd", eta=5.0, blocks=(1, 3), first_seed=1000, steps=15_000),
        standard=_SMALL,
        quick=_QUICK,
    ),
    ADAM: Sizes.of(_TALKS, standard={**_SMALL, "eta": 1e-3, "blocks": (1, 2), "steps": 8000, "look": 80}, quick=_QUICK),
}
