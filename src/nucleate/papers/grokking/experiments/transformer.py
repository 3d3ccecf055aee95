"""The transformers of Section 4.2 and Appendix K: names, config, and one row per experiment with its three sizes."""

from dataclasses import dataclass, replace
from typing import Annotated, Literal, final

import numpy as np

from nucleate.checking import Above, AtLeast, Below, Count, Seed
from nucleate.fleet import LogSpaced, Members, grid
from nucleate.models import TransformerSize
from nucleate.papers.grokking.experiments.pairs import rounded
from nucleate.papers.grokking.experiments.toy import TABLE_1_STEPS
from nucleate.papers.grokking.recipe.transformer import ModularTransformer
from nucleate.papers.paper import Experiment, Sizes

TRANSFORMER = "grokking/transformer"
LOTTERY = "grokking/lottery"
DROPOUT = "grokking/transformer-dropout"
DECAY = "grokking/transformer-decay"
PHASE_TRANSFORMER = "grokking/transformer-phases"


@final
@dataclass(frozen=True)
class TransformerFleet(Experiment):
    """Transformers that learn addition modulo p, one for every combination of the listed values."""

    p: Annotated[int, AtLeast(3)] = 53
    """The modulus, and the number of symbols."""
    dim: Count = 256
    """Width of the embedding and of the blocks."""
    hidden: Count = 256
    """Hidden units of the blocks' MLPs."""
    blocks: Count = 2
    """Encoder blocks."""
    heads: Count = 1
    """Heads of each block."""
    train_share: Annotated[float, Above(0), Below(1)] = 0.8
    """Share of the p² ordered pairs that are trained on."""
    seeds: Count = 6
    """Networks per combination. Every network of the fleet has its own split and init."""
    first_seed: Seed = 0
    """Seeds count from here, so that fleets of the same size do not share networks."""
    eta_repr: Annotated[float, Above(0)] = 1e-3
    """Learning rate of the embedding, which has no weight decay."""
    eta_dec: Annotated[tuple[float, ...], Above(0)] = (1e-3,)
    """Learning rates of the decoder: everything but the embedding."""
    wd_dec: Annotated[tuple[float, ...], AtLeast(0)] = (0.0,)
    """Weight decays of the decoder."""
    dropout: Annotated[tuple[float, ...], AtLeast(0), Below(1)] = (0.0,)
    """Dropout rates."""
    steps: Count = TABLE_1_STEPS
    """Optimiser steps."""
    look: Count = 10
    """Record accuracies and the effective dimension every N steps."""
    look_embedding: Annotated[int, AtLeast(0)] = 0
    """Record the embedding every N steps; 0: never."""
    weights: Annotated[int, AtLeast(0)] = 0
    """Record all weights N times, at log-spaced steps; 0: never."""
    stop: tuple[Literal["train90", "train99", "valid90", "valid99"], ...] = ()
    """Stop a network once all of these accuracies are reached."""
    block: int | None = 1
    """Networks advanced together by one core; measured if left out."""

    def check(self) -> None:
        if self.dim % self.heads:
            self.refuse("heads", f"must divide dim={self.dim}; got {self.heads}")
        if not 1 <= int(self.train_share * self.p**2) < self.p**2:
            self.refuse("train_share", f"must leave pairs to train on and others to validate; got {self.train_share}")
        if self.weights == 1:
            self.refuse("weights", "must be 0, or at least 2 for the first and the last step; got 1")

    def recipe(self) -> ModularTransformer:
        return ModularTransformer(
            p=self.p,
            size=TransformerSize(self.blocks, self.heads, self.dim, self.hidden),
            train_share=self.train_share,
            look=self.look,
            look_embedding=self.look_embedding,
            stop=self.stop,
        )

    @property
    def keep_weights(self) -> LogSpaced | None:  # type: ignore[override]
        return LogSpaced(self.weights) if self.weights else None

    def members(self) -> Members:
        members = grid(
            eta_repr=self.eta_repr,
            eta_dec=self.eta_dec,
            wd_dec=self.wd_dec,
            dropout=self.dropout,
            seed=range(self.seeds),
        )
        # No two networks share an init or a split: each is an independent unit, as the intervals of claims assume.
        seed = self.first_seed + np.arange(members.count)
        size = {name: np.full(members.count, getattr(self, name)) for name in ("p", "dim")}
        return members.with_columns(repeat=members["seed"], seed=seed, seed_split=seed, **size)


# As in Fig. 7.
_DECAYS = rounded(np.exp(np.linspace(-4, 3, 19)))
_DROPOUTS = rounded(np.linspace(0, 0.5, 10))
_RATES = rounded(10 ** np.linspace(-9, -1, 15))
_REACHED = ("train99", "valid99")
# Smaller networks, whose decoders learn at the rate of the paper's other transformers, in a quarter of the steps.
_SMALL = {"p": 31, "dim": 64, "hidden": 64, "eta_dec": (1e-3,), "steps": 5000, "look_embedding": 50}
# With these, networks generalise in about a thousand steps.
_QUICK = {"dim": 32, "wd_dec": (2.0,), "dropout": (0.1,), "steps": 2000, "look_embedding": 40}

# The networks of Figs. 1, 7 left, 21 and 22. The plotted effective dimension is more than p = 53 would allow.
_DEEP = TransformerFleet(
    p=59, hidden=128, eta_dec=(2e-4,), wd_dec=(1.0,), dropout=(0.05,), steps=20_000, look=20, look_embedding=400
)

EXPERIMENTS = {
    TRANSFORMER: Sizes.of(replace(_DEEP, seeds=100), standard={**_SMALL, "seeds": 8}, quick={**_QUICK, "seeds": 3}),
    LOTTERY: Sizes.of(
        replace(_DEEP, seeds=10, first_seed=1000, weights=24),
        standard={**_SMALL, "seeds": 6},
        quick={**_QUICK, "seeds": 2},
    ),
    DROPOUT: Sizes.of(
        TransformerFleet(dropout=_DROPOUTS, seeds=6, stop=_REACHED),
        standard={"dim": 128, "hidden": 128, "dropout": (_DROPOUTS[0], _DROPOUTS[4]), "steps": 1000},
        quick=None,
    ),
    DECAY: Sizes.of(
        TransformerFleet(wd_dec=_DECAYS, seeds=6, first_seed=1000, stop=_REACHED),
        standard={
            "dim": 128,
            "hidden": 128,
            "wd_dec": _DECAYS[13:14],
            "steps": 1000,
        },
        quick=None,
    ),
    PHASE_TRANSFORMER: Sizes.of(
        TransformerFleet(
            eta_dec=_RATES,
            wd_dec=_DECAYS,
            seeds=1,
            look=50,
            stop=("train90", "valid90"),
        ),
        standard={
            "p": 31,
            "dim": 32,
            "hidden": 32,
            "steps": 2500,
            "eta_dec": rounded(10 ** np.linspace(-5, -1, 5)),
            "wd_dec": rounded(np.exp(np.linspace(-4, 3, 5))),
        },
        quick=None,
    ),
}
