"""The flow of attention against automatic differentiation, SciPy, and the closed form it has while Y is fast."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from nucleate.theories import integrate
from nucleate.theories.scanning import ClockFlow, ScanFlow, ScanState, gain_bounds, normalized_attention

P = np.array([[0.4, 0.2, 0.3, 0.1, 0.0, 0.0], [0.4, 0.2, 0.0, 0.0, 0.3, 0.1]])
LAST, SHARE = np.array([0, 1]), np.array([0.5, 0.5])
TIMES = np.array([0.0, 3.0, 30.0, 300.0])


def objective(Z, Y, probability, last, share):
    f = jax.vmap(lambda c: c / jnp.linalg.norm(c))(probability * jnp.exp(Z[last]))
    return jnp.sum(share * jnp.diag(jax.nn.log_softmax(f @ Y)))


def test_velocity_is_the_gradient_of_the_expected_log_likelihood():
    rng = np.random.default_rng(0)
    last, share = np.array([0, 0]), np.array([0.3, 0.7])  # two classes of one last token
    state = ScanState(rng.normal(size=(1, 6)), rng.normal(size=(6, 2)), np.zeros(2))
    with jax.enable_x64(True):
        moved = eqx.filter_jit(ScanFlow(P, last, share, 0.2, 3.0))(state)
        Z, Y = jax.jit(jax.grad(objective, (0, 1)))(state.Z, state.Y, P, last, share)
        np.testing.assert_allclose(moved.Z, 0.2 * Z, atol=1e-14)
        np.testing.assert_allclose(moved.Y, 3 * Y, atol=1e-14)
        np.testing.assert_allclose(moved.Z.sum(), 0, atol=1e-14)


@pytest.fixture(scope="module")
def paths():
    """From zero, by η_Z/η_Y; each for as long as it takes to make the same progress."""
    return {r: integrate(ScanFlow(P, LAST, SHARE, r, 1.0), ScanState.zero(P, LAST), TIMES) for r in (1e-3, 1e-2, 1.0)}


def errors(path: ScanState) -> np.ndarray:
    """|ln(r(t)/r(0)) − 2 (z(t) − z(0))| for the dominant token of the first class."""
    f = np.asarray(normalized_attention(P, path.Z[:, LAST]))[:, 0]
    r = f[:, 2] ** 2 / f[:, 3] ** 2 - 1
    return np.abs(np.log(r / r[0]) - 2 * path.Z[:, 0, 2])


def test_flow_is_that_of_another_solver(paths):
    sizes = (12, 12, 2)

    def velocity(t, y):
        Z, Y, _ = np.split(y, np.cumsum(sizes)[:-1])
        Z, Y = Z.reshape(2, 6), Y.reshape(6, 2)
        c = P * np.exp(Z[LAST])
        f = c / np.linalg.norm(c, axis=1, keepdims=True)
        a = np.exp(f @ Y)
        e = SHARE[:, None] * (np.eye(2) - a / a.sum(1, keepdims=True))
        g = e @ Y.T
        dZ = f * (g - f * np.sum(f * g, 1, keepdims=True))
        own = np.array([[2, 3], [4, 5]])
        xi = np.take_along_axis(dZ, own, 1).sum(1) / np.take_along_axis(f**2, own, 1).sum(1)
        return np.concatenate([dZ.ravel(), (f.T @ e).ravel(), xi])

    other = solve_ivp(velocity, (0, 300), np.zeros(26), t_eval=TIMES, rtol=1e-10, atol=1e-12, method="DOP853").y.T
    path = paths[1.0]
    mine = np.concatenate([path.Z.reshape(4, -1), path.Y.reshape(4, -1), path.B], axis=1)
    np.testing.assert_allclose(mine, other, rtol=1e-7, atol=1e-9)


def test_closed_form_is_exact_in_the_limit_of_a_fast_decoder(paths):
    with jax.enable_x64(True):
        share = {ratio: errors(path)[-1] / (2 * path.Z[-1, 0, 2]) for ratio, path in paths.items()}
    # First order in the ratio at a given time, and of order one where it is 1.
    assert share[1e-3] < 1e-2
    assert 5 < share[1e-2] / share[1e-3] < 15
    assert share[1.0] > 10 * share[1e-2]


def test_gain_is_within_its_bounds(paths):
    with jax.enable_x64(True):
        start = float(normalized_attention(P, np.zeros((2, 6)))[0, 2])
    for path in (paths[1e-3], paths[1e-2]):
        low, high = gain_bounds(path.B[:, 0], start)
        gained = 2 * path.Z[:, 0, 2]
        assert np.all(low[1:] < gained[1:])
        assert np.all(gained[1:] < high[1:])


def test_logits_follow_the_clock_of_a_fast_decoder(paths):
    path = paths[1e-3]
    predicted = integrate(ClockFlow(P, LAST), np.zeros((2, 6)), path.B[:, 0])
    np.testing.assert_allclose(predicted, path.Z, atol=2e-2 * np.abs(path.Z).max())
