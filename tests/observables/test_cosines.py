"""The centred cosine against NumPy's correlation."""

import jax
import numpy as np

from nucleate.observables import centred_cosine


def test_it_is_numpys_correlation():
    a, b = np.random.default_rng(0).normal(size=(2, 9))
    with jax.enable_x64(True):
        np.testing.assert_allclose(centred_cosine(a, b), np.corrcoef(a, b)[0, 1], rtol=1e-12)
        np.testing.assert_allclose(centred_cosine(a + 5, -3 * a), -1, rtol=1e-12)


def test_tiny_vectors_keep_their_direction_and_constant_ones_have_none():
    a = np.array([1.0, 2.0, 4.0], np.float32) * 1e-30
    np.testing.assert_allclose(centred_cosine(a, 1e30 * a), 1, rtol=1e-5)
    assert np.isnan(centred_cosine(np.ones(3), np.arange(3.0)))
