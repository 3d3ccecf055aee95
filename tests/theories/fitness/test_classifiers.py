"""Lines that are known in closed form, or from SciPy."""

import numpy as np
import pytest
from planted_fates import planted, start
from scipy.optimize import minimize

from nucleate.theories import Features, Fitness, LinearSVM, Logistic


@pytest.mark.parametrize("features", [Features(), Features(signal=False), Features(standardize=True)])
def test_logistic_agrees_with_a_fit_by_scipy(features):
    record = planted(noise=8.0)
    fit = Fitness(Logistic(C=0.5), features).fit(record)
    signal0, gradient, alive = start(record)
    z = np.stack([gradient.ravel(), signal0.ravel()], axis=1)
    centre, scale = (z.mean(axis=0), z.std(axis=0)) if features.standardize else (np.zeros(2), np.ones(2))
    u, y = ((z - centre) / scale)[:, features.used], np.where(alive.ravel(), 1, -1)
    # For SciPy the units are evened out, and the penalty with them.
    middle, unit = u.mean(axis=0), u.std(axis=0)

    def loss(w):
        return (
            0.5 * np.sum(np.square(w[1:] / unit))
            + 0.5 * np.logaddexp(0, -y * ((u - middle) / unit @ w[1:] + w[0])).sum()
        )

    w = minimize(loss, np.zeros(1 + u.shape[1]), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-12}).x
    logit = ((u - middle) / unit) @ w[1:] + w[0]
    np.testing.assert_allclose(fit.decision(signal0, gradient).ravel(), logit, atol=1e-4)
    np.testing.assert_allclose(fit.probability(signal0, gradient).ravel(), 1 / (1 + np.exp(-logit)), atol=1e-4)
    assert np.array_equal(fit.predict(signal0, gradient), fit.probability(signal0, gradient) > 0.5)


def test_the_margin_lies_halfway_between_the_nearest_rows():
    features = np.array([[-3.0, 1.0], [-1.0, 0.0], [3.0, 0.0], [4.0, 1.0]])
    weights, intercept = LinearSVM(C=1e3).separate(features, np.array([False, False, True, True]))
    np.testing.assert_allclose(weights, [0.5, 0.0], atol=1e-3)  # 2 / the distance of 4
    assert -intercept / weights[0] == pytest.approx(1.0, abs=1e-2)


def test_logistic_without_features_that_tell_gives_the_share_of_the_living():
    alive = np.array([True, True, True, False] * 10)
    weights, intercept = Logistic().separate(np.zeros((40, 1)), alive)
    assert weights.tolist() == [0.0]
    assert intercept == pytest.approx(np.log(3), abs=1e-6)


def test_bad_choices_fail_at_once():
    with pytest.raises(ValueError, match=r"LinearSVM.C must be > 0; got 0"):
        LinearSVM(C=0.0)
    with pytest.raises(ValueError, match=r"Logistic.C must be > 0; got -1"):
        Logistic(C=-1.0)
