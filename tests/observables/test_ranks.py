"""Ranks against singular values by hand, and their bounds."""

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nucleate.observables import effective_rank, stable_rank


def singular(values, shape=(4, 6), seed=0):
    """A matrix with these singular values."""
    rng = np.random.default_rng(seed)
    left, _ = np.linalg.qr(rng.normal(size=(shape[0], shape[0])))
    right, _ = np.linalg.qr(rng.normal(size=(shape[1], shape[1])))
    return left[:, : len(values)] * np.asarray(values, float) @ right[: len(values)]


@pytest.mark.parametrize("values", [[1.0, 1.0, 1.0], [5.0, 1.0], [3.0, 2.0, 1.0, 1e-3]])
def test_ranks_are_those_of_the_singular_values(values):
    s = np.array(values)
    p = s / s.sum()
    with jax.enable_x64(True):
        matrix = singular(values)
        np.testing.assert_allclose(stable_rank(matrix), (s**2).sum() / s[0] ** 2, rtol=1e-12)
        np.testing.assert_allclose(effective_rank(matrix), np.exp(-(p * np.log(p)).sum()), rtol=1e-9)


@given(st.integers(0, 1000), st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_ranks_lie_between_one_and_the_rank(seed, rank):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(4, rank)) @ rng.normal(size=(rank, 6))
    stable, effective = float(stable_rank(matrix)), float(effective_rank(matrix))
    assert 1 - 1e-5 <= stable <= effective + 1e-3
    assert effective <= rank + 1e-2


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_no_scale_overflows_or_vanishes(scale):
    matrix = (scale * np.diag([2.0, 1.0, 1.0])).astype(np.float32)
    np.testing.assert_allclose(stable_rank(matrix), 1.5, rtol=1e-5)
    np.testing.assert_allclose(effective_rank(matrix), np.exp(-0.5 * np.log(0.5) - 0.5 * np.log(0.25)), rtol=1e-5)


def test_zeros_have_no_rank_and_nan_is_not_hidden():
    assert stable_rank(np.zeros((2, 3))) == effective_rank(np.zeros((2, 3))) == 0
    assert np.isnan(effective_rank(np.full((2, 2), np.nan)))
    assert np.isnan(stable_rank(np.full((2, 2), np.nan)))
