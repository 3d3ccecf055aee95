"""Correlations of hidden units with latents, against NumPy's."""

import numpy as np
import pytest

from nucleate.observables import best_correlations, normalised_correlation


def test_the_best_unit_is_that_of_numpys_correlations():
    rng = np.random.default_rng(0)
    hidden, latent = rng.normal(size=(30, 7)), rng.integers(0, 2, (30, 4)).astype(float)
    table = np.corrcoef(latent.T, hidden.T)[:4, 4:]
    np.testing.assert_allclose(best_correlations(hidden, latent), table.max(1), atol=1e-6)
    assert float(normalised_correlation(hidden, latent)) == pytest.approx(table.max(1).mean(), abs=1e-6)


def test_a_unit_that_is_the_latent_is_found_whatever_its_scale():
    latent = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]], np.float32)
    hidden = np.stack([1e-30 * latent[:, 1], 5 - latent[:, 0], 3 * latent[:, 0]], axis=1).astype(np.float32)
    np.testing.assert_allclose(best_correlations(hidden, latent), 1, atol=1e-6)


def test_what_does_not_vary_is_not_found():
    latent = np.array([[0.0, 1.0], [1.0, 1.0]])
    still = np.ones((2, 3))
    assert best_correlations(still, latent).tolist()[0] == 0
    assert np.isnan(best_correlations(still, latent)[1])
    assert float(normalised_correlation(latent, latent)) == pytest.approx(1)
