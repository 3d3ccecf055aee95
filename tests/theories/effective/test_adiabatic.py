"""What Appendix L derives, and where it slips."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.theories import integrate
from nucleate.theories.effective import DecoderFlow, DecoderState, DrivenFlow, adiabatic_difference

TIMES = np.linspace(0, 2, 9)


def start(samples, seed=0, out=4, dim=3):
    rng = np.random.default_rng(seed)
    return DecoderState(
        A=rng.normal(size=(out, dim)) / 2, b=np.zeros(out), r=rng.normal(size=(samples, dim))
    ), rng.normal(size=out)


@pytest.mark.parametrize("samples", [1, 2])
def test_flow_is_the_gradient_of_the_loss(samples):
    state, y = start(samples)
    gamma, eta_A, eta_x = 0.3, 0.7, 1.9

    def loss(state):
        error = state.r @ state.A.T + state.b - y
        return jnp.sum(error**2) / 2 + samples * gamma / 2 * jnp.sum(state.A**2)

    with jax.enable_x64(True):
        gradient = jax.tree.map(np.asarray, jax.grad(loss)(jax.tree.map(jnp.asarray, state)))
    velocity = DecoderFlow(y, eta_A, eta_x, gamma)(state)
    np.testing.assert_allclose(velocity.A, -eta_A * gradient.A, atol=1e-12)
    np.testing.assert_allclose(velocity.b, -eta_A * gradient.b, atol=1e-12)
    np.testing.assert_allclose(velocity.r, -eta_x * gradient.r, atol=1e-12)


def test_one_sample_is_equation_37():
    state, y = start(1)
    r, A, b, gamma = state.r[0], state.A, state.b, 0.3
    velocity = DecoderFlow(y, 0.7, 1.9, gamma)(state)
    np.testing.assert_allclose(
        velocity.A, -0.7 * (A @ (np.outer(r, r) + gamma * np.eye(3)) + np.outer(b - y, r)), atol=1e-12
    )
    np.testing.assert_allclose(velocity.b, -0.7 * (A @ r + b - y), atol=1e-12)
    np.testing.assert_allclose(velocity.r[0], -1.9 * A.T @ (A @ r + b - y), atol=1e-12)


@pytest.mark.parametrize("samples", [1, 2, 3])
def test_bias_relaxes_at_eta_for_each_sample(samples):
    """The paper prints 1 − e^{−2 η_A t} for one sample; it is e^{−η_A t}, and e^{−2 η_A t} for two."""
    state, y = start(samples)
    eta_A = 0.4
    path = integrate(DrivenFlow(DecoderFlow(y, eta_A, 1.0)), state, TIMES)
    exponent = -np.log(1 - path.b[1:] / y) / TIMES[1:, None]
    np.testing.assert_allclose(exponent, samples * eta_A, rtol=1e-7)


def test_driven_flow_is_equation_39_with_two_samples():
    state, y = start(2)
    eta_A, eta_x, gamma = 0.4, 1.3, 0.2
    flow = DrivenFlow(DecoderFlow(y, eta_A, eta_x, gamma))
    path = integrate(flow, state, TIMES)
    for k, t in enumerate(TIMES):
        A, r = path.A[k], path.r[k]
        velocity = flow(DecoderState(A, path.b[k], r))
        drive = np.exp(-2 * eta_A * t) * y
        np.testing.assert_allclose(
            velocity.A,
            -eta_A * (A @ (r.T @ r + 2 * gamma * np.eye(3)) - np.outer(drive, r.sum(axis=0))),
            atol=1e-8,
        )
        np.testing.assert_allclose(velocity.r, -eta_x * (r @ A.T - drive) @ A, atol=1e-8)


@pytest.mark.parametrize("driven", [False, True])
def test_same_label_difference_obeys_its_own_equation(driven):
    state, y = start(2, seed=1)
    flow = DecoderFlow(y, eta_A=0.8, eta_x=1.3, gamma=0.1)
    flow = DrivenFlow(flow) if driven else flow
    path = integrate(flow, state, TIMES)
    for k in range(len(TIMES)):
        now = DecoderState(path.A[k], path.b[k], path.r[k])
        gap, velocity = now.r[0] - now.r[1], flow(now).r
        np.testing.assert_allclose(velocity[0] - velocity[1], -1.3 * now.A.T @ now.A @ gap, atol=1e-12)


def test_adiabatic_limit_is_reached_linearly_in_eta_A():
    state, y = start(2, seed=2)
    limit = adiabatic_difference(state.A, state.r[0] - state.r[1], TIMES, eta_x=1.3)
    etas = np.array([1e-2, 1e-3, 1e-4])
    errors = []
    for eta_A in etas:
        path = integrate(DecoderFlow(y, float(eta_A), 1.3), state, TIMES)
        errors.append(np.abs(path.r[:, 0] - path.r[:, 1] - limit).max())
    slope = np.polyfit(np.log(etas), np.log(errors), 1)[0]
    assert slope == pytest.approx(1, abs=0.02)
    frozen = integrate(DecoderFlow(y, 0.0, 1.3), state, TIMES)
    np.testing.assert_allclose(frozen.r[:, 0] - frozen.r[:, 1], limit, atol=1e-9)


def test_orthonormal_decoder_attracts_all_directions_alike():
    path = adiabatic_difference(np.eye(3), np.array([1.0, -2.0, 3.0]), TIMES)
    np.testing.assert_allclose(path, np.exp(-TIMES)[:, None] * [1, -2, 3], rtol=1e-12)


def test_opposite_samples_do_not_stay_opposite():
    """Eq. 40 sets r' = −r; with a label the drive is the same for both, and breaks it at once."""
    state, y = start(2)
    state = DecoderState(state.A, state.b, np.stack([state.r[0], -state.r[0]]))
    velocity = DecoderFlow(y, 0.1, 1.0)(state).r
    np.testing.assert_allclose(velocity.sum(axis=0), 2 * state.A.T @ y, atol=1e-12)
    assert np.abs(velocity.sum(axis=0)).max() > 0.1
