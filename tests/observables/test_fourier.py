import inspect
from cmath import exp, pi

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nucleate.observables import (
    fourier_coefficients,
    frequency_shares,
    gradient_spectrum,
    mean_signal,
    plane,
    power,
    project,
    signal,
)

repeatable = settings(deadline=None, derandomize=True, max_examples=25)
seeds = st.integers(0, 10**6)
# The smallest, even, odd, prime and composite.
MODULI = [3, 4, 7, 9, 12]
moduli = st.sampled_from(MODULI)


def draw(seed, p=7, dim=3):
    return np.random.default_rng(seed).normal(size=(p, dim)).astype(np.float32)


def circle(p, k, radius=1.0, phase=0.0):
    angle = 2 * np.pi * k * np.arange(p) / p + phase
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def coefficients_by_summing(embedding, k):
    """Eq. 1 of the paper, term by term."""
    p, dim = embedding.shape
    return [sum(exp(-2j * pi * k * n / p) * float(embedding[n, a]) for n in range(p)) for a in range(dim)]


@pytest.mark.parametrize("p", MODULI)
def test_coefficients_are_the_sums_of_the_paper(p):
    embedding = draw(p, p)
    expected = [coefficients_by_summing(embedding, k) for k in range(1, (p - 1) // 2 + 1)]
    found = fourier_coefficients(embedding)
    assert found.shape == ((p - 1) // 2, 3)
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("p", MODULI)
def test_signals_are_what_the_authors_compute(p):
    embedding = draw(p, p)
    norm = np.linalg.norm(np.fft.fft(embedding, axis=0), axis=1)
    chosen = slice(1, (p - 1) // 2 + 1)
    np.testing.assert_allclose(signal(embedding), norm[chosen], rtol=1e-5)
    np.testing.assert_allclose(power(embedding), norm[chosen] ** 2, rtol=1e-5)
    np.testing.assert_allclose(gradient_spectrum(embedding), norm[chosen], rtol=1e-5)
    assert mean_signal(embedding) == pytest.approx(norm.mean(), rel=1e-5)


@pytest.mark.parametrize("p", MODULI)
def test_parseval(p):
    embedding = draw(p, p)
    alternation = embedding[::2].sum(axis=0) - embedding[1::2].sum(axis=0) if p % 2 == 0 else 0
    rest = np.square(embedding.sum(axis=0)).sum() + np.square(alternation).sum()
    assert 2 * power(embedding).sum() + rest == pytest.approx(p * np.square(embedding).sum(), rel=1e-5)


@pytest.mark.parametrize(("p", "k"), [(3, 1), (8, 2), (9, 3), (59, 29)])
def test_signal_of_a_circle_and_of_a_line(p, k):
    ring = circle(p, k, radius=3.0, phase=0.4)
    expected = np.zeros((p - 1) // 2)
    expected[k - 1] = p * 3 / 2**0.5
    np.testing.assert_allclose(signal(ring), expected, atol=1e-4)
    np.testing.assert_allclose(signal(ring[:, :1]), expected / 2**0.5, atol=1e-4)
    assert mean_signal(ring) == pytest.approx(2 * expected[k - 1] / p, abs=1e-4)


def test_signal_of_noise():
    assert signal(draw(0, 59, 128)).mean() == pytest.approx((59 * 128) ** 0.5, rel=0.02)


@repeatable
@given(seeds, moduli, st.floats(0.01, 100), st.floats(-5, 5))
def test_signals_ignore_rotation_and_shift_and_follow_scale(seed, p, factor, shift):
    embedding = draw(seed, p)
    rotation = np.linalg.qr(draw(seed + 1, 3, 3))[0]
    moved = (factor * embedding @ rotation + shift).astype(np.float32)
    tolerance = 1e-4 * (factor + abs(shift))
    np.testing.assert_allclose(signal(moved), factor * signal(embedding), rtol=1e-4, atol=tolerance)


@repeatable
@given(seeds, moduli, st.integers(0, 11))
def test_signals_ignore_where_counting_starts(seed, p, start):
    embedding = draw(seed, p)
    np.testing.assert_allclose(signal(np.roll(embedding, start, axis=0)), signal(embedding), rtol=1e-4, atol=1e-5)


def test_renumbering_the_tokens_permutes_the_signals():
    # n -> 3n sends frequency k to 3k, up to the sign: 1 -> 3, 2 -> 6 = -1, 3 -> 9 = 2.
    embedding = draw(0)
    renumbered = embedding[3 * np.arange(7) % 7]
    np.testing.assert_allclose(signal(renumbered)[np.array([2, 0, 1])], signal(embedding), rtol=1e-5)


@pytest.mark.parametrize(("p", "k"), [(7, 2), (12, 5), (59, 20)])
def test_plane_and_projection_are_what_the_authors_draw(p, k):
    embedding = draw(p, p, 4) + 1
    f = np.fft.fft(embedding, axis=0)[k]
    expected = np.stack([part / np.linalg.norm(part) for part in (f.real, f.imag)])
    np.testing.assert_allclose(plane(embedding, k), expected, atol=1e-5)
    np.testing.assert_allclose(project(embedding, k), embedding @ expected.T, atol=1e-4)


def test_projection_of_a_circle_is_that_circle():
    ring = circle(11, 3, radius=2.0, phase=0.7)
    hidden = ring @ np.linalg.qr(draw(0, 5, 2))[0].T
    found = project(hidden, 3)
    axes = plane(hidden, 3)
    np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 2, atol=1e-5)
    angle = np.unwrap(np.arctan2(found[:, 1], found[:, 0]))
    turn = np.diff(angle) % (2 * np.pi)
    assert np.allclose(turn, 6 * np.pi / 11, atol=1e-5) or np.allclose(turn, 2 * np.pi - 6 * np.pi / 11, atol=1e-5)


def test_plane_of_a_line_has_one_direction():
    line = circle(11, 3)[:, :1] * np.array([[3.0, 4.0]])
    np.testing.assert_allclose(plane(line, 3), [[0.6, 0.8], [0, 0]], atol=1e-6)
    assert not np.any(plane(np.zeros((5, 2), np.float32), 1))


def test_frequency_may_come_from_numpy():
    embedding = draw(0)
    assert np.array_equal(plane(embedding, np.flatnonzero([False, True])[0] + 1), plane(embedding, 2))


def test_diverged_embedding_stays_visible():
    embedding = draw(0)
    embedding[2, 1] = np.nan
    for measure in (signal, mean_signal, lambda e: plane(e, 1)):
        assert np.isnan(measure(embedding)).any()


@pytest.mark.parametrize("measure", [plane, project])
@pytest.mark.parametrize("bad", [0, 30, -1])
def test_bad_frequency_is_named(measure, bad):
    message = rf"{measure.__name__}: frequency must be between 1 and 29 for p=59; got {bad}\."
    with pytest.raises(ValueError, match=message):
        measure(draw(0, 59), bad)


@pytest.mark.parametrize("measure", [fourier_coefficients, mean_signal])
@pytest.mark.parametrize("shape", [(2, 5), (59,), (4, 59, 8), (59, 0)])
def test_bad_shape_is_named(measure, shape):
    unchecked = inspect.unwrap(measure)  # for users the shapes are not checked at run time
    with pytest.raises(ValueError, match=r"embedding must have shape \[token >= 3, dim >= 1\]; got \("):
        unchecked(np.zeros(shape, np.float32))


@pytest.mark.parametrize("p", [9, 12])
def test_jitted_and_mapped_equals_a_loop(p):
    embeddings = np.stack([draw(seed, p) for seed in range(3)])

    def measure(embedding):
        return {
            "coefficients": fourier_coefficients(embedding),
            "signal": signal(embedding),
            "power": power(embedding),
            "mean": mean_signal(embedding),
            "plane": plane(embedding, 2),
            "project": project(embedding, 2),
        }

    mapped = jax.jit(jax.vmap(measure))(embeddings)
    looped = [measure(jnp.asarray(one)) for one in embeddings]
    for name, values in mapped.items():
        np.testing.assert_allclose(values, np.stack([one[name] for one in looped]), rtol=1e-4, atol=1e-4, err_msg=name)


def test_float64_stays_float64():
    embedding = draw(0, 59, 8).astype(np.float64)
    with jax.enable_x64(True):
        found = signal(embedding)
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, np.linalg.norm(np.fft.fft(embedding, axis=0), axis=1)[1:30], rtol=1e-13)


@pytest.mark.parametrize("p", MODULI)
def test_shares_are_powers_over_the_variance(p):
    embedding = draw(p, p) + 5
    shares = frequency_shares(embedding)
    total = np.sum((embedding - embedding.mean(0)) ** 2)
    np.testing.assert_allclose(shares, 2 * power(embedding) / (p * total), rtol=1e-3)
    rest = np.abs(np.fft.fft(embedding, axis=0)[p // 2]) ** 2 if p % 2 == 0 else np.zeros(1)
    assert shares.sum() + rest.sum() / (p * total) == pytest.approx(1, abs=1e-4)


def test_a_circle_has_one_share_and_a_constant_none():
    assert frequency_shares(circle(11, 4) + 7).round(3).tolist() == [0, 0, 0, 1, 0]
    assert not frequency_shares(np.full((11, 2), 3.0)).any()
