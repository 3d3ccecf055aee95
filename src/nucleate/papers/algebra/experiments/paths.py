"""Fleets that learn shortest paths: name, config, and one row with its three sizes."""

from dataclasses import dataclass
from typing import Annotated, final

from nucleate.checking import Above, AtLeast, AtMost, Bits, Count, Seed
from nucleate.fleet import Members, grid
from nucleate.models import TransformerSize
from nucleate.papers.algebra.recipe.paths import LEAST_EDGES, GraphLibrary, PathFinder
from nucleate.papers.paper import Experiment, Sizes
from nucleate.tasks import PathTask

PATHS = "algebra/paths"


@final
@dataclass(frozen=True)
class PathFleet(Experiment):
    """Transformers that are told a graph edge by edge and say a shortest path, one for each seed. The talk gives two
    layers and graphs of fewer than ten vertices; all other sizes are ours."""

    vertices: Annotated[int, AtLeast(4), AtMost(20)] = 9
    """Vertices of the largest graphs."""
    least: Annotated[int, AtLeast(3)] = 4
    """Vertices of the smallest graphs."""
    edges: Annotated[int, AtLeast(LEAST_EDGES)] = 14
    """The most edges of a graph."""
    larger: Annotated[int, AtLeast(1), AtMost(100_000)] = 2000
    """Random graphs of each number of vertices above 7; of up to 7 all connected ones are there."""
    held_out: Count = 32
    """Graphs to test on, of at least six edges."""
    blocks: Count = 2
    """Transformer blocks: the talk's layers."""
    dim: Count = 96
    """Width of the embedding and of the blocks."""
    heads: Count = 4
    """Heads of each block."""
    hidden: Count = 192
    """Hidden units of the blocks' MLPs."""
    eta: Annotated[float, Above(0)] = 1e-3
    """The highest learning rate of AdamW."""
    decay: Annotated[float, AtLeast(0)] = 0.01
    """Weight decay."""
    batch: Count = 64
    """Fresh sequences in each step."""
    seeds: Count = 8
    """Networks. Each has its own init, held-out graphs and sequences."""
    first_seed: Seed = 0
    """Seeds count from here."""
    steps: Count = 20_000
    """Optimiser steps."""
    look: Count = 500
    """Judge answers every N steps."""
    maps: Annotated[int, AtLeast(2), Bits(31)] = 12
    """Embed the edges of held-out graphs N times, at log-spaced steps."""
    orders: Count = 64
    """Orders of the edges over which embeddings are averaged."""
    block: int | None = 1
    """Networks advanced together by one core; measured if left out."""

    def check(self) -> None:
        PathTask(self.vertices, self.edges)  # a number of edges that no graph has is refused here
        if self.least > self.vertices:
            self.refuse("least", f"must be at most vertices = {self.vertices}; got {self.least}")
        if self.dim % self.heads:
            self.refuse("heads", f"must divide dim = {self.dim}; got {self.heads}")

    @property
    def library(self) -> GraphLibrary:
        """The graphs that networks see."""
        return GraphLibrary(PathTask(self.vertices, self.edges), self.least, self.larger, self.held_out)

    def recipe(self) -> PathFinder:
        self.library.split(0)  # more graphs to hold out than there are is refused before anything is trained
        return PathFinder(
            library=self.library,
            size=TransformerSize(self.blocks, self.heads, self.dim, self.hidden),
            steps=self.steps,
            batch=self.batch,
            look=self.look,
            maps=self.maps,
            orders=self.orders,
        )

    def members(self) -> Members:
        seeds = range(self.first_seed, self.first_seed + self.seeds)
        return grid(seed=seeds, eta=self.eta, decay=self.decay)


EXPERIMENTS = {
    # Smaller graphs, narrower networks, fewer steps at a higher rate. In seconds, no network learns to say paths.
    PATHS: Sizes.of(
        PathFleet(),
        standard={
            "vertices": 6,
            "edges": 9,
            "held_out": 16,
            "dim": 48,
            "hidden": 96,
            "eta": 2e-3,
            "steps": 6000,
            "look": 250,
        },
        quick=None,
    ),
}
