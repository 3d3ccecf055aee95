"""Planted coefficients are found in closed form, and networks come near them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from planted_pairs import LABEL, PAIRS

from nucleate.theories import ClosedForm, Neural, NoSymmetry, Parity
from nucleate.theories.pairs import pair_gradients, pair_terms
from nucleate.theories.pairs.basis import SplineBasis
from nucleate.theories.pairs.normal_equations import accumulate
from nucleate.theories.pairs.solvers import NeuralPotential, ridge_penalty

BASES = 2 * (SplineBasis(Parity(), reach=6.0, cells=18, axes=1),)
TERMS = pair_terms(PAIRS, LABEL, 10, Parity())


@pytest.fixture(scope="module")
def planted():
    """Two smooth splines, and the sums of the forces that they exert."""
    x = BASES[0].nodes()[1:-1, 0]
    coefficients = np.cos(x), np.exp(-np.square(x))
    truth = [basis.potential(c) for basis, c in zip(BASES, coefficients, strict=True)]
    embedding = np.random.default_rng(0).normal(size=(60, 10, 1))
    return truth, accumulate(TERMS, BASES, embedding, pair_gradients(TERMS, *truth, embedding))


def distance(found, truth):
    """The largest error, but for a constant, over the range of the truth."""
    x = np.linspace(0, 4, 41)[:, None]
    with jax.enable_x64(True):
        off, exact = (np.asarray(jax.vmap(f)(jnp.asarray(x))) for f in (lambda x: found(x) - truth(x), truth))
    return np.ptp(off) / np.ptp(exact)


def test_closed_form_finds_the_planted_splines(planted):
    truth, sums = planted
    found = ClosedForm(ridge=0.0).potentials(sums, BASES)
    assert max(map(distance, found, truth)) < 1e-4


def test_a_larger_ridge_is_smoother(planted):
    _, sums = planted
    unit = ridge_penalty(sums, BASES, ridge=1.0)
    found = [ClosedForm(ridge).potentials(sums, BASES) for ridge in (1e-4, 1e2, 1e6)]
    coefficients = [np.concatenate([f.coefficients for f in both]) for both in found]
    rough = [c @ unit @ c for c in coefficients]
    assert rough[0] > rough[1] > rough[2]
    assert rough[2] < 0.1 * rough[0]


def test_networks_come_near_the_planted_splines(planted):
    truth, sums = planted
    found = Neural(width=16, iterations=400).potentials(sums, BASES)
    assert all(isinstance(f, NeuralPotential) for f in found)
    assert max(map(distance, found, truth)) < 0.05


def test_the_penalty_weighs_each_potential_by_its_own_forces(planted):
    _, sums = planted
    penalty, size = ridge_penalty(sums, BASES, ridge=0.5), BASES[0].size
    for part in (slice(0, size), slice(size, None)):
        assert np.trace(penalty[part, part]) == pytest.approx(0.5 * np.trace(sums.gram[part, part]))
    assert not penalty[:size, size:].any()


def test_networks_need_a_grid():
    ClosedForm().check_symmetry(NoSymmetry())
    with pytest.raises(ValueError, match="Use ClosedForm"):
        Neural().check_symmetry(NoSymmetry())
