"""Flows of many members are each member's flow, and losses are what they are called."""

import numpy as np
import pytest
from planted_pairs import LABEL, PAIRS, Planted, hill, well
from scipy.stats import kendalltau

from nucleate.theories import Parity
from nucleate.theories.flow import relax
from nucleate.theories.pairs import pair_flow, pair_gradients, pair_terms, representation_loss
from nucleate.theories.pairs import trajectory_loss as loss

TERMS = pair_terms(PAIRS, LABEL, 10, Parity())


def test_many_members_at_their_own_times_follow_the_accurate_flow():
    rng = np.random.default_rng(0)
    x0, times = rng.normal(size=(3, 10, 1)), np.linspace(0, 1, 4) * np.array([[1.0], [3.0], [0.0]])
    path = pair_flow(TERMS, well, hill, x0, times)
    assert np.array_equal(path[2], np.broadcast_to(x0[2], path[2].shape))
    steps = 300  # of Euler, whose error is of the order of a hundredth
    for member in (0, 1):
        x = x0[member : member + 1]
        for _ in range(steps):
            x = x - times[member, -1] / steps * pair_gradients(TERMS, well, hill, x)
        assert np.abs(path[member, -1] - x[0]).max() < 0.02


def test_a_spring_decays_exactly():
    x0, times = np.random.default_rng(0).normal(size=(1, 10, 1)), np.array([[0.0, 0.1, 0.3, 2.0]])
    rows, weight = TERMS.same.maps[:, 0], TERMS.same.weight
    exact = relax(rows.T @ (weight[:, None] * rows), x0[0], times[0])
    assert np.abs(exact[-1] - x0).max() > 0.5
    assert np.abs(pair_flow(TERMS, Planted(spring=0.5), Planted(), x0, times)[0] - exact).max() < 1e-4


def test_a_flow_that_runs_away_is_nan_and_leaves_the_others_alone():
    x0 = np.stack([np.arange(10.0)[:, None], np.random.default_rng(0).normal(size=(10, 1))])
    path = pair_flow(TERMS, Planted(quartic=-1.0), Planted(), x0, np.tile([0.0, 0.3, 0.6, 1.0], (2, 1)))
    assert np.allclose(path[0], x0[0])  # an even line feels no attraction of any kind
    assert np.array_equal(path[1, 0], x0[1])
    assert np.isnan(path[1, 1:]).all()


def test_times_that_decrease_are_refused():
    with pytest.raises(ValueError, match="never decrease"):
        pair_flow(TERMS, well, hill, np.zeros((1, 10, 1)), np.array([[1.0, 0.0]]))


def test_trajectory_loss_is_zero_for_equal_and_one_for_nothing():
    path = np.random.default_rng(0).normal(size=(4, 5, 10, 2))
    assert np.all(loss(path, path) == 0)
    assert np.allclose(loss(path, 0 * path), 1)
    assert np.allclose(loss(path, -path), 1)
    assert loss(0 * path, 0 * path).tolist() == [0] * 4
    assert loss(path, path + 1)[2] == pytest.approx(10 / (np.linalg.norm(path[2]) + np.linalg.norm(path[2] + 1)))


@pytest.mark.parametrize("ties", [False, True])
def test_representation_loss_is_scipys_kendall_tau(ties):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 6, 10, 2))
    if ties:
        x, y = x.round(), y.round()
    expected = [[(1 - kendalltau(x[m, :, a], y[m, :, a]).statistic) / 2 for a in range(2)] for m in range(6)]
    assert representation_loss(x, y) == pytest.approx(np.mean(expected, axis=1))


def test_representation_loss_of_same_and_reversed_order():
    x = np.random.default_rng(0).normal(size=(10, 1))
    assert representation_loss(x, np.exp(x)) == pytest.approx(0, abs=1e-12)
    assert representation_loss(x, -x) == pytest.approx(1)
    assert np.isnan(representation_loss(x, 0 * x))
