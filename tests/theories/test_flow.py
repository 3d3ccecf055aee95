"""The integrator and the matrix exponential against closed forms and SciPy."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from nucleate.theories import integrate
from nucleate.theories.flow import relax


def symmetric(seed, size=5):
    root = np.random.default_rng(seed).normal(size=(size, size))
    return root @ root.T / size


def test_integrate_meets_the_exponential():
    times = np.linspace(0, 5, 11)
    path = integrate(lambda x: -x, np.array([2.0]), times)
    np.testing.assert_allclose(path[:, 0], 2 * np.exp(-times), rtol=1e-9)


def test_integrate_takes_a_pytree_and_starts_at_time_zero():
    path = integrate(lambda x: {"q": x["p"], "p": -x["q"]}, {"q": 1.0, "p": 0.0}, np.array([np.pi / 2, np.pi]))
    np.testing.assert_allclose(path["q"], [0, -1], atol=1e-9)
    np.testing.assert_allclose(path["p"], [-1, 0], atol=1e-9)


def test_integrate_is_double_and_leaves_the_callers_precision_alone():
    path = integrate(lambda x: -x, np.ones(1, np.float32), np.array([1.0]))
    assert path.dtype == np.float64
    assert jnp.ones(1).dtype == jnp.float32


def test_integrate_at_time_zero_returns_the_start():
    assert integrate(lambda x: -x, np.ones(1), np.zeros(1)).tolist() == [[1.0]]


def test_integrate_compiles_a_pytree_velocity_once():
    traces = []

    class Decay(eqx.Module):
        rate: float

        def __call__(self, x):
            traces.append(1)
            return -self.rate * x

    integrate(Decay(1.0), np.ones(1), np.array([1.0]))
    first = len(traces)
    half = integrate(Decay(0.5), np.ones(1), np.array([1.0]))
    assert len(traces) == first
    np.testing.assert_allclose(half, np.exp(-0.5))


@pytest.mark.parametrize("times", [[], [-1.0, 0.0], [1.0, 0.5]])
def test_integrate_refuses_times_that_go_back(times):
    with pytest.raises(ValueError, match="times must be non-negative"):
        integrate(lambda x: x, np.ones(1), np.array(times))


@settings(deadline=None, derandomize=True, max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), time=st.floats(0, 20))
def test_decay_is_the_matrix_exponential(seed, time):
    matrix, x0 = symmetric(seed), np.random.default_rng(seed).normal(size=(5, 2))
    np.testing.assert_allclose(relax(matrix, x0, np.array([time]))[0], expm(-matrix * time) @ x0, rtol=1e-8, atol=1e-11)


def test_decay_meets_two_integrators():
    matrix, x0, times = symmetric(0), np.random.default_rng(1).normal(size=(5, 2)), np.linspace(0, 4, 5)
    exact = relax(matrix, x0, times)
    scipy = solve_ivp(
        lambda t, x: -(matrix @ x.reshape(5, 2)).ravel(),
        (0, 4),
        x0.ravel(),
        method="DOP853",
        t_eval=times,
        rtol=1e-12,
        atol=1e-13,
    ).y.T.reshape(5, 5, 2)
    np.testing.assert_allclose(exact, scipy, atol=1e-10)
    np.testing.assert_allclose(exact, integrate(lambda x: -jnp.asarray(matrix) @ x, x0, times), atol=1e-9)


def test_decay_broadcasts_over_leading_axes():
    matrices = np.stack([symmetric(s) for s in range(3)])
    x0, times = np.random.default_rng(0).normal(size=(3, 5, 2)), np.random.default_rng(1).uniform(size=(3, 4))
    many = relax(matrices, x0, times)
    assert many.shape == (3, 4, 5, 2)
    for k in range(3):
        np.testing.assert_allclose(many[k], relax(matrices[k], x0[k], times[k]), rtol=1e-12)
    np.testing.assert_allclose(relax(matrices[0], x0, times)[1], relax(matrices[0], x0[1], times[1]), rtol=1e-12)


def test_integrate_inside_jit_precision_is_restored_after_an_error():
    def broken(x):
        raise RuntimeError("no velocity")

    with pytest.raises(RuntimeError, match="no velocity"):
        integrate(broken, np.ones(1), np.array([1.0]))
    assert not jax.config.jax_enable_x64
