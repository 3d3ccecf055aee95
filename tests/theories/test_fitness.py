"""Planted lines are found again, and no embedding is predicted from itself."""

from dataclasses import dataclass
from typing import final

import numpy as np
import pytest
import xarray as xr
from scipy.optimize import minimize
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from nucleate.observables import Above, TwiceTheMean
from nucleate.theories import (
    Classifier,
    Features,
    Fit,
    Fitness,
    LinearSVM,
    Logistic,
    Theory,
    cross_validated,
    random_split,
)

STEPS = [0, 3, 4, 1000]


def planted(embeddings=4, trials=5, freqs=29, noise=0.0, seed=0):
    """Frequencies that survive if signal0 + 1000 gradient + noise > 90, in units like those of the paper."""
    rng = np.random.default_rng(seed)
    embedding = np.repeat(np.arange(embeddings), trials)
    signal0 = rng.normal(90, 8, size=(embeddings, freqs))[embedding]
    gradient = rng.normal(0, 0.008, size=signal0.shape)
    alive = signal0 + 1000 * gradient + noise * rng.normal(size=signal0.shape) > 90
    third = signal0 * 0.98
    signal = np.stack([signal0, third, third + gradient * signal0, np.where(alive, 60.0, 5.0)], axis=1)
    return xr.Dataset(
        {
            "signal": (("member", "step", "freq"), signal),
            "mean_signal": (("member", "step"), np.full(signal.shape[:2], 20.0)),
        },
        coords={"step": STEPS, "seed_embedding": ("member", embedding + 100)},
    )


def start(record):
    s = record["signal"].values
    return s[:, 0], (s[:, 2] - s[:, 1]) / s[:, 0], s[:, 3] > 10


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


@final
@dataclass(frozen=True)
class Witness(Classifier):
    """Keeps what it was shown."""

    seen: list

    def separate(self, features, alive):
        self.seen.append(features)
        return np.array([0.0, 1.0]), -90.0


def test_a_held_out_embedding_is_never_trained_on():
    record, witness = planted(noise=8.0), Witness([])
    rows = cross_validated(Fitness(witness), record)
    assert rows["seed_embedding"].values.tolist() == [100, 101, 102, 103]
    signal0, _, alive = start(record)
    for group, seen in zip(range(4), witness.seen, strict=True):
        held = np.repeat(np.arange(4), 5) == group
        assert not np.isin(signal0[held], seen[:, 1]).any()
        assert np.isin(signal0[~held], seen[:, 1]).all()
        row, a, s = rows.isel(seed_embedding=group), alive[held].ravel(), signal0[held].ravel()
        assert float(row["accuracy"]) == pytest.approx(np.mean((s > 90) == a))
        assert float(row["accuracy_majority"]) == pytest.approx(np.mean(a == (alive[~held].mean() >= 0.5)))
        assert float(row["balanced_accuracy"]) == pytest.approx(balanced_accuracy_score(a, s > 90))
        assert float(row["auc"]) == pytest.approx(roc_auc_score(a, s))


def test_random_split_takes_a_share_once_and_leaks():
    record, witness = planted(noise=8.0), Witness([])
    split = random_split(Fitness(witness), record, share=0.8, seed=3)
    assert len(witness.seen[0]) == 0.8 * 4 * 5 * 29
    assert len(np.unique(witness.seen[0][:, 0])) == len(witness.seen[0])
    assert set(split) == {"accuracy", "accuracy_majority", "balanced_accuracy", "auc"}
    xr.testing.assert_identical(split, random_split(Fitness(witness), record, share=0.8, seed=3))
    assert not split.equals(random_split(Fitness(witness), record, share=0.8, seed=4))


def test_labels_follow_the_rule():
    record = planted()
    ends = np.linspace(5, 60, 29)
    record["signal"][:, 3] = ends
    shares = {rule: Fitness(rule=rule).fit(record).score(record) for rule in (Above(10.0), Above(30.0), TwiceTheMean())}
    for rule, threshold in ((Above(10.0), 10), (Above(30.0), 30), (TwiceTheMean(), 40)):
        np.testing.assert_allclose(shares[rule]["alive_share"], np.mean(ends > threshold))


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


def test_members_that_stopped_are_read_at_their_last_row_or_left_out():
    record = planted().reindex(step=[0, 3, 4, 500, 1000])
    for name in ("signal", "mean_signal"):
        record[name][0, 3] = record[name][0, 4]
        record[name][0, 4] = np.nan  # stopped at 500
        record[name][1, 3:] = np.nan  # never seen after its start
        record[name][2, 2] = np.nan  # no gradient
    record["signal"][3, :, 7] = np.where(record["step"] < 1000, 0.0, 60.0)  # nothing to compare with
    fit = Fitness().fit(record)
    score = fit.score(record)
    assert np.isnan(score.isel(member=[1, 2]).to_array()).all()
    assert np.isfinite(score.isel(member=[0, *range(3, 20)])["accuracy"]).all()
    kept = fit.score(planted())
    assert float(score["alive_share"][0]) == pytest.approx(float(kept["alive_share"][0]))
    expected = np.delete(start(planted())[2][3], 7).mean()
    assert float(score["alive_share"][3]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda r: r.drop_vars("signal"), r"'signal' over .* got only \['mean_signal'\]"),
        (lambda r: r.drop_vars("mean_signal"), "'mean_signal' over"),
        (lambda r: r.isel(member=0), r"'signal' over .* got \('step', 'freq'\)"),
        (lambda r: r.drop_vars("step"), "coordinate 'step'"),
        (lambda r: r.isel(step=[0, 2, 3]), r"missing \[3\]"),
        (lambda r: r.isel(step=[0, 1, 2]), "a later row; it got none"),
        (lambda r: r * np.nan, "a later row; it got none"),
    ],
)
def test_what_a_record_lacks_is_named(change, match):
    with pytest.raises(ValueError, match=match):
        Fitness().fit(change(planted()))


def test_bad_choices_fail_at_once():
    with pytest.raises(ValueError, match=r"LinearSVM.C must be > 0; got 0"):
        LinearSVM(C=0.0)
    with pytest.raises(ValueError, match=r"Logistic.C must be > 0; got -1"):
        Logistic(C=-1.0)
    with pytest.raises(ValueError, match="got neither"):
        Features(gradient=False, signal=False)
    with pytest.raises(ValueError, match=r"Fitness.at must be >= 1"):
        Fitness(at=0)
    with pytest.raises(ValueError, match=r"LinearSVM.* knows no probabilities"):
        Fitness().fit(planted()).probability(np.ones(1), np.ones(1))
    with pytest.raises(ValueError, match="member column 'seed'"):
        cross_validated(Fitness(), planted(), group="seed")
    with pytest.raises(ValueError, match=r"two values of 'seed_embedding' or more; got \[100\]"):
        cross_validated(Fitness(), planted(embeddings=1))
    with pytest.raises(ValueError, match=r"share must be between 0 and 1; got 1.0"):
        random_split(Fitness(), planted(), share=1.0)
    with pytest.raises(ValueError, match="1 frequencies cannot be split"):
        random_split(Fitness(), planted(embeddings=1, trials=1, freqs=1))
