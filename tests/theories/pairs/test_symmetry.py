"""Coordinates and invariants do not change under the symmetry, and do under others."""

import numpy as np
import pytest

from nucleate.theories import NoSymmetry, PairPotential, Parity, Rotation, Translation

QUAD = np.array([[0.3, -1.2], [0.9, 0.4], [-0.7, 2.0], [1.5, 0.1]], np.float32)
TURN = np.array([[0.6, -0.8], [0.8, 0.6]], np.float32)
SHIFT, MIRROR, ROTATION = QUAD + 3, QUAD * np.array([-1, 1], np.float32), QUAD @ TURN.T
ALLOWED = {NoSymmetry(): [], Translation(): [SHIFT], Parity(): [SHIFT, MIRROR], Rotation(): [SHIFT, MIRROR, ROTATION]}


@pytest.mark.parametrize("symmetry", ALLOWED, ids=str)
def test_invariants_change_under_nothing_but_what_the_symmetry_allows(symmetry):
    def invariants(quad):
        return np.asarray(symmetry.invariants(symmetry.coordinates(quad), scale=0.5))

    for moved in (SHIFT, MIRROR, ROTATION):
        allowed = any(moved is other for other in ALLOWED[symmetry])
        same = np.allclose(invariants(moved), invariants(QUAD), atol=1e-5)
        assert same == allowed


@pytest.mark.parametrize("symmetry", ALLOWED, ids=str)
def test_even_potentials_do_not_mind_the_order_of_the_pairs(symmetry):
    x, swapped = (symmetry.coordinates(quad) for quad in (QUAD, QUAD[[2, 3, 0, 1]]))
    same = np.allclose(symmetry.invariants(x, 1.0), symmetry.invariants(swapped, 1.0), atol=1e-5)
    assert same == symmetry.even


def test_a_displacement_is_the_difference_of_the_sums():
    np.testing.assert_allclose(Translation().coordinates(QUAD), [0.4, -2.9], rtol=1e-6)
    assert NoSymmetry().coordinates(QUAD).shape == (8,)


def test_a_symmetry_that_does_not_fit_the_dimension_is_refused(record):
    with pytest.raises(ValueError, match=r"Rotation needs embeddings of dim >= 2; got 1. Use Parity()"):
        PairPotential(Rotation()).fit(record)
    space = record.isel(dim=[0, 0, 0])
    for symmetry in (Parity(), Translation()):
        with pytest.raises(ValueError, match="needs embeddings of dim 1 or 2"):
            PairPotential(symmetry).fit(space)
