"""Each form is recognised, in every guise that it can have."""

import numpy as np
import pytest

from nucleate.algebra import Partial, nu, syn, syn_twisted, unit, xi
from nucleate.observables import FactorClass
from nucleate.observables.factors.classes import classes_of_four, classes_of_six

MATCH = 0.1
OMEGA = np.exp(2j * np.pi / 3)
TURN = np.exp(0.4j)


def four(first: Partial, second: Partial):
    return classes_of_four(first.z[None], second.z[None], MATCH)


def six(first: Partial, second: Partial):
    return classes_of_six(first.z[None], second.z[None], MATCH)


@pytest.mark.parametrize("pair", [(nu(1j), xi(TURN)), (xi(TURN), nu(1j)), (nu(-1j), xi(TURN)), (xi(TURN), nu(-1j))])
def test_order_four_in_either_order(pair):
    found = four(*pair)
    assert found.kind[0] == FactorClass.XI_NU
    assert found.xi[0] == pytest.approx(0.4)
    assert abs(found.nu[0]) == pytest.approx(np.pi / 2)
    assert np.isnan([found.alpha[0], found.beta[0]]).all()


def test_xi_seen_from_the_negative_frequency():
    assert four(nu(1j), Partial(xi(TURN).z.conj())).xi[0] == pytest.approx(0.4)


@pytest.mark.parametrize("pair", [(nu(1j), nu(TURN)), (xi(1), xi(1j)), (nu(TURN), xi(1)), (unit() + unit(), nu(1j))])
def test_other_products_of_four(pair):
    found = four(*pair)
    assert found.kind[0] == FactorClass.OTHER
    assert np.isnan([found.nu[0], found.xi[0]]).all()


@pytest.mark.parametrize("turn", [1, OMEGA, OMEGA.conjugate(), -1])
def test_syn_with_any_nu(turn):
    """ν and its turns by a third are the same beside syn; the one closest to ±i is given."""
    found = six(nu(TURN * 1j * turn), syn())
    assert found.kind[0] == FactorClass.SYN_NU
    assert np.abs(found.nu[0]) == pytest.approx(np.pi / 2 + (0.4 if turn != -1 else -0.4), abs=1e-9)
    assert np.isnan(found.alpha[0])


@pytest.mark.parametrize("turn", [1, OMEGA, OMEGA.conjugate(), -1])
def test_syn_with_nu_i_counts_as_twisted(turn):
    found = six(nu(1j * turn), syn())
    assert found.kind[0] == FactorClass.SYN_TWISTED
    assert (found.alpha[0], found.beta[0]) == pytest.approx((0, 0), abs=1e-9)


@pytest.mark.parametrize("columns", [[0, 1, 2], [0, 2, 1]])
@pytest.mark.parametrize("sign", [1, -1])
def test_twisted_syn_in_any_order_and_sign(columns, sign):
    block = syn_twisted(np.exp(0.4j), np.exp(-0.7j)).z[:, columns]
    block[:2, 1] *= sign
    found = six(nu(1j), Partial(block))
    assert found.kind[0] == FactorClass.SYN_TWISTED
    assert (found.alpha[0], found.beta[0]) == pytest.approx((0.4, -0.7))


@pytest.mark.parametrize("value", [1, -1, 1j, -1j])
@pytest.mark.parametrize("columns", [[1], [2], [1, 2]])
def test_columns_may_belong_to_the_other_half(value, columns):
    """[1, ν] and [ν, 1] are one pair up to signs, so each column of syn may be found with ν in it."""
    block = syn().z.copy()
    block[:, columns] *= nu(value).z[:, [1]]
    found = six(nu(value), Partial(block))
    assert found.kind[0] == (FactorClass.SYN_NU if value in (1, -1) else FactorClass.SYN_TWISTED)
    np.testing.assert_allclose(found.second[0], syn().z, atol=1e-12)


def test_factors_are_written_as_the_class_has_them():
    block = syn_twisted(np.exp(0.4j), np.exp(-0.7j))
    found = six(nu(1j), Partial(block.z[:, [0, 2, 1]]))
    np.testing.assert_allclose(found.second[0], block.z, atol=1e-12)
    np.testing.assert_allclose(four(xi(TURN), nu(1j)).first[0], nu(1j).z, atol=1e-12)


def test_other_products_of_six():
    for first, second in (
        (nu(TURN), syn_twisted(TURN, 1)),  # twisted, and ν is not i
        (xi(1), syn()),
        (nu(1j), unit() + unit() + unit()),
    ):
        assert six(first, second).kind[0] == FactorClass.OTHER


def test_forms_match_up_to_the_threshold():
    for off, kind in ((0.04, FactorClass.XI_NU), (0.2, FactorClass.OTHER)):
        block = nu(1j).z.copy()
        block[2, 1] += off
        assert four(Partial(block), xi(1)).kind[0] == kind
