"""Residuals of the conditions are 0 where they hold, and of a known size where they do not."""

import numpy as np

from nucleate.algebra import Characters, conditions, memorising, mixed, order_four, order_six

SEVEN = Characters.cyclic(7)


def worst(solution) -> dict[str, float]:
    found = conditions(solution)
    return {name: round(float(values.max()), 9) for name, values in vars(found).items()}


def test_order_six_and_memorising_meet_all(group):
    for make in (order_six, memorising):
        assert set(worst(make(group)).values()) == {0}
        assert conditions(make(group)).hold()


def test_order_four_fails_R_n_alone():
    found = worst(order_four(SEVEN))
    assert {name for name, value in found.items() if value} == {"n", "n_sum"}
    assert found["n_sum"] == round(2 * 2**0.5, 9)  # |2 + 2i|


def test_mixed_meets_R_n_in_sum_alone():
    found = worst(mixed(SEVEN, 2))
    assert {name for name, value in found.items() if value} == {"n"}
    assert not conditions(mixed(SEVEN, 2)).hold()


def test_a_scaled_optimum_misses_its_goal():
    found = conditions(0.9 * order_six(SEVEN))
    np.testing.assert_allclose(found.g[1:], 1 - 0.9**3)
    assert found.g[0] == 0
    assert found.hold(tolerance=0.3)


def test_conditions_make_zero_loss(group, anything):
    """Where all sums hold the loss is 0; of a network at random none of them does."""
    for make in (order_six, memorising):
        assert make(group).loss < 1e-20
    found = conditions(anything(group, 4))
    assert min(found.g[1:].min(), found.c[1:].min(), found.n[1:].min(), found.star[1:].min()) > 1e-3
