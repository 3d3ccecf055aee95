"""Particles that fall, collide and settle in a box: the task of the collisions paper."""

from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import Annotated, NamedTuple, TypeVar, final

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from nucleate.checking import Above, Checked, Count, checked
from nucleate.machine import require_memory
from nucleate.tasks.box import Box
from nucleate.tasks.contact import Contact, Energy

# Particles at uniform positions overlap, and a full overlap stores an energy of 500 in the units of Table 3, so they
# are pushed apart first.
_SWEEPS = 60

_Tree = TypeVar("_Tree")


class ParticleState(NamedTuple):
    """Positions and velocities of particles, with any number of leading state axes."""

    position: Float[Array, "*state particle dim"]
    velocity: Float[Array, "*state particle dim"]


@final
@dataclass(frozen=True)
class ParticleTask(Checked):
    """Predict the state of a box of particles one time step later [hitchcock2025emergence].

        v' = v + dt (a + g),    p' = p + dt v',    a: acceleration by contacts, see `Contact.acceleration`

    `particles`: their number; `box`: where they are, in two or three dimensions; `gravity`: ‖g‖, down the last axis;
    `dt`: the time step a network learns to predict; `steps`: the length of a simulation; `substeps`: the number of
    semi-implicit Euler steps per `dt`. The defaults are those of Tables 2 and 3. The paper does not specify substeps,
    walls and initial overlaps. Here one substep makes its Eq. 6 exact, walls have the same springs as particles and
    include a lid, and particles start at random positions and are then pushed apart.

    >>> task = ParticleTask(particles=12, box=Box((6.0, 6.0)))
    >>> state = task.start(jax.random.key(0), states=3)
    >>> state.position.shape, task.trajectory(state, steps=4).velocity.shape
    ((3, 12, 2), (5, 3, 12, 2))
    """

    particles: Count = 64
    box: Box = field(default_factory=Box)
    contact: Contact = field(default_factory=Contact)
    gravity: float = 9.8
    dt: Annotated[float, Above(0)] = 0.005
    steps: Count = 1024
    substeps: Count = 1

    def check(self) -> None:
        if not self.contact.stable(self.dt / self.substeps):
            raise ValueError(
                f"ParticleTask.dt = {self.dt} in {self.substeps} substeps is too coarse for {self.contact}: energy "
                "would grow; increase substeps."
            )
        self._check_room()

    def _check_room(self):
        diameter = self.contact.diameter
        for axis, length in enumerate(self.box.size):
            if length < diameter:
                raise ValueError(
                    f"ParticleTask.box: the walls of axis {axis} are {length} apart, too close for particles of "
                    f"diameter {diameter}; make the box larger or the particles smaller."
                )
        # Particles that start at random and are pushed apart get about as dense as a square lattice, no denser.
        # 0.3 / 0.1 is 2.9999999999999996, and a quotient of floats may be infinite.
        most = prod(int(min(length / diameter + 1e-9, 2**31)) for length in self.box.size)
        if self.particles > most:
            raise ValueError(
                f"ParticleTask.particles must be at most {most}, as many of diameter {diameter} as fit in rows and "
                f"columns in a box of {self.box.size}; got {self.particles}."
            )

    @checked
    def start(self, key: Array, states: Count) -> ParticleState:
        """Random initial states: positions uniform in the box, then pushed apart; velocities N(0, 1).

        >>> state = ParticleTask(particles=36, box=Box((9.0, 9.0))).start(jax.random.key(0), states=1)
        >>> bool((state.position >= 0.5).all() & (state.position <= 8.5).all())
        True
        """
        self._require_room(states)
        return _start(self, key, states)

    @checked
    def sample(self, key: Array, states: Count) -> ParticleState:
        """States as they occur in training, each from a separate simulation at a random time in 0..`steps` − 1.

        For expectations over the data: states from a few simulations would be strongly correlated.

        >>> ParticleTask(particles=2, box=Box((4.0, 4.0)), steps=8).sample(jax.random.key(0), states=3).velocity.shape
        (3, 2, 2)
        """
        self._require_room(states)
        return _sample(self, key, states)

    def _require_room(self, states: int) -> None:
        # Differences between all particles, along every axis: of positions, and of velocities.
        between = 8 * states * self.particles**2 * self.box.dim
        require_memory(between, f"{states:,} states of {self.particles:,} particles", "Reduce states or particles.")

    @partial(jax.jit, static_argnums=0)
    def acceleration(self, state: ParticleState) -> Float[Array, "*state particle dim"]:
        """The acceleration of each particle by contacts, without gravity."""
        return states_first(self.contact.acceleration(*states_last(state), self.box))

    @partial(jax.jit, static_argnums=0)
    def step(self, state: ParticleState) -> tuple[ParticleState, Float[Array, "*state particle dim"]]:
        """The state `dt` later, and the acceleration by contacts that led there, averaged over substeps.

        >>> task = ParticleTask(particles=1, box=Box((4.0, 4.0)))
        >>> falling = ParticleState(jnp.array([[2.0, 2.0]]), jnp.zeros((1, 2)))
        >>> after, acceleration = task.step(falling)
        >>> round(float(after.velocity[0, 1]), 5), acceleration.tolist()  # −g dt
        (-0.049, [[0.0, 0.0]])
        """
        return states_first(self.advance(states_last(state)))

    def trajectory(self, state: ParticleState, steps: int, every: int = 1) -> ParticleState:
        """The states from `state` on, time first: now, then after every `every` steps, up to `steps`."""
        if every < 1 or steps < 0 or steps % every:
            raise ValueError(f"ParticleTask.trajectory: steps must be a multiple of every; got {steps} and {every}.")
        return _trajectory(self, state, steps // every, every)

    @partial(jax.jit, static_argnums=0)
    def energy(self, state: ParticleState) -> Energy:
        """Kinetic, gravitational (0 for a centre on the floor) and elastic energy.

        >>> task = ParticleTask(particles=1, box=Box((4.0, 4.0)))
        >>> energy = task.energy(ParticleState(jnp.array([[2.0, 0.4]]), jnp.array([[1.0, 0.0]])))
        >>> [round(float(part), 2) for part in energy]  # ½ v², g y, ½ k 0.1²
        [0.5, 3.92, 5.0]
        """
        inner, mass = states_last(state), self.contact.mass
        return Energy(
            mass / 2 * jnp.sum(jnp.square(inner.velocity), axis=(0, 1)),
            mass * self.gravity * jnp.sum(inner.position[-1], axis=0),
            self.contact.elastic(inner.position, self.box),
        )

    @partial(jax.jit, static_argnums=0)
    def dissipation(self, state: ParticleState) -> Float[Array, "*state"]:
        """Power dissipated in dashpots: −dE/dt of the total `energy`, for small `dt`."""
        return self.contact.dissipation(*states_last(state), self.box)

    def advance(self, state: ParticleState) -> tuple[ParticleState, Float[Array, "dim particle *state"]]:
        """`step` for arrays laid out (dim, particle, *state), which is faster; see `nucleate.tasks.contact`."""
        dt = self.dt / self.substeps

        def substep(_, carry):
            state, mean = carry
            acceleration = self.contact.acceleration(state.position, state.velocity, self.box)
            velocity = (state.velocity + dt * acceleration).at[-1].add(-dt * self.gravity)
            return ParticleState(state.position + dt * velocity, velocity), mean + acceleration / self.substeps

        still = jnp.zeros_like(state.velocity)
        if self.substeps == 1:
            return substep(0, (state, still))
        return jax.lax.fori_loop(0, self.substeps, substep, (state, still))


@partial(jax.jit, static_argnums=(0, 2))
def _start(task: ParticleTask, key: Array, states: int) -> ParticleState:
    where, how_fast = jax.random.split(key)
    shape, radius = (task.box.dim, task.particles, states), task.contact.diameter / 2
    room = jnp.array([length - 2 * radius for length in task.box.size])[:, None, None]
    position = radius + room * jax.random.uniform(where, shape)
    position = task.contact.spread(position, task.box, _SWEEPS)
    return states_first(ParticleState(position, jax.random.normal(how_fast, shape)))


@partial(jax.jit, static_argnums=(0, 2))
def _sample(task: ParticleTask, key: Array, states: int) -> ParticleState:
    start_key, age_key = jax.random.split(key)
    age = jax.random.randint(age_key, (states,), 0, task.steps)

    def step(done, state):
        moved, _ = task.advance(state)
        return jax.tree.map(lambda new, old: jnp.where(done < age, new, old), moved, state)

    start = states_last(_start(task, start_key, states))
    return states_first(jax.lax.fori_loop(0, task.steps - 1, step, start))


@partial(jax.jit, static_argnums=(0, 2, 3))
def _trajectory(task: ParticleTask, state: ParticleState, frames: int, every: int) -> ParticleState:
    start = states_last(state)

    def frame(state, _):
        state = jax.lax.fori_loop(0, every, lambda _, state: task.advance(state)[0], state)
        return state, states_first(state)

    _, after = jax.lax.scan(frame, start, length=frames)
    return jax.tree.map(lambda first, rest: jnp.concatenate([first[None], rest]), states_first(start), after)


def states_last(state: _Tree) -> _Tree:
    """(*state, particle, dim) → (dim, particle, *state), for every array."""
    return jax.tree.map(lambda array: jnp.moveaxis(array, (-1, -2), (0, 1)), state)


def states_first(state: _Tree) -> _Tree:
    """(dim, particle, *state) → (*state, particle, dim), for every array."""
    return jax.tree.map(lambda array: jnp.moveaxis(array, (0, 1), (-1, -2)), state)
