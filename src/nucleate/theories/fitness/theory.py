"""Fitness as a straight line between the frequencies that die and those that survive."""

from dataclasses import dataclass, field
from typing import final

import numpy as np
import xarray as xr
from jaxtyping import Array, Bool, Float
from scipy.special import expit

from nucleate.checking import Checked, Count
from nucleate.hypertext import Tabled
from nucleate.observables import Above
from nucleate.observables.circles import Rule
from nucleate.theories.fitness.classifiers import Classifier, LinearSVM, Logistic
from nucleate.theories.fitness.record import Starts
from nucleate.theories.reading import coords_over

_NAMES = ("gradient", "signal")


@final
@dataclass(frozen=True)
class Features(Checked):
    """Which measures of fitness the classifier sees, and in what units.

    `gradient`: the relative change of the signal at a step, see `nucleate.observables.signal_gradient`; `signal`: the
    initial signal; `standardize`: whether both are in units of their standard deviation in training, so that C shrinks
    both alike. The authors use both as they are: a gradient of 0.001 next to a signal of 90.
    Source: [ding2024survival], Section 3.2.

    >>> Features(gradient=False).used
    array([False,  True])
    """

    gradient: bool = True
    signal: bool = True
    standardize: bool = False

    def check(self) -> None:
        if not (self.gradient or self.signal):
            raise ValueError("Features.gradient or Features.signal must be True; got neither.")

    @property
    def used(self) -> Bool[np.ndarray, " feature"]:
        """Whether the classifier sees the gradient, and whether it sees the signal."""
        return np.array([self.gradient, self.signal])


@final
@dataclass(frozen=True)
class Fitness(Checked):
    r"""A frequency survives if it starts strong and resists decay from the beginning.

        alive ⇔ w_g g + w_s s(0) + b > 0

    g: the gradient at step `at`; s(0): the initial signal; w, b: chosen by the `classifier` from the `features`.
    The `rule` (`Above`, `TwiceTheMean`) decides by the last finite row of a member which frequencies survived; that
    row must come after `at`. Other members, and frequencies without a finite gradient, are left out. The record holds
    `signal` (member, step, freq), `mean_signal` (member, step), and the coordinate `step` with 0, at − 1 and at.

    This is not a `Theory`: it predicts an end, not a trajectory, so its fit has nothing to `simulate`. As with
    theories, fitting gives a different type, which is scored on records against a baseline.
    Source: [ding2024survival], Section 3.2.2.

    >>> signal = np.array([[[9.0, 8.0, 5.0, 4.0]] * 3 + [[20.0, 20.0, 1.0, 1.0]]])
    >>> record = xr.Dataset(
    ...     {"signal": (("member", "step", "freq"), signal), "mean_signal": (("member", "step"), signal.mean(axis=2))},
    ...     coords={"step": [0, 3, 4, 1000]},
    ... )
    >>> Fitness().fit(record).score(record)["accuracy"].values
    array([1.])
    """

    classifier: Classifier = field(default_factory=LinearSVM)
    features: Features = field(default_factory=Features)
    rule: Rule = field(default_factory=Above)
    at: Count = 4  # so that there is a step before it

    def fit(self, record: xr.Dataset) -> "FitnessFit":
        """Separate the frequencies of all members; if all share one fate, predict that fate for all."""
        return self.fit_starts(Starts.read(record, self.rule, self.at))

    def fit_starts(self, start: Starts) -> "FitnessFit":
        """`fit` for frequencies that have been read already."""
        rows, alive = start.features[start.there], start.alive[start.there]
        if not len(rows):
            raise ValueError(
                f"Fitness.fit needs a member with a finite gradient at step {self.at} and a later row; there is none."
            )
        majority, weights, used = bool(alive.mean() >= 0.5), np.zeros(2), self.features.used
        if alive.all() or not alive.any():
            return FitnessFit(self, weights, np.inf if majority else -np.inf, majority)
        centre, scale = np.zeros(2), np.ones(2)
        if self.features.standardize:
            centre, scale = rows.mean(axis=0), np.where(rows.std(axis=0) > 0, rows.std(axis=0), 1)
        found, intercept = self.classifier.separate(((rows - centre) / scale)[:, used], alive)
        weights[used] = found / scale[used]
        return FitnessFit(self, weights, float(intercept - weights @ centre), majority)


@final
@dataclass(frozen=True, eq=False)
class FitnessFit(Tabled):
    """A `Fitness` with its line.

    `weights`: of the gradient and of the initial signal in their own units, 0 if not used; `intercept`: ±inf if all
    frequencies in training shared one fate; `majority`: the more common fate in training, alive if both are equal.

    >>> fit = FitnessFit(Fitness(), np.array([0.0, 1.0]), -5.0, majority=False)
    >>> fit.predict(signal0=np.array([4.0, 6.0]), gradient=np.zeros(2))
    array([False,  True])
    """

    theory: Fitness
    weights: Float[np.ndarray, "2"]
    intercept: float
    majority: bool

    @property
    def boundary(self) -> xr.Dataset:
        """The line between dead and alive, Σ weight · feature + intercept = 0: `weight` (feature) and `intercept`."""
        return xr.Dataset(
            {"weight": ("feature", self.weights), "intercept": self.intercept}, coords={"feature": list(_NAMES)}
        )

    def decision(
        self, signal0: Float[Array | np.ndarray, "*run"], gradient: Float[Array | np.ndarray, "*run"]
    ) -> Float[np.ndarray, "*run"]:
        """The side of the line that a frequency is on, and how far from it: > 0 is alive."""
        return np.stack([gradient, signal0], axis=-1).astype(np.float64) @ self.weights + self.intercept

    def probability(
        self, signal0: Float[Array | np.ndarray, "*run"], gradient: Float[Array | np.ndarray, "*run"]
    ) -> Float[np.ndarray, "*run"]:
        """The probability that a frequency survives, which only `Logistic` gives."""
        if not isinstance(self.theory.classifier, Logistic):
            raise ValueError(f"{self.theory.classifier} gives no probabilities; fit Fitness(classifier=Logistic()).")
        return expit(self.decision(signal0, gradient))

    def predict(
        self, signal0: Float[Array | np.ndarray, "*run"], gradient: Float[Array | np.ndarray, "*run"]
    ) -> Bool[np.ndarray, "*run"]:
        """Whether a frequency survives."""
        return self.decision(signal0, gradient) > 0

    def score(self, record: xr.Dataset) -> xr.Dataset:
        """How often the line is right about each member of `record`, compared with always predicting the same fate.

        Over (member): `accuracy`; `accuracy_majority`, of the more common fate in training; `balanced_accuracy`, the
        mean of the accuracies on the dead and on the alive, NaN if all frequencies of this member or of the training
        record share one fate; `alive_share`. NaN for a member that is left out.
        """
        start = Starts.read(record, self.theory.rule, self.theory.at)
        rows = [self.score_starts(start[member]) for member in range(len(start.alive))]
        names = ("accuracy", "accuracy_majority", "balanced_accuracy", "alive_share")
        values = {name: ("member", [row[name] for row in rows]) for name in names}
        return xr.Dataset(values, coords=coords_over(record, "member"))

    def score_starts(self, start: Starts) -> dict[str, float]:
        """`score` for frequencies that have been read already, all taken together; and `auc`, see `cross_validated`."""
        from sklearn.metrics import balanced_accuracy_score, roc_auc_score  # here: importing it takes a second

        features, alive = start.features[start.there], start.alive[start.there]
        decision = self.decision(signal0=features[:, 1], gradient=features[:, 0])
        guess, both = decision > 0, alive.any() and not alive.all() and np.isfinite(self.intercept)
        mean = lambda values: float(np.mean(values)) if len(alive) else float("nan")
        return {
            "accuracy": mean(guess == alive),
            "accuracy_majority": mean(alive == self.majority),
            "balanced_accuracy": float(balanced_accuracy_score(alive, guess)) if both else float("nan"),
            "alive_share": mean(alive),
            "auc": float(roc_auc_score(alive, decision)) if both else float("nan"),
        }
