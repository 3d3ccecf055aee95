"""What the fleets of networks that read two symbols share."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from nucleate.checking import Above, AtLeast, Count, Seed
from nucleate.fleet import Members, grid
from nucleate.papers.config import Later
from nucleate.papers.grokking.recipe import Classification, Regression
from nucleate.papers.paper import Experiment

APART = 100_000
"""How far the seeds of two fleets are apart: splits are searched for, so that a fleet may use more than it has
networks."""


@dataclass(frozen=True)
class PairFleet(Experiment):
    """Networks that read two symbols, one for every combination of the listed values."""

    readout: Literal["regression", "classification"] = "regression"
    """Regression to random templates, or cross-entropy over the labels."""
    seeds: Count = 3
    """Networks per combination. Every network of the fleet has its own split, templates and init."""
    first_seed: Annotated[Seed, Later] = 0
    """Seeds count from here, so that fleets whose networks are compared do not share any."""
    eta_repr: Annotated[tuple[float, ...], Above(0)] = (1e-3,)
    """Learning rates of the embedding."""
    eta_dec: Annotated[tuple[float, ...], Above(0)] = (1e-4,)
    """Learning rates of the decoder."""
    wd_dec: Annotated[tuple[float, ...], AtLeast(0)] = (0.0,)
    """Weight decays of the decoder."""
    wd_repr: Annotated[float | tuple[float, ...], AtLeast(0)] = 0.0
    """Weight decay of the embedding, one or several."""
    init_scale: Annotated[float | tuple[float, ...], Above(0)] = 1.0
    """Embeddings start uniform in ±init_scale/2; one scale or several."""
    width: Count = 200
    """Units in each of the decoder's two hidden layers."""
    steps: Count = 5000
    """Optimiser steps."""
    look: Count = 10
    """Record every N steps."""
    stop: tuple[Literal["train90", "valid90", "rqi95"], ...] = ()
    """Stop a network once all of these thresholds are crossed."""
    block: Count | None = None
    """Networks advanced together by one core; measured if left out."""

    def shared(self) -> dict[str, Any]:
        """The fields of the recipe that all these fleets have."""
        return {
            "width": self.width,
            "readout": Regression() if self.readout == "regression" else Classification(),
            "look": self.look,
            "stop": self.stop,
        }

    def combinations(self, **axes: Any) -> Members:
        """Every combination of these axes and the hyperparameters, each with all its seeds."""
        return independent(
            grid(
                **axes,
                eta_repr=self.eta_repr,
                eta_dec=self.eta_dec,
                wd_dec=self.wd_dec,
                wd_repr=self.wd_repr,
                init_scale=self.init_scale,
                repeat=range(self.seeds),
                seed=0,
            ),
            self.first_seed,
        )


def independent(members: Members, first_seed: int = 0) -> Members:
    """The members with a seed of their own each. No two networks share an init or a split: each is an independent
    unit, as the intervals of claims assume."""
    seeds = first_seed + np.arange(members.count)
    return members.with_columns(seed=seeds, seed_split=seeds)


def paired(members: Members, first: str, second: str, pairs: Iterable[tuple[float, float]]) -> Members:
    """Of all combinations, those in which two columns have values that belong together."""
    wanted = set(pairs)
    held = zip(members[first].tolist(), members[second].tolist(), strict=True)
    return members.only([i for i, pair in enumerate(held) if pair in wanted])


def logspace(low: float, high: float, count: int) -> tuple[float, ...]:
    """Values equally spaced between two powers of ten."""
    return rounded(np.logspace(low, high, count))


def rounded(values: np.ndarray) -> tuple[float, ...]:
    """Values as people write them."""
    return tuple(float(f"{value:.6g}") for value in values)
