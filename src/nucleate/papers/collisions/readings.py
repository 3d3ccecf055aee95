"""What the records of the fleets say: when heads form, what they have become, and the networks themselves."""

import json

import equinox as eqx
import jax
import numpy as np
import xarray as xr
from jaxtyping import Float, Int8

from nucleate.models import ParticleTransformer
from nucleate.observables import CollisionScore, head_class
from nucleate.papers.collisions.experiments import ParticleFleet
from nucleate.papers.collisions.recipe import ParticleNetwork
from nucleate.record import NEVER, Outcome, RunError

SMALL = "collisions/small"
LARGE = "collisions/large"

# Attention on particles below which a head looks at hardly anyone, and its `frac` says nothing.
LEAST_ATTENTION = 0.1


def whole(record: xr.Dataset) -> xr.Dataset:
    """The networks that stayed finite."""
    return record.isel(member=np.flatnonzero(record.outcome.values != Outcome.DIVERGED))


def recipe(record: xr.Dataset) -> ParticleNetwork:
    """How the networks of a record were made: their task, their size, their boundary."""
    config = json.loads(record.attrs.get("about", "{}")).get("config")
    if config is None:
        raise RunError("The record does not say how its networks were made: attribute `about` has no config.")
    return ParticleFleet(**config).recipe()


def network(record: xr.Dataset, member: int, checkpoint: int = -1) -> ParticleTransformer:
    """The network `member` as it was at a checkpoint, the last if left out; its step is `record.step_weights`."""
    flat = record.weights.isel(member=member, step_weights=checkpoint).values
    if not np.isfinite(flat).all():
        step = int(record.step_weights.values[checkpoint])
        raise ValueError(f"network: member {member} had diverged before step {step}; choose an earlier checkpoint.")
    skeleton = eqx.filter_eval_shape(recipe(record).model, {}, jax.random.key(0))
    shaped, rest = eqx.partition(skeleton, lambda leaf: isinstance(leaf, jax.ShapeDtypeStruct))
    leaves, structure = jax.tree.flatten(shaped)
    ends = np.cumsum([leaf.size for leaf in leaves])
    if ends[-1] != flat.size:
        raise RunError(f"The record holds {flat.size} weights of a network; its config makes one of {ends[-1]}.")
    parts = [
        jax.numpy.asarray(part.reshape(leaf.shape))
        for part, leaf in zip(np.split(flat, ends[:-1]), leaves, strict=True)
    ]
    return eqx.combine(jax.tree.unflatten(structure, parts), rest)


def scores(record: xr.Dataset) -> CollisionScore:
    """The collision detection scores, [member, step, block, head]."""
    return CollisionScore(
        record.raw.values, record.frac.values, record.total.values, np.asarray(record.uniform_score.values)
    )


def gated(record: xr.Dataset) -> Float[np.ndarray, "member step block head"]:
    """`frac`, but 0 for heads that look at hardly anyone."""
    return np.asarray(scores(record).gated(LEAST_ATTENTION))


def corrected(record: xr.Dataset) -> Float[np.ndarray, "member step block head"]:
    """The score by which heads are classified: `frac`, with 0 for a head that looks at all alike or at hardly
    anyone."""
    score = scores(record)
    return np.where(np.asarray(score.total) >= LEAST_ATTENTION, np.asarray(score.corrected), 0.0)


def final_class(record: xr.Dataset) -> Int8[np.ndarray, "member block head"]:
    """What each head has become: see `HeadClass`."""
    return head_class(corrected(record)[:, -1])


def formation_step(record: xr.Dataset, level: float = 0.5) -> np.ndarray:
    """The first recorded step from which on a head's score is never below `level` again; −1 if there is none.

    [member, block, head].
    """
    above = corrected(record) >= level
    stays = np.flip(np.logical_and.accumulate(np.flip(above, 1), 1), 1)
    return np.where(stays[:, -1], record.step.values[np.argmax(stays, 1)], NEVER)
