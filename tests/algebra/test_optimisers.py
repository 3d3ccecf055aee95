"""Constructed optimisers have no loss, and the nodes that the paper counts."""

import numpy as np
import pytest

from nucleate.algebra import Characters, memorising, mixed, order_four, order_six, syn, to_weights, unit

ODD = [5, 7, 11, 23]


@pytest.mark.parametrize("d", ODD)
@pytest.mark.parametrize(("make", "nodes"), [(order_six, lambda d: 3 * (d - 1)), (mixed, lambda d: 2 * d)])
def test_no_loss_with_few_nodes(make, nodes, d):
    group = Characters.cyclic(d)
    z = make(group)
    assert z.nodes == nodes(d)
    assert z.loss < 1e-20
    assert to_weights(z).loss(group) < 1e-20


@pytest.mark.parametrize("d", ODD)
def test_no_loss_with_a_node_for_each_pair(d):
    group = Characters.cyclic(d)
    z = memorising(group)
    assert z.nodes == z.order(1) == d**2
    assert z.loss < 1e-20
    assert to_weights(z).loss(group) < 1e-20


def test_any_abelian_group_has_them(group):
    for make in (order_six, mixed, memorising):
        assert make(group).loss < 1e-20
    pairs = [k for k in group.halves if not group.is_real(k)]
    assert [order_six(group).order(k) for k in group.halves] == [6 if k in pairs else 2 for k in group.halves]


def test_order_four_alone_has_a_loss_of_two_at_each_frequency():
    """¼ |2 + 2i|² = 2 at each of d − 1 frequencies."""
    assert order_four(Characters.cyclic(7)).loss == pytest.approx(2 * 6 / 7)


def test_parameters_are_free():
    group = Characters.cyclic(7)
    turns = np.exp([0.3j, 1.2j, -2j])
    assert order_six(group, turns).loss < 1e-20
    assert order_six(group, turns, unit(0.8, 1.1j)).loss < 1e-20
    assert order_four(group, turns).loss == pytest.approx(order_four(group).loss)
    for k0 in (1, 2, 3):
        z = mixed(group, k0, np.exp(0.4j), turns)
        assert z.loss < 1e-20
        assert [z.order(k) for k in (1, 2, 3)] == [6 if k == k0 else 4 for k in (1, 2, 3)]


def test_without_its_constant_mixed_is_no_optimum():
    z = mixed(Characters.cyclic(7), 2)
    plain = z.z.copy()
    plain[2, [1, 3, 4, 6], :6] = 0
    assert type(z)(z.characters, plain).loss == pytest.approx(2 * 4 / 7)


def test_simpler_optima_are_smaller():
    group = Characters.cyclic(23)
    assert order_six(group).norm < memorising(group).norm


def test_bad_parameters_are_refused():
    group = Characters.cyclic(5)
    with pytest.raises(ValueError, match="nu: value must have modulus 1"):
        order_six(group, 0.5)
    with pytest.raises(ValueError, match="order_four: xi_values must be one number, or 2, one for each pair ±k"):
        order_four(group, np.ones(3))
    with pytest.raises(ValueError, match="order_six: y must be one node without a frequency"):
        order_six(group, 1j, syn())
    with pytest.raises(ValueError, match=r"mixed: k0 must be one of the pairs ±k of the group, \[1, 2\]; got 3"):
        mixed(group, 3)
    with pytest.raises(ValueError, match=r"mixed: k0 must be one of the pairs ±k of the group, \[\]; got None"):
        mixed(Characters.cyclic(2))
