"""Planted lines are found again, and scores agree with scikit-learn's."""

import numpy as np
import pytest
from planted_fates import planted, start
from sklearn.metrics import balanced_accuracy_score

from nucleate.theories import Features, Fit, Fitness, LinearSVM, Logistic, Theory
from nucleate.theories.fitness import cross_validated


@pytest.mark.parametrize("classifier", [LinearSVM(C=100.0), Logistic(C=100.0)])
def test_planted_line_is_found(classifier):
    fit = Fitness(classifier, Features(standardize=True)).fit(planted())
    assert not isinstance(fit, Fit)
    assert not isinstance(fit.theory, Theory)
    line = fit.boundary
    g, s = (float(line["weight"].sel(feature=name)) for name in ("gradient", "signal"))
    assert g / s == pytest.approx(1000, rel=0.05)
    assert -float(line["intercept"]) / s == pytest.approx(90, rel=0.01)
    score = fit.score(planted(seed=1))
    assert float(score["accuracy"].mean()) > 0.97
    assert score["seed_embedding"].dims == ("member",)


def test_authors_units_hide_the_gradient_from_the_margin():
    record = planted()
    both, alone = (Fitness(features=Features(gradient=g)).fit(record) for g in (True, False))
    assert alone.weights[0] == 0
    accuracy = [float(fit.score(record)["accuracy"].mean()) for fit in (both, alone)]
    assert accuracy[0] == pytest.approx(accuracy[1], abs=0.03)
    scaled = Fitness(features=Features(standardize=True)).fit(record).score(record)
    assert float(scaled["accuracy"].mean()) > accuracy[0] + 0.1


def test_scores_by_hand():
    train, test = planted(noise=8.0), planted(noise=8.0, seed=1)
    fit = Fitness(Logistic()).fit(train)
    score = fit.score(test)
    majority = start(train)[2].mean() >= 0.5
    assert fit.majority == majority
    signal0, gradient, alive = start(test)
    guess = fit.predict(signal0, gradient)
    np.testing.assert_allclose(score["accuracy"], (guess == alive).mean(axis=1))
    np.testing.assert_allclose(score["accuracy_majority"], (alive == majority).mean(axis=1))
    np.testing.assert_allclose(score["alive_share"], alive.mean(axis=1))
    balanced = [balanced_accuracy_score(a, g) for a, g in zip(alive, guess, strict=True)]
    np.testing.assert_allclose(score["balanced_accuracy"], balanced)


@pytest.mark.parametrize(("end", "fate"), [(60.0, True), (5.0, False)])
@pytest.mark.parametrize("classifier", [LinearSVM(), Logistic()])
def test_one_fate_in_training_is_predicted_for_all(classifier, end, fate):
    record = planted()
    record["signal"][:, 3] = end
    fit = Fitness(classifier).fit(record)
    score = fit.score(planted(seed=1))
    alive = start(planted(seed=1))[2]
    np.testing.assert_allclose(score["accuracy"], (alive == fate).mean(axis=1))
    np.testing.assert_allclose(score["accuracy"], score["accuracy_majority"])
    assert np.isnan(score["balanced_accuracy"]).all()
    rows = cross_validated(Fitness(classifier), record)
    assert np.all(rows["accuracy"] == 1)
    assert np.isnan(rows["auc"]).all()
    if isinstance(classifier, Logistic):
        assert fit.probability(np.array([90.0]), np.array([0.0])).tolist() == [float(fate)]


def test_bad_choices_fail_at_once():
    with pytest.raises(ValueError, match="got neither"):
        Features(gradient=False, signal=False)
    with pytest.raises(ValueError, match=r"Fitness.at must be >= 1"):
        Fitness(at=0)
    with pytest.raises(ValueError, match=r"LinearSVM.* gives no probabilities"):
        Fitness().fit(planted()).probability(np.ones(1), np.ones(1))
