"""The blocks meet the conditions that the paper says they meet, and no others."""

import numpy as np
import pytest

from nucleate.algebra import Characters, conditions, nu, syn, syn_twisted, unit, xi

SEVEN = Characters.cyclic(7)
TURNS = np.exp(1j * np.array([0.3, 1.1, 2.0, -0.7]))


def residuals(block) -> dict[str, float]:
    """The worst residual of each condition, rounded: R_c, R_n and R_* of a block at frequency 1."""
    found = conditions(block.at(SEVEN, 1))
    return {name: round(float(getattr(found, name)[1]), 9) for name in ("c", "n", "star")}


def test_syn_meets_R_c_and_R_n_alone():
    assert residuals(syn()) == {"c": 0, "n": 0, "star": 3}


@pytest.mark.parametrize("value", TURNS)
def test_nu_meets_R_star_for_what_syn_leaves(value):
    assert residuals(nu(value))["n"] > 0.1
    assert residuals(syn() * nu(value)) == {"c": 0, "n": 0, "star": 0}


@pytest.mark.parametrize("value", TURNS)
def test_xi_with_nu_i_fails_R_n_alone(value):
    found = residuals(nu(1j) * xi(value))
    assert (found["c"], found["star"]) == (0, 0)
    assert found["n"] == pytest.approx(2 * 2**0.5)  # |2 + 2i|


def test_twisted_syn_with_nu_i_is_complete_for_all_turns():
    for alpha, beta in zip(TURNS, TURNS[::-1], strict=True):
        assert residuals(syn_twisted(alpha, beta) * nu(1j)) == {"c": 0, "n": 0, "star": 0}
    assert np.array_equal(syn_twisted(1, 1).z, syn().z)


def test_every_node_has_product_one():
    for block in (syn(), syn_twisted(*TURNS[:2]), nu(TURNS[0]), xi(TURNS[1]), unit(2, 3j)):
        np.testing.assert_allclose(block.z.prod(axis=0), 1, atol=1e-15)


def test_parameters_are_on_the_circle():
    for make in (nu, xi, lambda value: syn_twisted(value, 1), lambda value: syn_twisted(1, value)):
        with pytest.raises(ValueError, match=r"must have modulus 1, as exp\(0.3j\) has; got \(2\+0j\), of modulus 2"):
            make(2)
    with pytest.raises(ValueError, match="unit: a and b must not be 0"):
        unit(0)
