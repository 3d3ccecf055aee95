"""The fleet behind the paper's figures, and what measurements that train nothing may cost, at three sizes each."""

from dataclasses import dataclass
from typing import Annotated, final

import numpy as np

from nucleate.checking import Above, AtLeast, Bits, Count, Seed
from nucleate.fleet import At, LogSpaced, Members, table
from nucleate.models import TransformerSize
from nucleate.observables import Sampling
from nucleate.papers.collisions.recipe import ParticleNetwork
from nucleate.papers.paper import Experiment, Sizes
from nucleate.tasks import Box, ParticleTask

BOX = "collisions/box"

_OCTAVES = 6  # how far back from the end of a run its log-spaced checkpoints reach


@final
@dataclass(frozen=True)
class ParticleFleet(Experiment):
    """Particle transformers, one for each seed. The defaults are those of the paper's Tables 2 to 4, which do not say
    how wide the MLPs of the blocks are."""

    particles: Annotated[int, AtLeast(2), Bits(31)] = 64
    """Particles in the box."""
    width: Annotated[float, Above(0)] = 28.0
    """Width of the box, in diameters of a particle."""
    height: Annotated[float, Above(0)] = 14.0
    """Height of the box, in diameters of a particle."""
    blocks: Count = 4
    """Transformer blocks."""
    heads: Count = 8
    """Attention heads in each block."""
    embedding: Count = 128
    """Numbers that represent a particle inside the network."""
    hidden: Count = 256
    """Units in the hidden layer of each block's MLP."""
    seeds: Count = 6
    """Networks, each with weights and simulations of its own. The paper has five; an interval needs six."""
    batch: Count = 64
    """Pairs of states in a training step; no pair is shown twice."""
    eta: Annotated[float, Above(0)] = 0.001
    """Learning rate of Adam."""
    steps: Count = 64_000
    """Optimiser steps."""
    simulated: Count = 1024
    """Time steps of each simulation that pairs are taken from."""
    stride: Count = 32
    """Keep every `stride`-th state of a simulation; those between are simulated again when they are shown."""
    states: Annotated[int, AtLeast(2), Bits(31)] = 512
    """Held-out states that heads and the error are measured on."""
    looks: Annotated[int, AtLeast(2), Bits(31)] = 200
    """Measure about this many times, half of them log-spaced."""
    checkpoints: Annotated[int, AtLeast(2), Bits(31)] = 20
    """Keep all weights about this many times, half of them log-spaced in the last six octaves of the run."""
    first_seed: Seed = 0
    """Seeds count from here, so that fleets that are compared share no networks."""
    block: Count | None = 1
    """Networks advanced together by one core; measured if left out."""

    def check(self) -> None:
        if self.embedding % self.heads:
            self.refuse("embedding", f"must be a multiple of heads = {self.heads}; got {self.embedding}")
        _ = self.recipe().stream, self.recipe().boundary  # the task, the network, the stream and the box check the rest

    def recipe(self) -> ParticleNetwork:
        return ParticleNetwork(
            ParticleTask(self.particles, Box((self.width, self.height)), steps=self.simulated),
            TransformerSize(self.blocks, self.heads, self.embedding, self.hidden),
            self.steps,
            self.batch,
            self.stride,
            self.states,
            looks=_looks(self.steps, self.looks),
        )

    @property
    def keep_weights(self) -> At:  # type: ignore[override]
        return At(_checkpoints(self.steps, self.checkpoints))

    def members(self) -> Members:
        seed = range(self.first_seed, self.first_seed + self.seeds)
        return table(seed=seed, seed_data=seed, eta=self.eta)


def _looks(steps: int, count: int) -> tuple[int, ...]:
    """About `count` steps, half of them log-spaced, for power laws, and half evenly, for when heads form."""
    return _with_even(LogSpaced(max(count // 2, 2)).at(steps), steps, count)


def _checkpoints(steps: int, count: int) -> tuple[int, ...]:
    """About `count` steps, half of them log-spaced in the last octaves."""
    return _with_even(np.geomspace(max(steps / 2**_OCTAVES, 1), steps, max(count // 2, 2)), steps, count)


def _with_even(spaced: np.ndarray, steps: int, count: int) -> tuple[int, ...]:
    evenly = np.linspace(0, steps, -(-count // 2) + 1)
    return tuple(np.unique(np.round(np.concatenate([spaced, evenly])).astype(int)).tolist())


EXPERIMENTS = {
    # The reduced box and network were chosen by pilots of one network each (seed 0). 8 × 8 was the smallest box whose
    # network had all that the claims are about: true heads (one of 10 × 10 had none after 50,000 steps), no collision
    # head in the first block (one of 6 × 6 had one), and correlations that fall on their way to c*. A width of 32 was
    # as good as 48 after 20,000 steps, at two thirds of the cost. Heads formed by step 36,000, the best of them became
    # true by 126,000, and the variance left unexplained was 0.20 after 96,000 steps and 0.14 after 160,000. Seeds are
    # fresh: earlier fleets had 100 to 203 and 1000 to 2003, and a quick one 3000 and 3001.
    BOX: Sizes.of(
        ParticleFleet(states=128, checkpoints=24, first_seed=4000),
        standard={"particles": 16, "width": 8.0, "height": 8.0, "batch": 24, "stride": 16}
        | {"blocks": 3, "heads": 4, "embedding": 32, "hidden": 64, "eta": 0.002}
        | {"seeds": 16, "steps": 128_000, "states": 512, "checkpoints": 20},
        # Two networks whose heads begin to form, for the figures: too few, and too early, for any claim.
        quick={"seeds": 2, "steps": 20_000, "states": 256, "looks": 100, "checkpoints": 10},
    ),
}


@dataclass(frozen=True)
class Chains:
    """How learning coefficients are estimated, for all heads and checkpoints alike, as the paper does it.

    `heads`: collision heads of each network, and as many others beside them. `checkpoints`: of each head, taken from
    the last `octaves` of training. `states`: over which the loss is a mean.
    """

    heads: int
    checkpoints: int
    octaves: int
    sampling: Sampling
    states: int = 4096


@dataclass(frozen=True)
class Effort:
    """`simulations` that are followed until they settle, `rollouts` of each network, `draws` of each MALA chain on a
    loss whose learning coefficient is known, and `chains` for the coefficients of heads."""

    simulations: int
    rollouts: int
    draws: int
    chains: Chains


EFFORT = Sizes(
    paper=Effort(
        simulations=250,
        rollouts=100,
        draws=20_000,
        chains=Chains(heads=4, checkpoints=20, octaves=5, sampling=Sampling(chains=4, burn_in=1000, draws=1000)),
    ),
    standard=Effort(
        simulations=50,
        rollouts=20,
        draws=4000,
        chains=Chains(heads=4, checkpoints=8, octaves=3, sampling=Sampling(chains=4, burn_in=150, draws=200)),
    ),
    quick=Effort(
        simulations=8,
        rollouts=2,
        draws=1000,
        chains=Chains(heads=1, checkpoints=3, octaves=3, sampling=Sampling(chains=2, burn_in=200, draws=100)),
    ),
)
