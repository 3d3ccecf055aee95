"""Sums of monomials are ring homomorphisms, to 1e-12."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nucleate.algebra import Characters, Monomials, Solution, monomials, to_weights

SEVEN = Characters.cyclic(7)


def close(r: Monomials, cross, squares) -> None:
    scale = max(np.abs(cross).max(), np.abs(squares).max())
    np.testing.assert_allclose(r.cross, cross, atol=1e-12 * scale, rtol=0)
    np.testing.assert_allclose(r.squares, squares, atol=1e-12 * scale, rtol=0)


@settings(max_examples=10)
@given(first=st.integers(1, 4), second=st.integers(1, 4), seed=st.integers(0, 2**16))
def test_they_are_homomorphisms_of_sums_and_products(first, second, seed):
    rng = np.random.default_rng(seed)

    def any_solution(nodes: int) -> Solution:
        z = rng.normal(size=(3, 7, nodes)) + 1j * rng.normal(size=(3, 7, nodes))
        return Solution(SEVEN, z + z[:, SEVEN.negative].conj())

    x, y = any_solution(first), any_solution(second)
    r, s = monomials(x), monomials(y)
    close(monomials(x + y), r.cross + s.cross, r.squares + s.squares)
    close(monomials(x * y), r.cross * s.cross, r.squares * s.squares)
    close(monomials(-2 * x), -8 * r.cross, -8 * r.squares)


def test_homomorphisms_in_every_group(group, anything):
    x, y = anything(group, 2, 5), anything(group, 3, 6)
    r, s = monomials(x), monomials(y)
    close(monomials(x + y), r.cross + s.cross, r.squares + s.squares)
    close(monomials(x * y), r.cross * s.cross, r.squares * s.squares)


def test_one_is_one(group):
    r = monomials(Solution.one(group))
    assert (r.cross == 1).all()
    assert (r.squares == 1).all()


def test_they_are_the_sums_they_are_said_to_be(group, anything):
    z = anything(group, 4)
    a, b, c = z.z
    r = monomials(z)
    np.testing.assert_allclose(r.cross, np.einsum("ij,kj,lj->ikl", a, b, c), atol=1e-12)
    np.testing.assert_allclose(r.squares[1], np.einsum("ij,kj,lj->ikl", b, b, c), atol=1e-12)


def test_they_are_the_same_some_at_a_time(anything, monkeypatch):
    z = anything(SEVEN, 4)
    at_once = monomials(z)
    monkeypatch.setattr("nucleate.algebra.sums.ENTRIES", 3 * 7 * 4)  # three, three and one
    close(monomials(z), at_once.cross, at_once.squares)


def test_squares_by_the_sum_of_their_frequencies(group, anything):
    r = monomials(anything(group, 2))
    for m in range(group.order):
        for k in range(group.order):
            rest = group.sum[m, group.negative[k]]
            assert group.sum[k, rest] == m
            assert np.array_equal(r.by_sum[:, m, k], r.squares[:, k, rest])


def test_they_are_those_of_the_outputs():
    """r_{k₁k₂k} is the Fourier coefficient of 2d ab c, the part of the outputs that x and y make together."""
    rng = np.random.default_rng(3)
    z = Solution.one(SEVEN) * 0.7 + Solution(SEVEN, rng.normal(size=(3, 1, 1)) * np.ones((3, 7, 2)))
    a, b, c = to_weights(z)
    together = 2 * np.einsum("xj,yj,jm->xym", a, b, c)
    chi = SEVEN.values
    found = np.einsum("xym,ix,ky,lm->ikl", together, chi.conj(), chi.conj(), chi) / 7**2
    assert found == pytest.approx(monomials(z).cross, abs=1e-12)
