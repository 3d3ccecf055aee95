"""The fast force is the sum over all pairs of pairs."""

import jax
import numpy as np
import pytest
from brute_force import brute_force_gradient
from planted_pairs import LABEL, PAIRS, WELL, Planted, hill, well

from nucleate.theories import NoSymmetry, Parity, Rotation, Translation
from nucleate.theories.pairs import pair_energies, pair_gradients, pair_terms
from nucleate.theories.pairs.basis import SplineBasis

CASES = [(NoSymmetry(), 1), (NoSymmetry(), 2), (Translation(), 1), (Parity(), 1), (Parity(), 2), (Rotation(), 3)]


def test_addition_has_seventy_attractive_terms_of_1485_and_1080_displacements():
    every = pair_terms(PAIRS, LABEL, 10, NoSymmetry())
    assert (len(every.same.weight), len(every.different.weight)) == (70, 1415)
    distinct = pair_terms(PAIRS, LABEL, 10, Parity())
    assert len(distinct.same.weight) + len(distinct.different.weight) == 1080
    assert distinct.same.weight.sum() + distinct.different.weight.sum() == 1485


@pytest.mark.parametrize(("symmetry", "dim"), CASES, ids=str)
def test_the_fast_force_is_the_brute_force_sum(symmetry, dim):
    embedding = np.random.default_rng(0).normal(size=(10, dim))
    lopsided = Planted(**WELL, slope=0.0 if symmetry.even else 0.1)
    fast = pair_gradients(pair_terms(PAIRS, LABEL, 10, symmetry), lopsided, hill, embedding[None])[0]
    slow = brute_force_gradient(PAIRS, LABEL, symmetry, lopsided, hill, embedding)
    assert np.abs(slow).max() > 1e-2
    assert np.abs(fast - slow).max() < 1e-10


@pytest.mark.parametrize(("symmetry", "dim"), CASES[2:], ids=str)
def test_it_is_for_splines_too(symmetry, dim):
    rng = np.random.default_rng(1)
    basis = SplineBasis.covering(symmetry, reach=3.0, dim=dim, size=60)
    spline = basis.potential(rng.normal(size=basis.size))
    embedding = rng.normal(size=(10, dim))  # some displacements lie beyond the reach
    fast = pair_gradients(pair_terms(PAIRS, LABEL, 10, symmetry), spline, spline, embedding[None])[0]
    slow = brute_force_gradient(PAIRS, LABEL, symmetry, spline, spline, embedding)
    assert np.abs(slow).max() > 1e-2
    assert np.abs(fast - slow).max() < 1e-10


def test_ordered_pairs_of_modular_addition_drop_their_mirror_images():
    left, right = (grid.ravel() for grid in np.meshgrid(np.arange(5), np.arange(5), indexing="ij"))
    pairs, label = np.stack([left, right], axis=1), (left + right) % 5
    embedding = np.random.default_rng(0).normal(size=(5, 1))
    terms = pair_terms(pairs, label, 5, Parity())
    assert terms.same.weight.sum() == 5 * 10 - 10  # (i, j) and (j, i) are at one place
    slow = brute_force_gradient(pairs, label, Parity(), well, hill, embedding)
    assert np.abs(pair_gradients(terms, well, hill, embedding[None])[0] - slow).max() < 1e-10


def test_the_gradient_is_that_of_the_energy():
    rng = np.random.default_rng(0)
    embedding, direction, h = rng.normal(size=(1, 10, 3)), rng.normal(size=(1, 10, 3)), 1e-5
    terms = pair_terms(PAIRS, LABEL, 10, Rotation())
    rise = [pair_energies(terms, well, hill, embedding + s * h * direction)[0] for s in (1, -1)]
    slope = np.sum(pair_gradients(terms, well, hill, embedding) * direction)
    assert (rise[0] - rise[1]) / (2 * h) == pytest.approx(slope, rel=1e-6)


def test_coinciding_embeddings_exert_no_force():
    terms = pair_terms(PAIRS, LABEL, 10, Rotation())
    spline = SplineBasis(Rotation(), reach=2.0, cells=58, axes=1).potential(np.arange(60.0))
    with jax.debug_nans(True):
        assert not pair_gradients(terms, spline, spline, np.zeros((1, 10, 3))).any()
