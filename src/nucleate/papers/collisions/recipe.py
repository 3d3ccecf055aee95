"""The paper's network as a recipe: a particle transformer that learns to simulate, watched head by head."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, PyTree

from nucleate.fleet import At, Probe, Recipe, Stream, View, pieces
from nucleate.machine import require_memory
from nucleate.models import Frame, ParticleTransformer, TransformerSize
from nucleate.observables import (
    attention_distance_correlation,
    attention_entropy,
    collision_score,
    contact_limit,
    contact_share,
    distances,
    fvu,
)
from nucleate.tasks import PairStream, ParticleState, ParticleTask, StatePair

RADIUS = 1.25  # "near" in the collision detection score; contact is at 1, and the paper does not give its radius
_LIBRARY, _HELD_OUT = 2, 3  # what keys are folded with; the engine uses 0 and 1
_COPIES = 32  # arrays of [state, particle, particle] while heads are measured


class HeldOut(NamedTuple):
    """States that no network trains on, each from a simulation of its own, with their accelerations by contacts."""

    state: ParticleState
    acceleration: Float[Array, "state particle dim"]
    distance: Float[Array, "state particle particle"]


class Heads(NamedTuple):
    """What the heads do on held-out states: the observables of the same names."""

    raw: Float[Array, "block head"]
    frac: Float[Array, "block head"]
    total: Float[Array, "block head"]
    correlation: Float[Array, "block head"]
    entropy: Float[Array, "block head"]


@final
@dataclass(frozen=True)
class ParticleNetwork(Recipe):
    """A particle transformer trained by Adam on the acceleration of particles [hitchcock2025emergence].

    Columns: `seed` (weights), `seed_data` (simulations), `eta` (learning rate). `batch`: pairs of states per step, none
    of which is shown twice in `steps` steps; `stride`: see `PairStream`. Heads and the error are measured on `states`
    held-out states, the same for all members, at the steps `looks`. The paper trains on the error of the next state,
    which is (dt² + dt⁴)/2 times that of the acceleration: the same minima.
    """

    task: ParticleTask
    size: TransformerSize
    steps: int
    batch: int
    stride: int
    states: int
    looks: tuple[int, ...] = field(repr=False)

    @cached_property
    def stream(self) -> PairStream:
        return PairStream(self.task, self.batch, self.stride)

    @cached_property
    def boundary(self) -> Float[np.ndarray, "boundary dim"]:
        return self.task.box.boundary()

    @property
    def microbatches(self) -> tuple[int, ...]:  # type: ignore[override]
        return pieces(self.batch, self.task.particles)

    @property
    def batching(self) -> Stream:  # type: ignore[override]
        return Stream(lambda data, key, step: self.stream(data["train"], step))

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        key = jax.random.fold_in(jax.random.key(member["seed_data"]), _LIBRARY)
        return {"train": self.stream.library(key, self.steps), "held_out": held_out(self.task, self.states)}

    def model(self, member: Mapping[str, Any], key: Array) -> ParticleTransformer:
        frame = Frame(self.task.box.centre, dt=self.task.dt, gravity=self.task.gravity)
        return ParticleTransformer(self.size, frame, key=key)

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        return optax.adam(member["eta"])

    def loss(self, model: ParticleTransformer, batch: StatePair, key: Array) -> tuple[Float[Array, ""], PyTree]:
        predicted = model(*batch.before, self.boundary)
        return jnp.mean(jnp.square((predicted - batch.acceleration) / model.frame.scale)), None

    @property
    def probes(self) -> tuple[Probe, ...]:
        often = At(self.looks)

        def unexplained(view: View) -> Float[Array, ""]:
            held: HeldOut = view.data["held_out"]
            return fvu(self._look(view.model, held.state)[0], held.acceleration)

        def of_heads(name: str, about: str) -> Probe:
            def look(view: View) -> Float[Array, "block head"]:
                held: HeldOut = view.data["held_out"]
                return getattr(measure_heads(self._look(view.model, held.state)[1], held.distance), name)

            return Probe(name, look, often, ("block", "head"), attrs={"long_name": about})

        return (
            Probe("train_loss", lambda view: view.loss, often),
            Probe("fvu", unexplained, often, attrs={"long_name": "fraction of variance unexplained, held-out states"}),
            of_heads("raw", f"attention on particles within {RADIUS}"),
            of_heads("frac", f"share of the attention on particles that is on those within {RADIUS}"),
            of_heads("total", "attention on all particles"),
            of_heads("correlation", "correlation of attention with distance"),
            of_heads("entropy", "entropy of attention"),
        )

    def describe(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        held: HeldOut = data[0]["held_out"]
        uniform = np.ones((1, 1, 1), np.float32) - np.eye(self.task.particles, dtype=np.float32)
        baseline = collision_score(np.broadcast_to(uniform, held.distance.shape), held.distance, RADIUS).baseline
        dims = ("state", "particle", "dim")
        return {
            "held_position": (dims, np.asarray(held.state.position)),
            "held_velocity": (dims, np.asarray(held.state.velocity)),
            "held_acceleration": (dims, np.asarray(held.acceleration)),
            "uniform_score": ((), np.asarray(baseline)),
            "ideal_score": ((), np.asarray(contact_share(held.distance, RADIUS))),
            "contact_limit": ((), np.asarray(contact_limit(held.distance))),
        }

    def _look(self, model: ParticleTransformer, state: ParticleState) -> tuple[Array, Array]:
        return look(model, state.position, state.velocity, self.boundary)


@eqx.filter_jit
def look(
    model: ParticleTransformer,
    position: Float[Array | np.ndarray, "state particle dim"],
    velocity: Float[Array | np.ndarray, "state particle dim"],
    boundary: Float[Array | np.ndarray, "boundary dim"],
) -> tuple[Float[Array, "state particle dim"], Float[Array, "block head state particle particle"]]:
    """Accelerations and attention on many states."""
    seen = model.look(position, velocity, boundary)
    return seen.acceleration, jnp.moveaxis(seen.attention, 0, 2)


@jax.jit
def measure_heads(
    attention: Float[Array, "block head state particle particle"],
    distance: Float[Array | np.ndarray, "state particle particle"],
) -> Heads:
    """Every head measured; one block after the other, since attention takes much memory."""

    def of_head(attention: Float[Array, "state particle particle"]) -> Heads:
        score = collision_score(attention, distance, RADIUS)
        return Heads(
            jnp.asarray(score.raw),
            jnp.asarray(score.frac),
            jnp.asarray(score.total),
            attention_distance_correlation(attention, distance),
            attention_entropy(attention),
        )

    return jax.lax.map(jax.vmap(of_head), attention)


@cache
def held_out(task: ParticleTask, states: int) -> HeldOut:
    """`states` states at random ages, the same for every member and fleet of a task."""
    # Distances and attention between all particles, of every state at once.
    what = f"{states:,} held-out states of {task.particles:,} particles"
    require_memory(_COPIES * 4 * states * task.particles**2, what, "Reduce states.")
    state = task.sample(jax.random.fold_in(jax.random.key(0), _HELD_OUT), states)
    return jax.tree.map(np.asarray, HeldOut(state, task.step(state)[1], distances(state.position)))
