"""Rollouts and scores by hand, and against scikit-learn."""

import numpy as np
import pytest
from planted_signals import UNEQUAL, A, B, followed, law, linear, recorded
from sklearn.metrics import r2_score

from nucleate.theories import LinearFlow


def test_rollout_is_the_discrete_map():
    fit, x = law(A, B), np.array([5.0, 1.0, 2.0])
    path = fit.rollout(x, UNEQUAL)
    for i, dt in enumerate(np.diff(UNEQUAL)):
        np.testing.assert_allclose(path[i], x)
        x = x + dt * np.array([sum(A[j, k] * x[k] for k in range(3)) + B[j] for j in range(3)])
    np.testing.assert_allclose(path[-1], x)


def test_scores_agree_with_scikit_learn():
    record = followed(linear, noise=0.1, step=UNEQUAL)
    fit = LinearFlow().fit(record.isel(member=[0]))
    score = fit.score(record.assign_coords(seed=("member", [5, 6, 7, 8])))
    assert score["seed"].values.tolist() == [5, 6, 7, 8]
    for member, x in enumerate(record["signal"].values):
        rate = np.diff(x, axis=0) / np.diff(UNEQUAL)[:, None]
        path = fit.rollout(x[0], UNEQUAL)
        assert float(score["r2"][member]) == pytest.approx(r2_score(rate, fit.velocity(x[:-1])))
        assert float(score["r2_rollout"][member]) == pytest.approx(r2_score(x[1:], path[1:]))
        assert float(score["error_rollout"][member]) == pytest.approx(np.sqrt(np.mean((x - path)[1:] ** 2)))
        assert float(score["error_constant"][member]) == pytest.approx(np.sqrt(np.mean((x[1:] - x[0]) ** 2)))


def test_r2_by_hand_and_without_frequencies_that_do_not_vary():
    # Increments 1, 3 of the first, predicted as 2, 2: no better than their mean. The second grows evenly.
    x = np.array([[[0.0, 30.0], [1.0, 30.1], [4.0, 30.2]]])
    fit = law(np.zeros((2, 2)), [2.0, 0.1])
    score = fit.score(recorded(x, [0, 1, 2]))
    assert float(score["r2"][0]) == pytest.approx(0)
    # Rollout 2, 4 against 1, 4, with mean 2.5: 1 − 1/4.5; and the second is exact.
    assert float(score["r2_rollout"][0]) == pytest.approx((1 - 1 / 4.5 + 1) / 2)
    assert float(score["error_rollout"][0]) == pytest.approx(np.sqrt(1 / 4))
    still = fit.score(recorded(np.ones((1, 3, 2)), [0, 1, 2]))
    assert np.isnan(still["r2"][0])
    assert float(still["error_constant"][0]) == 0
    rounded = recorded(x.astype(np.float32), [0, 1, 2])
    assert float(fit.score(rounded)["r2"][0]) == pytest.approx(0)
