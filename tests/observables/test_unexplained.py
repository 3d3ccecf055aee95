"""The fraction of variance unexplained, against scikit-learn's R²."""

import jax
import numpy as np
import pytest
from sklearn.metrics import r2_score

from nucleate.observables import fvu


def test_is_one_minus_r_squared():
    rng = np.random.default_rng(0)
    true = rng.normal([3.0, -50.0], [1.0, 20.0], (40, 2))
    predicted = true + rng.normal(size=true.shape)
    assert float(fvu(predicted, true)) == pytest.approx(
        1 - r2_score(true, predicted, multioutput="variance_weighted"), rel=1e-4
    )


def test_samples_may_have_any_number_of_axes():
    rng = np.random.default_rng(0)
    predicted, true = rng.normal(size=(2, 6, 5, 3)).astype(np.float32)
    flat = fvu(predicted.reshape(-1, 3), true.reshape(-1, 3))
    assert float(jax.jit(fvu)(predicted, true)) == pytest.approx(float(flat), rel=1e-5)


def test_a_constant_has_no_variance_to_explain():
    constant = np.ones((4, 1))
    assert np.isposinf(fvu(constant + 1, constant))
    assert np.isnan(fvu(constant, constant))
