"""What is asked of a solution is computed from its sums of monomials, and of solutions alone."""

import pytest

from nucleate.algebra import Characters, conditions, decompose, monomials, order_four

FOUR = order_four(Characters.cyclic(5))


def test_loss_and_conditions_tell_the_same():
    terms, found = decompose(FOUR), conditions(FOUR)
    assert terms.constant == pytest.approx(found.n_sum**2 / 4)
    assert terms.goal == pytest.approx(found.g**2, abs=1e-20)
    assert monomials(FOUR).cross.shape == (5, 5, 5)
