"""Text learned by Adam, GaLore and low-rank factors: names, config, and one row per experiment with its three sizes."""

from dataclasses import dataclass, replace
from typing import Annotated, final

import numpy as np
import xarray as xr

from nucleate.checking import Above, Count, Seed
from nucleate.fleet import Members, grid
from nucleate.models import TransformerSize
from nucleate.papers.attention.recipe.corpus import text_of
from nucleate.papers.attention.recipe.galore import METHODS, Method, TextLearner
from nucleate.papers.paper import Sequel, Sizes
from nucleate.record import Outcome, at_the_end
from nucleate.tasks import TextTask

RATES = "attention/text-rates"
BEST = "attention/text-best"


@final
@dataclass(frozen=True)
class TextFleet(Sequel):
    """Transformers that learn text, one for every method, learning rate and seed; seeds are shared by all methods."""

    text: str = ""
    """A file to learn, byte by byte, instead of the reference of Python's language that comes with Python."""
    methods: tuple[Method, ...] = METHODS  # type: ignore[assignment]
    """How networks are trained."""
    eta: Annotated[tuple[float, ...], Above(0)] = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
    """Learning rates, the same for all methods."""
    source: str = ""
    """The experiment whose best learning rate each method is to have, instead of all."""
    best: Annotated[tuple[float, ...] | None, Above(0)] = None
    """The best learning rate of each method; read from `source` if left out."""
    seeds: Count = 6
    """Networks for each method and learning rate."""
    first_seed: Seed = 0
    """Seeds count from here, so that rates are not chosen on the networks that are judged."""
    rank: Count = 16
    """Rank of projections and factors."""
    gap: Count = 200
    """Steps after which GaLore projects anew, and ReLoRA starts afresh."""
    width: Count = 64
    """Width of the embedding and of the blocks."""
    hidden: Count = 172
    """Hidden units of the blocks' MLPs."""
    blocks: Count = 2
    """Encoder blocks."""
    heads: Count = 4
    """Heads of each block."""
    context: Count = 64
    """Bytes that a network sees."""
    batch: Count = 8
    """Windows per step."""
    steps: Count = 2000
    """Optimiser steps."""
    look: Count = 100
    """Record losses and ranks of gradients every N steps."""
    block: Count | None = 1
    """Networks advanced together by one core; measured if left out."""

    def check(self) -> None:
        if self.width % self.heads:
            self.refuse("heads", f"must divide width = {self.width}; got {self.heads}")
        if self.rank > min(self.width, self.hidden):
            self.refuse(
                "rank", f"must be <= {min(self.width, self.hidden)}, the smaller of width and hidden; got {self.rank}"
            )
        if not self.methods or len(set(self.methods)) < len(self.methods):
            self.refuse("methods", f"must name each method once, and at least one; got {self.methods}")
        if self.best is not None and len(self.best) != len(self.methods):
            self.refuse("best", f"needs one rate for each of {len(self.methods)} methods; got {len(self.best)}")
        self._task()

    def _task(self) -> TextTask:
        try:
            return TextTask(text_of(self.text), self.context)
        except ValueError as problem:
            name = self.text or "the text that comes along"
            self.refuse("text", f"must be a file of text; {name}: {str(problem).rstrip('.')}")

    @property
    def awaits(self) -> str:
        return self.source if self.best is None else ""

    def after(self, record: xr.Dataset) -> "TextFleet":
        return replace(self, best=tuple(best_rate(record, METHODS.index(method)) for method in self.methods))

    def recipe(self) -> TextLearner:
        return TextLearner(
            text=self.text,
            size=TransformerSize(self.blocks, self.heads, self.width, self.hidden),
            context=self.context,
            batch=self.batch,
            rank=self.rank,
            gap=self.gap,
            steps=self.steps,
            look=self.look,
        )

    def members(self) -> Members:
        seeds = range(self.first_seed, self.first_seed + self.seeds)
        codes = [METHODS.index(method) for method in self.methods]
        rates = self.eta if not self.source else (float("nan"),)  # not known before the other has been trained
        members = grid(method=codes, eta=rates, seed=seeds)
        if self.best is not None:
            members = members.with_columns(eta=np.repeat(self.best, self.seeds))
        return members.with_columns(text=np.full(members.count, self._task().checksum, np.uint32))


def final_bits(record: xr.Dataset) -> np.ndarray:
    """Each network's bits per held-out byte at the end; infinite if it diverged."""
    bits = at_the_end(record, "valid_bits").astype(float)
    return np.where((record.outcome.values == Outcome.DIVERGED) | ~np.isfinite(bits), np.inf, bits)


def best_rate(record: xr.Dataset, method: int) -> float:
    """The learning rate with the fewest bits per held-out byte, in the mean over seeds.

    >>> bits = ("member", "step"), [[3.0], [4.0], [2.0], [4.5]]
    >>> ok, zero = ("member", [0] * 4), ("member", [0] * 4)
    >>> coords = {"step": [0], "eta": ("member", [0.1, 0.1, 0.2, 0.2]), "method": zero, "last_step": zero}
    >>> best_rate(xr.Dataset({"valid_bits": bits, "outcome": ok}, coords), 0)
    0.2
    """
    chosen = record.method.values == method
    bits, rates = final_bits(record)[chosen], record.eta.values[chosen]
    if not chosen.any():
        raise ValueError(f"best_rate: no network of the record was trained by {METHODS[method]}.")
    return float(min(np.unique(rates), key=lambda rate: bits[rates == rate].mean()))


# The talk's smallest network has 60 million parameters and 1.3 billion tokens, which no CPU could hold. As there, MLPs
# are 2.7 times as wide as blocks, and the rank is a quarter of the width.
_LARGE = TextFleet(width=128, hidden=344, blocks=4, heads=8, rank=32, context=128, batch=16, steps=10_000, look=250)
_SMALL = {"width": 64, "hidden": 172, "blocks": 2, "heads": 4, "rank": 16, "context": 64, "batch": 8}
_STANDARD = {**_SMALL, "steps": 2000, "look": 100}

EXPERIMENTS = {
    RATES: Sizes.of(replace(_LARGE, seeds=3), standard=_STANDARD, quick=None),
    BEST: Sizes.of(replace(_LARGE, source=RATES, first_seed=100), standard=_STANDARD, quick=None),
}
