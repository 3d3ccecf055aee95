"""The fleets behind the paper's figures, as typed configs."""

import dataclasses
from dataclasses import dataclass
from typing import final

import numpy as np

from nucleate.fleet import LogSpaced, Plan, table
from nucleate.models import TransformerSize
from nucleate.papers.collisions.recipe import ParticleNetwork
from nucleate.papers.paper import Experiment
from nucleate.tasks import Box, ParticleTask

_OCTAVES = 6  # how many of the run's last ones log-spaced checkpoints reach back


@final
@dataclass(frozen=True)
class ParticleFleet(Experiment):
    """Particle transformers, one for each seed. By default as in Tables 2 to 4 of the paper; it does not say how wide
    the blocks' MLPs are."""

    particles: int = 64
    """Particles in the box."""
    width: float = 28.0
    """Width of the box, in diameters of a particle."""
    height: float = 14.0
    """Height of the box, in diameters of a particle."""
    blocks: int = 4
    """Transformer blocks."""
    heads: int = 8
    """Attention heads in each block."""
    embedding: int = 128
    """Numbers that stand for a particle inside the network."""
    hidden: int = 256
    """Units in the hidden layer of each block's MLP."""
    seeds: int = 5
    """Networks, each with weights and simulations of its own."""
    batch: int = 64
    """Pairs of states in a training step; none is shown twice."""
    eta: float = 0.001
    """Learning rate of Adam."""
    steps: int = 64_000
    """Optimiser steps."""
    simulated: int = 1024
    """Time steps of each simulation that pairs are taken from."""
    stride: int = 32
    """Keep one in so many states of a simulation; those between are simulated again when they are shown."""
    states: int = 512
    """Held-out states that heads and the error are measured on."""
    looks: int = 200
    """Measure about so many times, half of them log-spaced."""
    checkpoints: int = 20
    """Keep all weights about so many times, half of them log-spaced in the last six octaves of the run."""
    first_seed: int = 0
    """Seeds count from here, so that fleets compared with each other do not share networks."""
    block: int | None = 1
    """Networks advanced together by one core; measured if left out."""

    def __post_init__(self):
        for name, low in (("seeds", 1), ("steps", 1), ("states", 2), ("looks", 2), ("checkpoints", 2)):
            if getattr(self, name) < low:
                raise ValueError(f"ParticleFleet.{name} must be >= {low}; got {getattr(self, name)}.")
        if self.particles < 2:
            raise ValueError(
                f"ParticleFleet.particles must be >= 2, to have others to attend to; got {self.particles}."
            )
        if self.heads > 0 and self.embedding % self.heads:
            raise ValueError(
                f"ParticleFleet.embedding must be a multiple of heads = {self.heads}; got {self.embedding}."
            )
        if self.first_seed < 0:
            raise ValueError(f"ParticleFleet.first_seed must be >= 0; got {self.first_seed}.")
        if not self.eta > 0:
            raise ValueError(f"ParticleFleet.eta must be > 0; got {self.eta}.")
        _ = self.recipe().stream  # the task, the network and the stream check the rest

    def recipe(self) -> ParticleNetwork:
        return ParticleNetwork(
            ParticleTask(self.particles, Box((self.width, self.height)), steps=self.simulated),
            TransformerSize(self.blocks, self.heads, self.embedding, self.hidden),
            self.steps,
            self.batch,
            self.stride,
            self.states,
            looks=_looks(self.steps, self.looks),
            checkpoints=_checkpoints(self.steps, self.checkpoints),
        )

    def plan(self, name: str) -> Plan:
        seed = self.first_seed + np.arange(self.seeds)
        members = table(seed=seed, seed_data=seed, eta=self.eta)
        about = {"experiment": name, "config": dataclasses.asdict(self)}
        return Plan(self.recipe(), members, self.steps, self.block, about)


def _looks(steps: int, count: int) -> tuple[int, ...]:
    """About `count` steps, half of them log-spaced, for power laws, and half evenly, for when heads form."""
    return _with_even(LogSpaced(max(count // 2, 2)).at(steps), steps, count)


def _checkpoints(steps: int, count: int) -> tuple[int, ...]:
    """About `count` steps, half of them log-spaced in the last octaves."""
    return _with_even(np.geomspace(max(steps / 2**_OCTAVES, 1), steps, max(count // 2, 2)), steps, count)


def _with_even(spaced: np.ndarray, steps: int, count: int) -> tuple[int, ...]:
    evenly = np.linspace(0, steps, -(-count // 2) + 1)
    return tuple(np.unique(np.round(np.concatenate([spaced, evenly])).astype(int)).tolist())
