"""Cosines between vectors, against a loop and against random directions."""

import numpy as np
import pytest

from nucleate.observables import median_cosine, random_cosine


def test_the_median_is_over_pairs_of_different_vectors():
    vectors = np.random.default_rng(0).normal(size=(9, 4))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = [abs(unit[i] @ unit[j]) for i in range(9) for j in range(i)]
    assert float(median_cosine(vectors)) == pytest.approx(np.median(cosines), abs=1e-6)
    even = np.add.outer(np.arange(9), np.arange(9)) % 2 == 0
    chosen = [abs(unit[i] @ unit[j]) for i in range(9) for j in range(i) if even[i, j]]
    assert float(median_cosine(vectors, even)) == pytest.approx(np.median(chosen), abs=1e-6)


def test_orthogonal_and_parallel_vectors():
    assert float(median_cosine(np.eye(5))) == 0
    assert float(median_cosine(np.outer([1.0, -2.0, 3.0], [1.0, 2.0]))) == pytest.approx(1)
    assert float(median_cosine(np.zeros((3, 2)))) == 0
    assert np.isnan(median_cosine(np.eye(2), np.zeros((2, 2), bool)))


@pytest.mark.parametrize("dim", [2, 3, 64])
def test_random_vectors_have_the_cosine_of_the_closed_form(dim):
    vectors = np.random.default_rng(1).normal(size=(400, dim))
    assert float(median_cosine(vectors)) == pytest.approx(random_cosine(dim), rel=0.03)


def test_of_three_dimensions_cosines_are_uniform():
    assert random_cosine(3) == pytest.approx(0.5)  # Archimedes
    assert random_cosine(1) == 1
