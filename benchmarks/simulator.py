"""Particles in a box, simulated in NumPy as one would write it first, in JAX as one would write it first, and here."""

import time

import jax
import jax.numpy as jnp
import numpy as np

from nucleate.tasks import ParticleState, ParticleTask

STATES, STEPS = 64, 32
TASK = ParticleTask()


def numpy_layout(steps: int) -> float:
    """Particle-steps a second of arrays (state, particle, particle, dim), one operation after another."""
    position, velocity = (np.asarray(array) for array in _start())
    began = time.perf_counter()
    for _ in range(steps):
        position, velocity = _naive(np, position, velocity)
    return STATES * TASK.particles * steps / (time.perf_counter() - began)


def jax_layout() -> float:
    """Particle-steps a second of the same arrays in a compiled loop."""

    @jax.jit
    def simulate(state: ParticleState) -> ParticleState:
        return jax.lax.fori_loop(0, STEPS, lambda _, now: ParticleState(*_naive(jnp, *now)), state)

    return _rate(simulate)


def nucleate() -> float:
    """Particle-steps a second of `ParticleTask.trajectory`, which must agree with the naive layout."""
    difference = disagreement()
    if not difference < 1e-4:
        raise ValueError(f"velocities differ by {difference} after a step: this compares two simulators.")
    return _rate(lambda state: TASK.trajectory(state, STEPS, every=STEPS))


def disagreement() -> float:
    """The largest difference of a velocity between the naive layout and nucleate after a step."""
    _, velocity = _naive(np, *(np.asarray(array) for array in _start()))
    return float(np.abs(velocity - TASK.step(_start())[0].velocity).max())


def _start() -> ParticleState:
    # Some steps in: at first, particles that were pushed apart touch by a rounding error or do not.
    return jax.tree.map(lambda array: array[-1], TASK.trajectory(TASK.start(jax.random.key(0), STATES), 16, every=16))


def _naive(numpy, position, velocity):
    """One step: every pair of particles of every state, their vectors innermost."""
    contact, radius = TASK.contact, TASK.contact.diameter / 2
    apart = position[:, :, None] - position[:, None]
    distance = numpy.sqrt(numpy.maximum((apart * apart).sum(-1), 1e-12))
    opening = ((velocity[:, :, None] - velocity[:, None]) * apart).sum(-1) / distance
    spring = contact.stiffness * (contact.diameter - distance) - contact.damping * opening
    strength = numpy.where(distance < contact.diameter, spring / distance, 0)
    force = (strength[..., None] * apart).sum(2)
    size = numpy.asarray(TASK.box.size, numpy.float32)
    for overlap, push in ((radius - position, 1), (radius - (size - position), -1)):
        wall = push * contact.stiffness * overlap - contact.damping * velocity
        force = force + numpy.where(overlap > 0, wall, 0)
    gravity = numpy.asarray([0, TASK.gravity], numpy.float32)
    velocity = velocity + TASK.dt * (force / contact.mass - gravity)
    return position + TASK.dt * velocity, velocity


def _rate(simulate, repeats: int = 3) -> float:
    state = _start()
    jax.block_until_ready(simulate(state))
    began = time.perf_counter()
    for _ in range(repeats):
        jax.block_until_ready(simulate(state))
    return repeats * STATES * TASK.particles * STEPS / (time.perf_counter() - began)
