import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import procrustes

from nucleate.observables import procrustes_error

repeatable = settings(deadline=None, derandomize=True, max_examples=50)
seeds = st.integers(0, 10**6)


def draw(seed, tokens=10, dim=3):
    return np.random.default_rng(seed).normal(size=(tokens, dim))


@pytest.mark.parametrize("dim", [1, 2, 5])
@pytest.mark.parametrize("noise", [0.1, 1.0, 10.0])
def test_error_is_scipys_disparity(dim, noise):
    x = draw(0, dim=dim) + 2
    y = x + noise * draw(1, dim=dim)
    assert procrustes_error(x, y) == pytest.approx(procrustes(x, y)[2], abs=1e-5)


def test_one_dimension_is_one_minus_squared_correlation():
    x, y = draw(0, dim=1), draw(1, dim=1)
    expected = 1 - np.corrcoef(x[:, 0], y[:, 0])[0, 1] ** 2
    assert 0.1 < expected < 1
    assert procrustes_error(x, y) == pytest.approx(expected, abs=1e-5)


@repeatable
@given(seeds, st.floats(0.01, 100), st.floats(-5, 5))
def test_similar_shapes_have_no_error(seed, scale, shift):
    x = draw(seed)
    orthogonal = np.linalg.qr(draw(seed + 1, 3, 3))[0]  # reflections among them
    assert procrustes_error(x, scale * (x @ orthogonal + shift)) == pytest.approx(0, abs=1e-5)


@repeatable
@given(seeds, seeds)
def test_error_is_a_symmetric_share(seed, other):
    x, y = draw(seed), draw(other)
    assert 0 <= procrustes_error(x, y) <= 1
    assert procrustes_error(x, y) == pytest.approx(float(procrustes_error(y, x)), abs=1e-5)


def test_order_of_tokens_matters():
    x = draw(0)
    assert procrustes_error(x, x[::-1]) > 0.1


def test_constant_embedding_has_no_shape():
    point = np.full((10, 3), 0.1, np.float32)
    assert procrustes_error(draw(0), point) == 1
    assert procrustes_error(point, draw(0)) == 1
    assert procrustes_error(point, point) == 1


def test_diverged_embedding_stays_visible():
    x = draw(0)
    x[0, 0] = np.nan
    assert np.isnan(procrustes_error(x, draw(1)))


def test_jitted_and_mapped_equals_a_loop():
    x, y = np.stack([draw(s) for s in range(4)]), np.stack([draw(s) for s in range(4, 8)])
    mapped = jax.jit(jax.vmap(procrustes_error))(x, y)
    looped = [procrustes_error(jnp.asarray(a), jnp.asarray(b)) for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(mapped, np.stack(looped), atol=1e-5)
