"""The path to a simpler solution has no loss, and its norm never rises."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nucleate.algebra import Characters, Partial, Solution, memorising, mixed, occam_path, order_six, unit

FIVE = Characters.cyclic(5)
SIX = Characters.cyclic(6)
SIMPLE = order_six(FIVE)
TIMES = tuple(np.linspace(0, 1, 9).tolist())


def any_factor(nodes: int, seed: int) -> Partial:
    rng = np.random.default_rng(seed)
    return Partial(rng.normal(size=(3, nodes)) + 1j * rng.normal(size=(3, nodes)))


def norms(path) -> np.ndarray:
    return np.array([z.norm for z in path])


@settings(max_examples=10)
@given(nodes=st.integers(1, 4), seed=st.integers(0, 2**16))
def test_no_loss_and_a_falling_norm(nodes, seed):
    block = any_factor(nodes, seed)
    assume(abs(block.z.prod(axis=0).sum()) > 0.1)
    y = block.normalised().everywhere(FIVE)
    path = occam_path(y, SIMPLE, TIMES)
    assert np.allclose(path[0].z, (y * SIMPLE).z)
    assert max(z.loss for z in path) < 1e-18
    assert (np.diff(norms(path)) < 1e-9 * path[0].norm).all()
    assert path[-1].norm == pytest.approx(SIMPLE.norm)
    assert SIMPLE.norm <= path[0].norm * (1 + 1e-12)  # the inequality of the paper


def test_it_ends_at_the_simple_solution_itself():
    y = (unit(2) + 0.1 * unit(1j, -3)).normalised().everywhere(FIVE)
    end = occam_path(y, SIMPLE, (1.0,))[0].z.reshape(3, 5, 2, 12)
    np.testing.assert_allclose(end[:, :, 0], SIMPLE.z, atol=1e-14)
    np.testing.assert_allclose(end[:, :, 1], 0, atol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_there_are_no_jumps(seed):
    y = any_factor(3, seed).normalised().everywhere(FIVE)
    for joint in (0.25, 0.5, 0.75):
        before, after = occam_path(y, SIMPLE, (joint - 1e-10, joint + 1e-10))
        assert np.abs(before.z - after.z).max() < 1e-2  # cube roots of 1e-10


def test_products_of_any_sign_and_nodes_without_one():
    block = unit(1j) + -2 * unit() + unit(1, 0.5) + Partial(np.array([[0.0], [2.0], [3.0]]))
    block += 2 * unit()
    path = occam_path(block.normalised().everywhere(FIVE), SIMPLE, TIMES)
    assert max(z.loss for z in path) < 1e-18
    assert (np.diff(norms(path)) < 1e-9).all()
    assert path[-1].norm == pytest.approx(SIMPLE.norm)


def test_different_factors_at_different_frequencies():
    y = (unit(2) + unit()).normalised().at(FIVE, 1) + (unit(1j, 2) + -0.2 * unit(3)).normalised().at(FIVE, 2)
    path = occam_path(y, SIMPLE, TIMES)
    assert max(z.loss for z in path) < 1e-18
    assert (np.diff(norms(path)) < 1e-9).all()


def test_where_frequencies_are_real():
    y = (unit(2) + unit(-1, -1)).normalised().everywhere(SIX)
    path = occam_path(y, order_six(SIX), TIMES)
    assert max(z.loss for z in path) < 1e-18
    assert path[-1].norm == pytest.approx(order_six(SIX).norm)


def test_from_memory():
    path = occam_path((unit() + unit()).normalised().everywhere(FIVE), memorising(FIVE), (0, 0.5, 1))
    assert max(z.loss for z in path) < 1e-18


def test_the_inequality_needs_rows_of_one_norm():
    """An optimum with rows out of balance is not the smallest of its multiples: the theorem's limit."""
    lopsided = order_six(FIVE, y=unit(4, 1))
    balancing = unit(1 / 4, 1).everywhere(FIVE)
    assert lopsided.loss < 1e-18
    assert (balancing * lopsided).norm < lopsided.norm


def test_what_the_theorem_does_not_cover_is_refused():
    one = unit().everywhere(FIVE)
    with pytest.raises(ValueError, match="occam_path: z_prime must meet R_n term by term, as order_six"):
        occam_path(one, mixed(FIVE), (0.5,))
    with pytest.raises(ValueError, match="occam_path: z_prime must meet R_g"):
        occam_path(one, 0.9 * SIMPLE, (0.5,))
    with pytest.raises(ValueError, match="occam_path: y must have r_kkk = 1 at every frequency k ≠ 0"):
        occam_path((unit() + unit()).everywhere(FIVE), SIMPLE, (0.5,))
    with pytest.raises(ValueError, match=r"Solution \* Solution needs one group"):
        occam_path(Solution.one(Characters.cyclic(7)), SIMPLE, (0.5,))
    with pytest.raises(ValueError, match=r"occam_path: times must be >= 0 and <= 1; got 1.5"):
        occam_path(one, SIMPLE, (1.5,))
