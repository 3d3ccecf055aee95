"""Solutions make a semi-ring, and say what is wrong with a network that is none."""

import numpy as np
import pytest

from nucleate.algebra import Characters, Solution, monomials, nu, order_six, syn

FIVE = Characters.cyclic(5)


def same(left: Solution, right: Solution) -> bool:
    """Whether two solutions are equal up to the order of nodes, as far as any loss can tell."""
    one, other = monomials(left), monomials(right)
    return np.allclose(one.cross, other.cross, atol=1e-12) and np.allclose(one.squares, other.squares, atol=1e-12)


def test_sums_and_products_make_a_semi_ring(group, anything):
    x, y, z = (anything(group, nodes, seed) for nodes, seed in ((2, 1), (3, 2), (1, 3)))
    one = Solution.one(group)
    assert same(x + y, y + x)
    assert same(x * y, y * x)
    assert same((x * y) * z, x * (y * z))
    assert same(x * (y + z), x * y + x * z)
    assert np.array_equal((one * x).z, x.z)
    assert (x + y).nodes == 5
    assert (x * y).nodes == 6


def test_products_are_taken_node_by_node():
    x, y = syn().at(FIVE, 1), nu(1j).at(FIVE, 1)
    product = (x * y).z.reshape(3, 5, 3, 2)
    assert np.array_equal(product[:, 1, 2, 1], x.z[:, 1, 2] * y.z[:, 1, 1])
    assert np.array_equal(product[:, 4], product[:, 1].conj())


def test_frequencies_without_a_common_one_multiply_to_zero():
    product = syn().at(FIVE, 1) * syn().at(FIVE, 2)
    assert product.norm == 0
    assert product.loss == pytest.approx(1 - 1 / 5)


def test_scalars_of_python_and_numpy():
    z = order_six(FIVE)
    assert np.array_equal((2 * z).z, (z * np.float64(2)).z)
    assert isinstance(np.float64(2) * z, Solution)
    assert (0.5 * z).norm == pytest.approx(z.norm / 2)
    assert sum([z, z]).nodes == 24
    with pytest.raises(TypeError):
        z * 1j  # weights would not be real
    with pytest.raises(TypeError):
        z + 1


def test_orders_count_nodes_with_inputs():
    z = syn().at(FIVE, 1) + nu(1).at(FIVE, 2)
    assert [z.order(k) for k in np.arange(5)] == [0, 3, 2, 2, 3]
    with pytest.raises(ValueError, match=r"Solution.order: k must be a frequency, 0 to 4; got 5"):
        z.order(5)


def test_two_groups_do_not_mix():
    with pytest.raises(ValueError, match=r"Solution \* Solution needs one group; got two different ones, of 5 and 7"):
        order_six(FIVE) * order_six(Characters.cyclic(7))
    with pytest.raises(ValueError, match=r"Solution \+ Solution needs one group"):
        order_six(FIVE) + order_six(Characters.cyclic(7))


def test_weights_must_be_real():
    z = np.zeros((3, 5, 1), complex)
    z[0, 1] = 1j
    with pytest.raises(
        ValueError, match=r"Solution.z must be conjugate at k and −k.*row a, node 0 is 0\+1j at frequency 1"
    ):
        Solution(FIVE, z)
    z[0, 4] = -1j
    assert Solution(FIVE, z).order(4) == 1


def test_what_is_not_finite_is_refused():
    with pytest.raises(ValueError, match=r"Solution.z must be finite"):
        Solution(FIVE, np.full((3, 5, 1), np.nan))
