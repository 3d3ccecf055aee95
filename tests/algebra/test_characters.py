"""Characters are homomorphisms to the circle, orthogonal, and numbered as promised."""

import numpy as np
import pytest

from nucleate.algebra import Characters
from nucleate.tasks import Group


def test_they_turn_sums_into_products_and_are_orthogonal(group):
    d, values = group.order, group.values
    for x in range(d):
        np.testing.assert_allclose(values[:, group.sums_of_elements[x]], values[:, [x]] * values, atol=1e-15)
    np.testing.assert_allclose(values @ values.conj().T, d * np.eye(d), atol=1e-13)


def test_frequency_zero_is_trivial_and_frequencies_add(group):
    assert (group.values[0] == 1).all()
    np.testing.assert_allclose(group.values[group.sum], group.values[:, None] * group.values, atol=1e-15)
    assert (group.values[group.negative] == group.values.conj()).all()  # to the last bit
    assert (group.sum[np.arange(group.order), group.negative] == 0).all()


def test_halves_have_one_of_each_pair(group):
    halves = group.halves
    assert sorted({0, *halves, *group.negative[halves]}) == list(range(group.order))
    assert all(group.is_real(k) or group.negative[k] not in halves for k in halves)


@pytest.mark.parametrize("d", [1, 2, 3, 8, 23])
def test_cyclic_groups_are_numbered_by_multiples(d):
    group, numbers = Characters.cyclic(d), np.arange(d)
    assert (group.exponents == numbers[:, None] * numbers % d).all()
    assert group.halves.tolist() == list(range(1, d // 2 + 1))
    np.testing.assert_allclose(group.values, np.exp(2j * np.pi * numbers[:, None] * numbers / d), atol=1e-13)


@pytest.mark.parametrize("name", ["C3xC3", "C2xC3", "C2xC2xC2", "C4xC2"])
def test_products_of_cyclic_groups_number_frequencies_as_elements(name):
    group = Characters.of(Group.named(name).products)
    assert (group.sum == group.sums_of_elements).all()
    assert (group.exponents == group.exponents.T).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["C8", "C12", "C2xC4"])
def test_elements_may_come_in_any_order(name, seed):
    """Identity anywhere, and elements first of which no minimal set of generators is made."""
    products = Group.named(name).products
    order = np.random.default_rng(seed).permutation(len(products))
    shuffled = np.argsort(order)[products[np.ix_(order, order)]]
    group, plain = Characters.of(shuffled), Characters.of(products)
    rows = {tuple(row) for row in group.exponents[:, np.argsort(order)].tolist()}
    assert rows == {tuple(row) for row in plain.exponents.tolist()}
    assert (group.exponents[0] == 0).all()


def test_groups_are_equal_by_their_tables():
    assert Characters.cyclic(4) == Characters.cyclic(4) != Characters.of(Group.named("C2xC2").products)
    assert len({Characters.cyclic(4), Characters.cyclic(4)}) == 1


def test_bad_orders_are_refused():
    with pytest.raises(ValueError, match="cyclic: d must be"):
        Characters.cyclic(0)
    for wrong in (5, -1, True):
        with pytest.raises(ValueError, match="must be a frequency, 0 to 4"):
            Characters.cyclic(5).frequency("k", wrong)
