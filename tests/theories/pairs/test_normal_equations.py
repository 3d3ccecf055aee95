"""The sums give what least squares on the whole design gives."""

import numpy as np
import pytest
from planted_pairs import LABEL, PAIRS

from nucleate.theories import Parity
from nucleate.theories.pairs import pair_terms
from nucleate.theories.pairs.basis import SplineBasis
from nucleate.theories.pairs.normal_equations import NormalEquations, accumulate


def planted(seed=0, configs=20, noise=0.1):
    rng = np.random.default_rng(seed)
    design = rng.normal(size=(configs, 3, 2, 4))
    return design, design @ np.array([1.0, -2.0, 0.5, 0.0]) + noise * rng.normal(size=(configs, 3, 2))


def test_the_solution_and_r2_are_those_of_least_squares():
    design, force = planted()
    sums = NormalEquations.of(design, force)
    found = sums.solve(np.zeros((4, 4)))
    flat = design.reshape(-1, 4)
    np.testing.assert_allclose(found, np.linalg.lstsq(flat, force.ravel(), rcond=None)[0], rtol=1e-8)
    missed = force - design @ found
    assert sums.r2(found) == pytest.approx(1 - np.sum(missed**2) / np.sum((force - force.mean(axis=0)) ** 2))
    assert sums.r2(np.zeros(4)) < 0.1 < 0.98 < sums.r2(found)


def test_a_penalty_is_a_ridge():
    design, force = planted()
    penalty = np.diag([0.0, 0.0, 30.0, 5.0])
    flat = design.reshape(-1, 4)
    expected = np.linalg.solve(flat.T @ flat + penalty, flat.T @ force.ravel())
    np.testing.assert_allclose(NormalEquations.of(design, force).solve(penalty), expected, rtol=1e-8)


def test_sums_of_parts_add_up_and_columns_can_be_dropped():
    design, force = planted()
    whole = NormalEquations.of(design, force)
    parts = NormalEquations.of(design[:7], force[:7]) + NormalEquations.of(design[7:], force[7:])
    for name in ("gram", "moment", "square", "total", "count"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name))
    fewer = NormalEquations.of(design[..., :2], force)
    np.testing.assert_allclose(whole.restricted(slice(2)).solve(np.zeros((2, 2))), fewer.solve(np.zeros((2, 2))))


def test_forces_that_do_not_vary_have_no_r2():
    assert np.isnan(NormalEquations.of(np.ones((3, 1, 1, 1)), np.ones((3, 1, 1))).r2(np.ones(1)))


def test_accumulating_in_chunks_is_one_design():
    rng = np.random.default_rng(0)
    embedding, force = rng.normal(size=(70, 10, 1)), rng.normal(size=(70, 10, 1))  # more than two chunks
    terms, bases = pair_terms(PAIRS, LABEL, 10, Parity()), 2 * (SplineBasis(Parity(), 4.0, cells=6, axes=1),)
    sums = accumulate(terms, bases, embedding, force, extra=lambda r: r[..., None] ** 2)
    columns = (
        bases[0].design(terms.same, embedding),
        bases[1].design(terms.different, embedding),
        embedding[..., None] ** 2,
    )
    whole = NormalEquations.of(np.concatenate(columns, axis=-1), force)
    np.testing.assert_allclose(sums.gram, whole.gram, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(sums.moment, whole.moment, rtol=1e-9, atol=1e-9)
    assert (sums.count, len(sums.moment)) == (70, 17)
    with pytest.raises(ValueError, match="at least one configuration"):
        accumulate(terms, bases, embedding[:0], force[:0])
