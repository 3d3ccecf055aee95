"""The simulator against a loop in NumPy, and against what mechanics promises."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.tasks import Box, Contact, ParticleState, ParticleTask

SMALL = ParticleTask(particles=8, box=Box((4.0, 4.0)), steps=64)


def brute_force(task, position, velocity, steps):
    """One simulation, particle by particle, in float64: semi-implicit Euler with particles and four walls."""
    contact, dt = task.contact, task.dt / task.substeps
    position, velocity = position.copy(), velocity.copy()
    for _ in range(steps * task.substeps):
        force = np.zeros_like(position)
        force[:, -1] -= contact.mass * task.gravity
        for i, (p, v) in enumerate(zip(position, velocity, strict=True)):
            for q, w in zip(np.delete(position, i, 0), np.delete(velocity, i, 0), strict=True):
                distance = np.linalg.norm(p - q)
                if distance < contact.diameter:
                    n = (p - q) / distance
                    force[i] += (contact.stiffness * (contact.diameter - distance) - contact.damping * (v - w) @ n) * n
            for axis, length in enumerate(task.box.size):
                low, high = p[axis] - contact.diameter / 2, length - contact.diameter / 2 - p[axis]
                if low < 0:
                    force[i, axis] += -contact.stiffness * low - contact.damping * v[axis]
                if high < 0:
                    force[i, axis] += contact.stiffness * high - contact.damping * v[axis]
        velocity = velocity + dt * force / contact.mass
        position = position + dt * velocity
    return position, velocity


@pytest.mark.parametrize(
    "task",
    [SMALL, ParticleTask(5, Box((2.5, 2.5, 2.5)), Contact(mass=0.7, damping=4.0), gravity=3.0, substeps=2)],
    ids=["2-D", "3-D, substeps"],
)
def test_a_simulation_agrees_with_loops_in_numpy(task):
    start = task.start(jax.random.key(1), states=2)
    seen = task.trajectory(start, steps=60, every=20)
    for state in range(2):
        for frame in range(4):
            expected = brute_force(task, *(np.asarray(x[state], np.float64) for x in start), 20 * frame)
            for ours, theirs in zip(seen, expected, strict=True):
                np.testing.assert_allclose(ours[frame, state], theirs, atol=2e-3)


def test_a_state_alone_moves_as_it_does_among_others():
    start = SMALL.start(jax.random.key(2), states=3)
    together, _ = SMALL.step(start)
    alone, _ = SMALL.step(ParticleState(start.position[1], start.velocity[1]))
    np.testing.assert_allclose(together.position[1], alone.position, atol=1e-6)


def test_the_acceleration_of_a_step_is_that_of_equation_6():
    for task in (SMALL, ParticleTask(8, Box((4.0, 4.0)), substeps=3)):
        state = task.trajectory(task.start(jax.random.key(3), states=4), steps=40).position[-1]
        state = ParticleState(state, jax.random.normal(jax.random.key(0), state.shape))
        after, acceleration = task.step(state)
        gravity = jnp.array([0.0, -task.gravity])
        np.testing.assert_allclose(after.velocity, state.velocity + task.dt * (acceleration + gravity), atol=1e-5)
    after, acceleration = SMALL.step(state)
    np.testing.assert_allclose(after.position, state.position + SMALL.dt * after.velocity, atol=1e-6)
    np.testing.assert_allclose(acceleration, SMALL.acceleration(state), atol=1e-4)


def total(task, start, steps):
    return np.asarray(task.energy(task.trajectory(start, steps, every=10)).total)


def test_energy_stays_without_damping_and_only_falls_with_it():
    fine = {"particles": 8, "box": Box((4.0, 4.0)), "dt": 2e-4}
    elastic = ParticleTask(**fine, contact=Contact(damping=0.0))
    start = elastic.start(jax.random.key(4), states=8)
    kept = total(elastic, start, 5000)
    assert np.abs(kept / kept[0] - 1).max() < 0.01
    damped = total(ParticleTask(**fine), start, 5000)
    assert np.all(np.diff(damped, axis=0) < 1e-3 * damped[0])
    assert np.all(damped[-1] < 0.8 * damped[0])


def test_what_energy_loses_dashpots_burn():
    task = ParticleTask(particles=8, box=Box((4.0, 4.0)), dt=1e-4)
    path = task.trajectory(task.start(jax.random.key(5), states=8), steps=4000)
    burnt = np.asarray(task.dissipation(path), np.float64)[:-1].sum(axis=0) * task.dt
    energy = np.asarray(task.energy(path).total, np.float64)
    np.testing.assert_allclose(energy[0] - energy[-1], burnt, rtol=0.02)


def test_collisions_conserve_momentum():
    task = ParticleTask(8, Box((4.0, 4.0), walls=((False, False),) * 2), gravity=0.0)
    start = task.start(jax.random.key(6), states=4)
    inwards = ParticleState(start.position, start.velocity + 2 * (2 - start.position))
    path = task.trajectory(inwards, steps=100, every=100)
    assert np.abs(np.asarray(task.energy(path).total)[-1] / np.asarray(task.energy(path).total)[0]).max() < 0.9
    np.testing.assert_allclose(path.velocity[-1].sum(1), path.velocity[0].sum(1), atol=2e-4)


def test_the_papers_particles_settle_within_its_1024_steps():
    task = ParticleTask(particles=12, box=Box((6.0, 6.0)))
    energy = task.energy(task.trajectory(task.start(jax.random.key(7), states=8), steps=1024, every=1024))
    assert np.all(energy.kinetic[-1] < 0.05 * energy.kinetic.max(axis=0) + 0.5)
    assert np.all(energy.gravitational[-1] < energy.gravitational[0])


def test_starts_differ_and_have_the_right_moments():
    start = ParticleTask().start(jax.random.key(8), states=64)
    assert len(np.unique(start.position[:, 0, 0])) == 64
    np.testing.assert_allclose(start.position.mean((0, 1)), (14, 7), atol=0.4)
    np.testing.assert_allclose([start.velocity.mean(), start.velocity.std()], (0, 1), atol=0.04)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"particles": 0}, r"ParticleTask\.particles must be >= 1; got 0"),
        ({"particles": 393}, r"particles must be at most 392 of diameter 1\.0 in a box of \(28\.0, 14\.0\).* got 393"),
        ({"particles": 1, "box": Box((0.5, 9.0))}, r"walls of axis 0 are 0\.5 apart and would overlap in a particle"),
        ({"dt": -0.1}, r"ParticleTask\.dt must be positive; got -0\.1"),
        ({"dt": 0.02}, r"dt = 0\.02 in 1 substeps is too coarse for Contact.* Take more substeps"),
        ({"substeps": 0}, r"ParticleTask\.substeps must be >= 1; got 0"),
        ({"gravity": float("nan")}, r"ParticleTask\.gravity must be finite; got nan"),
    ],
)
def test_bad_tasks(wrong, message):
    with pytest.raises(ValueError, match=message):
        ParticleTask(**wrong)


def test_bad_requests():
    with pytest.raises(ValueError, match=r"states must be >= 1; got 0"):
        SMALL.start(jax.random.key(0), states=0)
    with pytest.raises(ValueError, match=r"steps must be a multiple of every; got 10 and 3"):
        SMALL.trajectory(SMALL.start(jax.random.key(0), states=1), steps=10, every=3)
