"""Forces against loops over pairs; collisions against the closed form of a damped spring."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import optimize

from nucleate.tasks import Box, Contact, ParticleState, ParticleTask

FREE = ((False, False),) * 2


def brute_force(contact, box, position, velocity):
    """Acceleration, elastic energy and dissipated power of one state, contact by contact, in float64."""
    force, elastic, burnt = np.zeros_like(position), 0.0, 0.0
    for i in range(len(position)):
        for j in range(len(position)):
            apart = position[i] - position[j]
            distance = np.linalg.norm(apart)
            if i != j and distance < contact.diameter:
                normal, overlap = apart / distance, contact.diameter - distance
                speed = (velocity[i] - velocity[j]) @ normal
                force[i] += (contact.stiffness * overlap - contact.damping * speed) * normal
                elastic += contact.stiffness * overlap**2 / 4
                burnt += contact.damping * speed**2 / 2
        for axis, length in enumerate(box.size):
            for end, normal in ((0, 1.0), (1, -1.0)):
                gap = position[i, axis] if end == 0 else length - position[i, axis]
                if box.closed[axis][end] and gap < contact.diameter / 2:
                    overlap, speed = contact.diameter / 2 - gap, velocity[i, axis] * normal
                    force[i, axis] += (contact.stiffness * overlap - contact.damping * speed) * normal
                    elastic += contact.stiffness * overlap**2 / 2
                    burnt += contact.damping * speed**2
    return force / contact.mass, elastic, burnt


@pytest.mark.parametrize(
    "box",
    [Box((4.0, 3.0)), Box((4.0, 3.0), walls=((True, False), (False, True))), Box((2.5, 2.0, 2.0))],
    ids=["closed", "half open", "3-D"],
)
def test_forces_energy_and_power_agree_with_loops_over_contacts(box):
    contact = Contact(stiffness=70.0, damping=3.0, diameter=0.9, mass=1.7)
    rng = np.random.default_rng(0)
    task = ParticleTask(particles=6, box=box, contact=contact)
    # A little outside, too: a particle may have been pushed through a wall's plane.
    position = rng.uniform(-0.1, 1.05, (5, 6, box.dim)) * box.size
    velocity = rng.normal(size=position.shape)
    state = ParticleState(jnp.asarray(position, jnp.float32), jnp.asarray(velocity, jnp.float32))
    expected = [brute_force(contact, box, *one) for one in zip(position, velocity, strict=True)]
    acceleration, elastic, burnt = (np.stack(values) for values in zip(*expected, strict=True))
    assert np.abs(acceleration).max() > 10
    np.testing.assert_allclose(task.acceleration(state), acceleration, atol=1e-3)
    np.testing.assert_allclose(task.energy(state).elastic, elastic, rtol=1e-4)
    np.testing.assert_allclose(task.dissipation(state), burnt, rtol=1e-4)


@pytest.mark.parametrize("contact", [Contact(), Contact(stiffness=200.0, damping=4.0, mass=2.0, diameter=1.5)])
@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.6, 0.8)])
def test_two_particles_meet_as_the_damped_spring_says(contact, direction):
    direction, dt = np.array(direction), 2e-5
    task = ParticleTask(2, Box((10.0, 10.0), walls=FREE), contact, gravity=0.0, dt=dt)
    half = contact.diameter / 2 * direction  # about the origin, where float32 is finest
    state = ParticleState(jnp.array([-half, half]), jnp.array([direction, -direction]) * 0.5)

    def step(state, _):
        state, acceleration = task.step(state)
        return state, jnp.abs(acceleration).max() > 0

    after, touching = jax.lax.scan(step, state, length=int(1.2 * contact.duration / dt))
    assert np.isclose(touching.sum() * dt, contact.duration, rtol=2e-3)
    rebound = (after.velocity[1] - after.velocity[0]) @ jnp.asarray(direction, jnp.float32)
    np.testing.assert_allclose(rebound, contact.restitution, rtol=3e-3)


def test_without_damping_nothing_is_lost_and_too_much_damping_sticks():
    assert Contact(damping=0.0).restitution == 1
    assert Contact(damping=50.0).restitution == 0
    assert Contact(damping=50.0).duration == np.inf


def test_stability_is_that_of_the_map():
    """Semi-implicit Euler on x'' = −ω² x − 2η x', with the ω² and η of a close packing: four times a pair's."""
    contact = Contact()
    bound = optimize.brentq(
        lambda dt: (2 * contact.stiffness * dt**2 + 4 * contact.damping * dt) / contact.mass - 1, 1e-4, 1
    )
    for dt in (0.002, 0.005, 0.99 * bound, 1.01 * bound, 0.05):
        stiff, damp = 8 * contact.stiffness / contact.mass, 8 * contact.damping / contact.mass
        step = np.array([[1 - dt * damp, -dt * stiff], [dt * (1 - dt * damp), 1 - dt**2 * stiff]])
        assert contact.stable(dt) == (np.abs(np.linalg.eigvals(step)).max() < 1) == (dt < bound)


def test_bad_springs():
    with pytest.raises(ValueError, match=r"Contact\.stiffness must be > 0; got 0"):
        Contact(stiffness=0.0)
    with pytest.raises(ValueError, match=r"Contact\.damping must be >= 0; got -1"):
        Contact(damping=-1.0)
