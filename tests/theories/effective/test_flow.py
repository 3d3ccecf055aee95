"""The effective loss, its gradient, its flows, and what they conserve."""

import equinox as eqx
import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from nucleate.observables import equations, parallelograms
from nucleate.theories import AllParallelograms, ExactFlow, KnownParallelograms, LinearizedFlow, integrate
from nucleate.theories.effective import conserved, effective_loss, exact_velocity

P = 10
LEFT, RIGHT = np.triu_indices(P)
QUADS = parallelograms(LEFT + RIGHT)
A = equations(np.stack([LEFT, RIGHT], axis=-1), QUADS, P)
GRAM = A.T @ A
TIMES = np.linspace(0, 0.5, 6)
VELOCITY = eqx.Partial(exact_velocity, equations=A)


def random_embedding(seed, dim=2, centred=False):
    x = np.random.default_rng(seed).uniform(-0.5, 0.5, size=(P, dim))
    return x - x.mean(axis=0) if centred else x


def numpy_velocity(x):
    """Eq. 25, written once more without JAX and without A."""
    z0, loss, force = (x**2).sum(), 0.0, np.zeros_like(x)
    for first, second in QUADS:
        (i, j), (m, n) = (LEFT[first], RIGHT[first]), (LEFT[second], RIGHT[second])
        gap = x[i] + x[j] - x[m] - x[n]
        loss += gap @ gap
        for k, sign in ((i, 1), (j, 1), (m, -1), (n, -1)):
            force[k] += 2 * sign * gap
    return 2 * loss / z0**2 * x - force / z0


@settings(deadline=None, derandomize=True, max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), dim=st.integers(1, 3))
def test_velocity_is_minus_the_gradient(seed, dim):
    with jax.enable_x64(True):
        x = random_embedding(seed, dim)
        velocity = np.asarray(exact_velocity(x, A))
        np.testing.assert_allclose(velocity, -jax.grad(effective_loss)(jax.numpy.asarray(x), A), atol=1e-10)
        np.testing.assert_allclose(velocity, numpy_velocity(x), atol=1e-10)


@settings(deadline=None, derandomize=True, max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), scale=st.floats(0.1, 10))
def test_loss_does_not_know_the_scale_and_ends_on_the_line(seed, scale):
    with jax.enable_x64(True):
        x = random_embedding(seed)
        np.testing.assert_allclose(effective_loss(scale * x, A), effective_loss(x, A), rtol=1e-10)
        line = np.outer(np.arange(P), x[0]) + x[1]
        assert float(effective_loss(line, A)) < 1e-20


def test_linearized_flow_is_the_matrix_exponential_and_meets_scipy():
    x0 = random_embedding(0)
    hessian = 2 / (x0**2).sum() * GRAM
    path = LinearizedFlow().trajectory(GRAM, x0, TIMES)
    for t, x in zip(TIMES, path, strict=True):
        np.testing.assert_allclose(x, expm(-hessian * t) @ x0, atol=1e-12)
    reference = _scipy(lambda x: -hessian @ x, x0)
    np.testing.assert_allclose(path, reference, atol=1e-10)


@pytest.mark.parametrize("centred", [False, True])
def test_exact_flow_meets_scipy_and_the_integrator(centred):
    x0 = random_embedding(1, centred=centred)
    path = ExactFlow().trajectory(GRAM, x0, TIMES)
    np.testing.assert_allclose(path, _scipy(numpy_velocity, x0), atol=1e-9)
    np.testing.assert_allclose(path, integrate(VELOCITY, x0, TIMES), atol=1e-9)


def test_exact_flow_conserves_z0_but_c_only_if_centred():
    x0 = random_embedding(2) + 0.3
    path = integrate(VELOCITY, x0, TIMES)
    with jax.enable_x64(True):
        c, z0 = (np.asarray(q) for q in conserved(path))
        loss = np.array([float(effective_loss(x, A)) for x in path])
        rates = np.stack([np.asarray(exact_velocity(x, A)).sum(axis=0) for x in path])
    np.testing.assert_allclose(z0, z0[0], rtol=1e-8)
    np.testing.assert_allclose(rates, (2 * loss / z0)[:, None] * c, rtol=1e-9, atol=1e-12)
    assert np.linalg.norm(c[-1]) > 1.01 * np.linalg.norm(c[0])


def test_c_grows_by_the_integral_of_its_rate():
    """dC/dt = (2ℓ_0/Z_0²) C, so log C rises by the integral of 2 ℓ_eff/Z_0 along the trajectory."""
    x0 = random_embedding(3, dim=1) + 0.3

    def velocity(state):
        x, log = state
        return exact_velocity(x, A), 2 * effective_loss(x, A) / jax.numpy.sum(x**2) + 0 * log

    path, log = integrate(velocity, (x0, np.zeros(())), TIMES)
    c = path.sum(axis=1)
    np.testing.assert_allclose(c, np.exp(log)[:, None] * c[0], rtol=1e-8)


def test_centred_exact_flow_conserves_both():
    path = ExactFlow().trajectory(GRAM, random_embedding(4, centred=True), TIMES)
    c, z0 = path.sum(axis=1), (path**2).sum(axis=(1, 2))
    np.testing.assert_allclose(c, 0, atol=1e-12)
    np.testing.assert_allclose(z0, z0[0], rtol=1e-12)


def test_linearized_flow_conserves_c_but_not_z0():
    path = LinearizedFlow().trajectory(GRAM, random_embedding(5) + 0.3, TIMES)
    c, z0 = path.sum(axis=1), (path**2).sum(axis=(1, 2))
    np.testing.assert_allclose(c, np.broadcast_to(c[0], c.shape), rtol=1e-11)
    assert np.all(np.diff(z0) < 0)
    assert z0[-1] < 0.95 * z0[0]


@settings(deadline=None, derandomize=True, max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), dim=st.integers(1, 3))
def test_the_two_flows_differ_by_scale_alone(seed, dim):
    x0 = random_embedding(seed, dim)
    exact, linear = (flow().trajectory(GRAM, x0, TIMES) for flow in (ExactFlow, LinearizedFlow))
    unit = [p / np.linalg.norm(p, axis=(1, 2), keepdims=True) for p in (exact, linear)]
    np.testing.assert_allclose(unit[0], unit[1], atol=1e-12)


def test_all_and_known_parallelograms():
    in_train = np.random.default_rng(0).random((3, len(LEFT))) < 0.7
    assert len(QUADS) == 70
    assert AllParallelograms().select(QUADS, None).all()
    assert AllParallelograms().select(QUADS, in_train).shape == (3, 70)
    expected = in_train[:, QUADS[:, 0]] & in_train[:, QUADS[:, 1]]
    assert (KnownParallelograms().select(QUADS, in_train) == expected).all()
    with pytest.raises(ValueError, match=r"'in_train'.*data split"):
        KnownParallelograms().select(QUADS, None)


def _scipy(velocity, x0):
    solution = solve_ivp(
        lambda t, x: velocity(x.reshape(x0.shape)).ravel(),
        (0, TIMES[-1]),
        x0.ravel(),
        method="DOP853",
        t_eval=TIMES,
        rtol=1e-11,
        atol=1e-12,
    )
    return solution.y.T.reshape(len(TIMES), *x0.shape)
