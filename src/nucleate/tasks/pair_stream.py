"""Fresh pairs of states for training: simulated once, shuffled, and never shown twice."""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from nucleate.checking import Checked, Count
from nucleate.machine import map_over_workers, require_memory
from nucleate.tasks.particles import ParticleState, ParticleTask, states_first, states_last

_PAIRS = 2**18  # pairs of particles over all simulations of a block: arrays of 1 MB stay in cache


class StatePair(NamedTuple):
    """States, the states one time step later, and the acceleration by contacts that leads from one to the other."""

    before: ParticleState
    after: ParticleState
    acceleration: Float[Array, "*state particle dim"]


class Library(NamedTuple):
    """Every `stride`-th state of many simulations, and the order in which their pairs are shown.

    `position`, `velocity`: (snapshot, particle, dim), simulation by simulation; `order`: (batch, sample), the number
    of the pair in each place of each batch. Pair n starts n % stride steps after snapshot n // stride.
    """

    position: Float[np.ndarray, "snapshot particle dim"]
    velocity: Float[np.ndarray, "snapshot particle dim"]
    order: Int[np.ndarray, "batch sample"]


@final
@dataclass(frozen=True)
class PairStream(Checked):
    """Shuffle the pairs (x_n, x_{n+1}) of many simulations into batches, showing each pair once.

    `batch`: pairs per batch; `stride`: only every `stride`-th state is kept. The states in between are simulated again
    when they are shown, which costs `stride` steps per batch and makes the library `stride` times smaller. Apart from
    this saving the paper makes its data in the same way. Source: [hitchcock2025emergence], Appendix C.

    >>> from nucleate.tasks import Box
    >>> stream = PairStream(ParticleTask(particles=4, box=Box((4.0, 4.0)), steps=64), batch=8, stride=16)
    >>> library = stream.library(jax.random.key(0), steps=20)
    >>> library.order.shape, library.position.shape  # 21 batches from three simulations
    ((21, 8), (12, 4, 2))
    >>> stream(library, 20).acceleration.shape
    (8, 4, 2)
    """

    task: ParticleTask
    batch: Count = 64
    stride: Count = 32

    def check(self) -> None:
        if self.task.steps % self.stride:
            self.refuse("stride", f"must divide the {self.task.steps} steps of a simulation; got {self.stride}")

    def library(self, key: Array, steps: int) -> Library:
        """Simulate enough for the batches of training steps 0..`steps`; only probes see the last one."""
        if steps < 0:
            raise ValueError(f"PairStream.library: steps must be >= 0; got {steps}.")
        needed = (steps + 1) * self.batch
        simulations = -(-needed // self.task.steps)
        snapshot = 8 * self.task.particles * self.task.box.dim  # position and velocity, in single precision
        kept = simulations * (self.task.steps // self.stride) * snapshot
        what = f"PairStream.library: {steps:,} steps of {self.batch} pairs"
        # Twice: pieces are joined to one array, and numbers are shuffled in 64 bits before they are kept in 32.
        require_memory(2 * (kept + 8 * needed), what, "Reduce steps or batch, or increase stride.")
        # Whole blocks, the last of them cut short: compiling another size would take longer than running it.
        together = min(simulations, int(np.clip(_PAIRS // self.task.particles**2, 16, 256)))
        shuffle, *starts = jax.random.split(key, 1 + -(-simulations // together))

        def simulated(start: Array) -> ParticleState:
            return jax.tree.map(np.asarray, _snapshots(self.task, start, together, self.stride))

        position, velocity = (
            np.concatenate(arrays)[:simulations].reshape(-1, self.task.particles, self.task.box.dim)
            for arrays in zip(*map_over_workers(simulated, starts), strict=True)
        )
        numbers = np.random.default_rng(np.asarray(jax.random.key_data(shuffle))).permutation(
            simulations * self.task.steps
        )
        return Library(position, velocity, numbers[:needed].reshape(-1, self.batch).astype(np.int32))

    def __call__(self, library: Library, step: Int[Array, ""] | int) -> StatePair:
        """The batch of a training step; NaN past the end of the library, since no pair is shown twice."""
        batches = len(library.order)
        number = jnp.asarray(library.order)[jnp.minimum(step, batches - 1)]
        pair = self.pairs(library, number)
        return jax.tree.map(lambda array: jnp.where(step < batches, array, jnp.nan), pair)

    @partial(jax.jit, static_argnums=0)
    def pairs(self, library: Library, number: Int[Array, " sample"]) -> StatePair:
        """The pairs with these numbers."""
        snapshot, age = number // self.stride, number % self.stride
        kept = ParticleState(jnp.asarray(library.position)[snapshot], jnp.asarray(library.velocity)[snapshot])

        def catch_up(done, state):
            moved, _ = self.task.advance(state)
            return jax.tree.map(lambda new, old: jnp.where(done < age, new, old), moved, state)

        before = jax.lax.fori_loop(0, self.stride - 1, catch_up, states_last(kept))
        after, acceleration = self.task.advance(before)
        return states_first(StatePair(before, after, acceleration))


@partial(jax.jit, static_argnums=(0, 2, 3))
def _snapshots(task: ParticleTask, key: Array, simulations: int, stride: int) -> ParticleState:
    """Every `stride`-th state of each simulation except the last: (simulation, snapshot, particle, dim)."""
    kept = task.trajectory(task.start(key, simulations), task.steps - stride, every=stride)
    return jax.tree.map(lambda array: jnp.moveaxis(array, 1, 0), kept)
