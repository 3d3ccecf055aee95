import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from nucleate.observables import effective_dimension, pca_spectrum, principal_coordinates, spectral_entropy

repeatable = settings(deadline=None, derandomize=True, max_examples=50)


def draw(seed, tokens, dim):
    return np.random.default_rng(seed).normal(size=(tokens, dim))


@pytest.mark.parametrize(("tokens", "dim"), [(20, 5), (5, 20), (7, 7), (4, 1)])
def test_spectrum_matches_sklearn(tokens, dim):
    embedding = draw(0, tokens, dim) * np.linspace(1, 3, dim) + 4
    found = pca_spectrum(embedding)
    assert found.shape == (min(tokens, dim),)
    np.testing.assert_allclose(found, PCA().fit(embedding).explained_variance_ratio_, atol=1e-5)
    assert np.all(np.diff(found) <= 0)


def test_circle_fills_two_dimensions():
    angle = 2 * np.pi * np.arange(11) / 11
    circle = np.stack([np.cos(angle), np.sin(angle), 0 * angle + 3, 0 * angle], axis=1)
    np.testing.assert_allclose(pca_spectrum(circle), [0.5, 0.5, 0, 0], atol=1e-6)
    assert effective_dimension(pca_spectrum(circle)) == pytest.approx(2, abs=1e-4)


def test_line_fills_one_dimension():
    line = np.outer(np.arange(10), [1.0, -2.0, 0.5]) + 3
    assert effective_dimension(pca_spectrum(line)) == pytest.approx(1, abs=1e-4)


def test_constant_embedding_has_no_spectrum():
    fractions = pca_spectrum(np.full((10, 3), 0.1, np.float32))
    assert not np.any(fractions)
    assert effective_dimension(fractions) == 1


def test_entropy_closed_forms():
    assert spectral_entropy(np.full(8, 1 / 8)) == pytest.approx(np.log(8))
    assert spectral_entropy(np.array([1.0, 0.0, 0.0])) == 0
    expected = -(0.7 * np.log(0.7) + 0.3 * np.log(0.3))
    assert spectral_entropy(np.array([0.7, 0.3])) == pytest.approx(expected)


def test_entropy_has_a_finite_gradient_at_zero():
    gradient = jax.grad(spectral_entropy)(jnp.array([0.75, 0.25, 0.0]))
    np.testing.assert_allclose(gradient, [-np.log(0.75) - 1, -np.log(0.25) - 1, 0], rtol=1e-6)


def test_diverged_embedding_stays_visible():
    embedding = draw(0, 6, 3)
    embedding[2, 1] = np.nan
    assert np.isnan(effective_dimension(pca_spectrum(embedding)))


@repeatable
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(4, 6))
def test_effective_dimension_lies_between_one_and_the_rank(seed, rank, dim):
    embedding = draw(seed, 12, rank) @ draw(seed + 1, rank, dim)
    dimension = effective_dimension(pca_spectrum(embedding))
    assert 1 - 1e-5 <= dimension <= rank + 1e-3


@repeatable
@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=8), st.integers(0, 5), st.integers(0, 10**6))
def test_effective_dimension_ignores_order_and_zeros(weights, zeros, seed):
    fractions = np.array(weights) / np.sum(weights)
    padded = np.random.default_rng(seed).permutation(np.append(fractions, np.zeros(zeros)))
    assert effective_dimension(padded) == pytest.approx(float(effective_dimension(fractions)), rel=1e-5)
    assert 1 - 1e-5 <= effective_dimension(padded) <= len(weights) * (1 + 1e-5)


@repeatable
@given(st.integers(0, 10**6), st.floats(0.01, 100), st.floats(-10, 10))
def test_spectrum_is_invariant_under_similarity(seed, scale, shift):
    embedding = draw(seed, 9, 3)
    rotation = np.linalg.qr(draw(seed + 1, 3, 3))[0]
    moved = scale * (embedding @ rotation + shift)
    np.testing.assert_allclose(pca_spectrum(moved), pca_spectrum(embedding), atol=1e-4)


def test_jitted_and_mapped_equals_a_loop():
    embeddings = np.stack([draw(seed, 8, 3) for seed in range(4)])

    def measure(embedding):
        fractions = pca_spectrum(embedding)
        return jnp.append(fractions, jnp.stack([spectral_entropy(fractions), effective_dimension(fractions)]))

    mapped = jax.jit(jax.vmap(measure))(embeddings)
    np.testing.assert_allclose(mapped, np.stack([measure(one) for one in embeddings]), atol=1e-5)
    np.testing.assert_allclose(measure(jnp.asarray(embeddings[0])), mapped[0], atol=1e-5)


def test_coordinates_on_the_axes_of_another_are_what_brute_force_computes():
    rng = np.random.default_rng(3)
    embedding, of = rng.normal(size=(2, 9, 5)) * np.array([5, 3, 1, 0.5, 0.2]) + 2
    value, axes = np.linalg.eigh(np.cov(of.T))
    expected = (embedding - of.mean(0)) @ axes[:, np.argsort(-value)[:3]]
    found = principal_coordinates(embedding, of, 3)
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-4)
    own = np.var(principal_coordinates(of, of, 5), axis=0)
    np.testing.assert_allclose(own / own.sum(), pca_spectrum(of), atol=1e-5)


def test_there_are_only_so_many_components():
    with pytest.raises(ValueError, match=r"principal_coordinates: count must be between 1 and 2 for \(4, 2\); got 3"):
        principal_coordinates(np.zeros((4, 2)), np.zeros((4, 2)), 3)
