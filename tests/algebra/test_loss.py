"""The loss in parts is the loss computed from the outputs, to 1e-12."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nucleate.algebra import Characters, Solution, decompose, from_weights, monomials, to_weights

FIVE = Characters.cyclic(5)


def test_parts_sum_to_the_loss_of_the_outputs(group, anything):
    z = anything(group, 8)
    assert decompose(z).total == pytest.approx(to_weights(z).loss(group), rel=1e-12)
    assert z.loss == decompose(z).total


@settings(max_examples=10)
@given(nodes=st.integers(1, 9), scale=st.floats(1e-3, 10), seed=st.integers(0, 2**16))
def test_at_any_scale(nodes, scale, seed):
    rng = np.random.default_rng(seed)
    weights = [scale * rng.normal(size=size) for size in ((5, nodes), (5, nodes), (nodes, 5))]
    z = from_weights(FIVE, *weights)
    assert z.loss == pytest.approx(to_weights(z).loss(FIVE), rel=1e-12)


def test_it_is_the_formula_of_the_paper_where_means_are_zero(group, anything):
    """ℓ = d⁻¹ Σ_{k≠0} ℓ_k + 1 − 1/d, term by term as the paper writes it."""
    z = anything(group, 5).z.copy()
    z[:2, 0] = 0
    solution = Solution(group, z)
    r, terms, d = monomials(solution), decompose(solution), group.order
    everything = range(d)
    for k in range(1, d):
        minus = [[r.squares[p, j, group.negative[j], k] for j in everything] for p in (0, 1)]
        rest = [
            [sum(r.squares[p, j, group.sum[m, group.negative[j]], k] for j in everything) for m in range(1, d)]
            for p in (0, 1)
        ]
        ell = -2 * r.cross[k, k, k].real + (np.abs(r.cross[:, :, k]) ** 2).sum()
        ell += np.abs(np.sum(minus)) ** 2 / 4 + (np.abs(rest) ** 2).sum() / 4
        assert terms.frequencies[k] - 1 == pytest.approx(ell, rel=1e-12)
    assert np.abs(terms.means).max() == 0


def test_means_matter_where_they_are_not_zero(anything):
    """Without the last part the decomposition of a network with a mean would be wrong."""
    z = anything(FIVE, 5)
    terms = decompose(z)
    assert abs(terms.means.mean()) > 0.01 * terms.total


def test_frequency_zero_has_no_part(anything):
    z = anything(FIVE, 3)
    terms = decompose(z)
    assert all(part[0] == 0 for part in (terms.goal, terms.cross, terms.constant, terms.squares))
    shifted = z.z.copy()
    shifted[2, 0] += 1  # all outputs move together, and are compared without their mean
    assert Solution(FIVE, shifted).loss == pytest.approx(z.loss, rel=1e-12)
