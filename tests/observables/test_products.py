"""Generalised parallelograms against loops, and representations of S3 in closed form."""

from itertools import combinations, permutations

import jax
import numpy as np
import pytest

from nucleate.observables import (
    Distance,
    MeanSquare,
    formed_products,
    parallelograms,
    predicted_accuracy,
    product_rqi,
    unit_scale,
)
from nucleate.tasks import Group, GroupTask

S3 = GroupTask(Group.named("S3"))
QUADS = parallelograms(S3.label)
# Row i of a permutation's matrix is the unit vector of i's image, so that matrices multiply from left to right, too.
MATRICES = np.stack([np.eye(3)[list(image)] for image in sorted(permutations(range(3)))])


def by_loops(embedding: np.ndarray, threshold: float) -> list[bool]:
    """The authors' code, in words: scale by the global root mean square, multiply, compare every two pairs."""
    scaled = embedding / np.sqrt(np.mean(embedding**2))
    pairs, formed = S3.pairs.tolist(), []
    for one, other in combinations(range(36), 2):
        if S3.label[one] == S3.label[other]:
            (a, b), (c, d) = pairs[one], pairs[other]
            formed.append(bool(np.mean((scaled[a] @ scaled[b] - scaled[c] @ scaled[d]) ** 2) < threshold))
    return formed


def test_there_are_ninety_generalised_parallelograms_of_s3():
    assert len(QUADS) == 90


@pytest.mark.parametrize("noise", [0.05, 0.2, 0.4])
@pytest.mark.parametrize("threshold", [0.1, 0.5])
def test_formed_parallelograms_are_those_of_the_authors_code(noise, threshold):
    embedding = 0.3 * (MATRICES + noise * np.random.default_rng(0).normal(size=MATRICES.shape))
    formed = formed_products(embedding, S3.pairs, QUADS, MeanSquare(threshold))
    wanted = by_loops(embedding, threshold)
    assert formed.tolist() == wanted
    assert float(product_rqi(embedding, S3.pairs, QUADS, MeanSquare(threshold))) == pytest.approx(np.mean(wanted))


def test_a_representation_has_full_quality_at_any_scale():
    for scale in (1e-12, 1.0, 1e12):
        assert float(product_rqi(scale * MATRICES, S3.pairs, QUADS, Distance(1e-4))) == 1


def test_random_matrices_have_none():
    drawn = np.random.default_rng(0).normal(size=(200, 6, 3, 3))
    quality = np.asarray(jax.vmap(lambda E: product_rqi(E, S3.pairs, QUADS))(drawn))
    assert quality.mean() < 0.01
    residual = np.stack([E[0] @ E[1] - E[2] @ E[3] for E in drawn])
    assert np.mean(residual**2) == pytest.approx(6, rel=0.1)  # 2d


def test_a_homomorphism_to_signs_forms_all_but_tells_only_parity():
    signs = np.array([1, -1, -1, 1, 1, -1.0])[:, None, None]
    assert float(product_rqi(signs, S3.pairs, QUADS)) == 1


def test_matrices_in_the_wrong_order_form_fewer():
    """Transposed permutation matrices multiply from right to left: an antirepresentation."""
    quality = float(product_rqi(np.swapaxes(MATRICES, 1, 2), S3.pairs, QUADS))
    assert quality < 0.5


def test_the_accuracy_of_a_representation_needs_one_pair_for_each_label():
    formed = formed_products(MATRICES, S3.pairs, QUADS)
    one_each = np.zeros(36, bool)
    one_each[:6] = True  # e ∘ b: every label once
    assert float(predicted_accuracy(formed, QUADS, one_each)) == 1
    only_three = np.zeros(36, bool)
    only_three[:3] = True
    assert float(predicted_accuracy(formed, QUADS, only_three)) == pytest.approx(0.5)


def test_scaling():
    scaled = np.asarray(unit_scale(1e-30 * MATRICES))
    assert np.mean(scaled**2) == pytest.approx(1)
    assert not np.asarray(unit_scale(np.zeros((2, 2, 2)))).any()
    assert not np.asarray(formed_products(np.full((6, 3, 3), np.nan), S3.pairs, QUADS)).any()
