"""The simulator against a loop in NumPy, and against what mechanics promises."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.tasks import Box, Contact, ParticleState, ParticleTask

SMALL = ParticleTask(particles=8, box=Box((4.0, 4.0)), steps=64)

FREE = ((False, False), (False, False))


def scatter(task, states, seed):
    """Random states, many in contact, from NumPy: nothing to compile."""
    rng = np.random.default_rng(seed)
    position = rng.uniform(0.4, 0.6 + np.array(task.box.size) - 1, (states, task.particles, task.box.dim))
    return ParticleState(*(jnp.asarray(x, jnp.float32) for x in (position, rng.normal(size=position.shape))))


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
    start = scatter(task, 2, seed=1)
    seen = task.trajectory(start, steps=60, every=20)
    for state in range(2):
        for frame in range(4):
            expected = brute_force(task, *(np.asarray(x[state], np.float64) for x in start), 20 * frame)
            for ours, theirs in zip(seen, expected, strict=True):
                np.testing.assert_allclose(ours[frame, state], theirs, atol=2e-3)


def test_a_state_alone_moves_as_it_does_among_others():
    start = scatter(SMALL, 3, seed=2)
    together, _ = SMALL.step(start)
    alone, _ = SMALL.step(ParticleState(start.position[1], start.velocity[1]))
    np.testing.assert_allclose(together.position[1], alone.position, atol=1e-6)


@pytest.mark.parametrize("task", [SMALL, ParticleTask(8, Box((4.0, 4.0)), substeps=3)])
def test_the_acceleration_of_a_step_is_that_of_equation_6(task):
    state = scatter(task, 3, seed=3)
    after, acceleration = task.step(state)
    gravity = np.array([0.0, -task.gravity])
    np.testing.assert_allclose(after.velocity, state.velocity + task.dt * (acceleration + gravity), atol=1e-4)
    if task.substeps == 1:
        np.testing.assert_allclose(after.position, state.position + task.dt * after.velocity, atol=1e-5)
        np.testing.assert_allclose(acceleration, task.acceleration(state), rtol=1e-5)


def test_energy_stays_without_damping_and_dashpots_burn_what_is_lost_with_it():
    elastic = ParticleTask(8, Box((4.0, 4.0)), Contact(damping=0.0), dt=2e-4)
    damped = ParticleTask(8, Box((4.0, 4.0)), dt=2e-4)
    start = elastic.start(jax.random.key(4), states=8)
    kept = np.asarray(elastic.energy(elastic.trajectory(start, 4000, every=10)).total)
    assert np.abs(kept / kept[0] - 1).max() < 0.01
    path = damped.trajectory(start, 4000)
    energy = np.asarray(damped.energy(path).total, np.float64)
    assert np.all(np.diff(energy[::10], axis=0) < 1e-3 * energy[0])
    assert np.all(energy[-1] < 0.8 * energy[0])
    burnt = np.asarray(damped.dissipation(path), np.float64)[:-1].sum(axis=0) * damped.dt
    np.testing.assert_allclose(energy[0] - energy[-1], burnt, rtol=0.03)


def test_collisions_conserve_momentum():
    task = ParticleTask(8, Box((4.0, 4.0), walls=FREE), gravity=0.0)
    path = task.trajectory(scatter(task, 4, seed=6), steps=20, every=20)
    assert np.abs(path.velocity[1] - path.velocity[0]).max() > 1
    np.testing.assert_allclose(path.velocity[1].sum(1), path.velocity[0].sum(1), atol=2e-4)


def test_the_papers_particles_settle_within_its_1024_steps():
    task = ParticleTask(particles=12, box=Box((6.0, 6.0)))
    energy = task.energy(task.trajectory(task.start(jax.random.key(7), states=8), steps=1024, every=1024))
    assert np.all(energy.kinetic[-1] < 0.05 * energy.kinetic.max(axis=0) + 0.5)
    assert np.all(energy.gravitational[-1] < energy.gravitational[0])


def test_starts_differ_have_the_right_moments_and_no_overlap():
    task = ParticleTask(particles=12, box=Box((6.0, 6.0)))
    start = task.start(jax.random.key(8), states=200)
    assert len(np.unique(start.velocity[:, 0, 0])) == len(np.unique(start.position.sum((1, 2)))) == 200
    np.testing.assert_allclose(start.position.mean((0, 1)), (3, 3), atol=0.15)
    np.testing.assert_allclose([start.velocity.mean(), start.velocity.std()], (0, 1), atol=0.05)
    assert np.all((start.position >= 0.5) & (start.position <= 5.5))
    assert np.sum(task.energy(start).elastic > 0.1) <= 2  # an overlap of 1.4 % of a diameter


def test_samples_are_of_all_ages():
    """A particle alone in a tall open box falls: its height tells its age."""
    task = ParticleTask(1, Box((9.0, 9.0), walls=FREE), steps=200)
    fallen = np.asarray(task.sample(jax.random.key(0), states=400).velocity)[:, 0, 1] / (task.gravity * task.dt)
    # v_y = N(0, 1) − g t, t uniform up to 199 steps: mean −99.5 and variance 200²/12 + (1/g dt)², in steps.
    np.testing.assert_allclose(fallen.mean(), -99.5, atol=10)
    np.testing.assert_allclose(fallen.std(), np.hypot(200 / np.sqrt(12), 1 / 0.049), rtol=0.1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"particles": 0}, r"ParticleTask\.particles must be >= 1; got 0"),
        (
            {"particles": 393},
            r"particles must be at most 392, .* of diameter 1\.0 .* in a box of \(28\.0, 14\.0\); got 393",
        ),
        (
            {"particles": 1, "box": Box((0.5, 9.0))},
            r"walls of axis 0 are 0\.5 apart, too close for particles of diameter 1\.0",
        ),
        ({"dt": -0.1}, r"ParticleTask\.dt must be > 0; got -0\.1"),
        ({"dt": 0.02}, r"dt = 0\.02 in 1 substeps is too coarse for Contact.*; increase substeps"),
        ({"substeps": 0}, r"ParticleTask\.substeps must be >= 1; got 0"),
        ({"gravity": float("nan")}, r"ParticleTask\.gravity must be finite; got nan"),
    ],
)
def test_bad_tasks(wrong, message):
    with pytest.raises(ValueError, match=message):
        ParticleTask(**wrong)


def test_as_many_as_fit_in_rows_and_columns_are_let_in():
    assert ParticleTask(9, Box((0.3, 0.3)), Contact(diameter=0.1)).particles == 9


def test_bad_requests():
    with pytest.raises(ValueError, match=r"states must be >= 1; got 0"):
        SMALL.start(jax.random.key(0), states=0)
    with pytest.raises(ValueError, match=r"ParticleTask\.sample: states must be >= 1; got 0"):
        SMALL.sample(jax.random.key(0), states=0)
    with pytest.raises(ValueError, match=r"steps must be a multiple of every; got 10 and 3"):
        SMALL.trajectory(scatter(SMALL, 1, seed=0), steps=10, every=3)
