"""Particle transformers that were never trained: random weights, heads with planted histories."""

import json
from functools import cache

import equinox as eqx
import jax
import numpy as np
import xarray as xr
from planted import PlantedRun

from nucleate.claims import Evidence
from nucleate.observables import Sampling
from nucleate.papers.collisions.experiments import BOX, Chains, Effort, ParticleFleet
from nucleate.record import Outcome

FLEET = ParticleFleet(
    particles=3,
    width=3.0,
    height=3.0,
    blocks=2,
    heads=2,
    embedding=8,
    hidden=8,
    seeds=2,
    batch=4,
    steps=400,
    simulated=32,
    stride=8,
    states=8,
    looks=60,
    checkpoints=4,
)
EFFORT = Effort(
    simulations=8,
    rollouts=2,
    draws=1000,
    chains=Chains(heads=1, checkpoints=2, octaves=3, sampling=Sampling(chains=2, burn_in=4, draws=8), states=24),
)
DETECTING = [[0.1, 0.05], [0.95, 0.6]]  # one true and one partial head in the second block
ONE_DETECTING = [[0.1, 0.05], [0.95, 0.05]]
NOT_YET = [[0.1, 0.05], [0.2, 0.15]]


@cache
def weights() -> np.ndarray:
    """Of two networks, [member, parameter]."""
    shapes = eqx.filter_eval_shape(FLEET.recipe().model, {}, jax.random.key(0))
    count = sum(leaf.size for leaf in jax.tree.leaves(shapes) if isinstance(leaf, jax.ShapeDtypeStruct))
    return np.random.default_rng(1).normal(scale=0.3, size=(2, count)).astype(np.float32)


def record(scores: list[list[float]]) -> xr.Dataset:
    """Two networks whose heads end with `scores[block][head]`, the second with a little less."""
    rng, recipe = np.random.default_rng(0), FLEET.recipe()
    step, kept = np.array(recipe.looks), FLEET.keep_weights.at(FLEET.steps)
    share = 1 / (1 + np.exp(-(step - 150) / 20))[None, :, None, None]
    end = np.array([scores, 0.98 * np.array(scores)])[:, None]
    frac = 0.15 + (end - 0.15) * share
    late = np.maximum(step, 200)[None, :, None, None] / 200
    heads, states = ("member", "step", "block", "head"), ("state", "particle", "dim")
    return xr.Dataset(
        {
            "raw": (heads, 0.9 * frac),
            "frac": (heads, frac),
            "total": (heads, np.full(frac.shape, 0.9)),
            "correlation": (heads, -frac * late**-0.25 * np.exp(0.01 * rng.normal(size=frac.shape))),
            "weights": (("member", "step_weights", "parameter"), np.repeat(weights()[:, None], len(kept), axis=1)),
            "outcome": ("member", np.full(2, Outcome.OK, np.int8)),
            "last_step": ("member", np.full(2, FLEET.steps, np.int32)),
            "held_position": (states, rng.uniform(0.5, 2.5, (8, 3, 2)).astype(np.float32)),
            "held_velocity": (states, rng.normal(size=(8, 3, 2)).astype(np.float32)),
            "uniform_score": ((), 0.15),
            "contact_limit": ((), -0.4),
        },
        coords={"member": [0, 1], "step": step, "step_weights": kept}
        | {name: ("member", column) for name, column in FLEET.members().items()},
        attrs={"steps": FLEET.steps, "about": json.dumps({"config": FLEET.to_json()})},
    )


def evidence(made: xr.Dataset, **known) -> Evidence:
    return Evidence({BOX: PlantedRun(made)}, EFFORT, **known)
