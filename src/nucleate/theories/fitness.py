"""Survival of the fittest: does a frequency survive, told from its start? (Section 3.2.2 of [ding2024survival])

All frequencies of one embedding share it, and all its trials share their initial signals: they are not independent, so
that intervals belong over embeddings, as `cross_validated` gives them.
"""

from dataclasses import dataclass, field
from typing import final

import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Bool, Float
from scipy.special import expit
from scipy.stats import rankdata

from nucleate.observables import Above, signal_gradient
from nucleate.observables.circles import Rule
from nucleate.theories.classifiers import Classifier, LinearSVM, Logistic

_NAMES = ("gradient", "signal")


@final
@dataclass(frozen=True)
class Features:
    """Which measures of fitness the classifier sees, and in which units.

    `gradient`: the relative change of the signal at a step, see `nucleate.observables.signal_gradient`; `signal`: the
    initial signal; `standardize`: in units of their standard deviation in training, so that C shrinks both alike. The
    authors use both as they are: a gradient of 0.001 beside a signal of 90. Source: [ding2024survival], Section 3.2.

    >>> Features(gradient=False).used
    array([False,  True])
    """

    gradient: bool = True
    signal: bool = True
    standardize: bool = False

    def __post_init__(self):
        if not (self.gradient or self.signal):
            raise ValueError("Features.gradient or Features.signal must be True; got neither.")

    @property
    def used(self) -> Bool[np.ndarray, " feature"]:
        """Whether the classifier sees the gradient, and whether the signal."""
        return np.array([self.gradient, self.signal])


@dataclass(frozen=True, eq=False)
class _Start:
    """How each frequency began and ended; `there`: where the record tells both."""

    features: Float[np.ndarray, "*run feature"]
    alive: Bool[np.ndarray, "*run"]
    there: Bool[np.ndarray, "*run"]

    @classmethod
    def read(cls, record: xr.Dataset, rule: Rule, at: int) -> "_Start":
        for name, dims in {"signal": ("member", "step", "freq"), "mean_signal": ("member", "step")}.items():
            if name not in record or set(record[name].dims) != set(dims):
                got = record[name].dims if name in record else f"only {[*record.data_vars]}"
                raise ValueError(f"Fitness needs the variable '{name}' over {dims}, recorded by the fleet; got {got}.")
        if "step" not in record.coords:
            raise ValueError("Fitness needs the coordinate 'step', the training step of each row.")
        signal = record["signal"].transpose("member", "step", "freq").to_numpy()
        mean, step = record["mean_signal"].transpose("member", "step").to_numpy(), record["step"].to_numpy()
        finite = np.isfinite(signal).any(axis=2) & np.isfinite(mean)  # a smaller p leaves frequencies empty
        last = finite.shape[1] - 1 - finite[:, ::-1].argmax(axis=1)
        members = np.arange(len(signal))
        with np.errstate(divide="ignore", invalid="ignore"):
            gradient = signal_gradient(signal, step.astype(np.int64), at)
        features = np.stack([gradient, signal[:, np.flatnonzero(step == 0)[0]]], axis=-1).astype(np.float64)
        ended = finite.any(axis=1) & (step[last] > at)
        alive = np.asarray(rule(jnp.asarray(signal[members, last]), jnp.asarray(mean[members, last])), bool)
        return cls(features, alive, np.isfinite(features).all(axis=-1) & ended[:, None])

    def __getitem__(self, rows) -> "_Start":
        return _Start(self.features[rows], self.alive[rows], self.there[rows])


@final
@dataclass(frozen=True)
class Fitness:
    r"""A frequency survives if it starts strong and resists decay at once.

        alive ⇔ w_g g + w_s s(0) + b > 0

    g: the gradient at step `at`; s(0): the initial signal; w, b: what the `classifier` chooses from the `features`.
    Whether it did survive is told by the `rule` (`Above`, `TwiceTheMean`) from the last finite row of a member, which
    must come after `at`; other members, and frequencies without a finite gradient, are left out. The record holds
    `signal` (member, step, freq), `mean_signal` (member, step), and the coordinate `step` with 0, at − 1 and at.

    This is no `Theory`: it tells an end, not a trajectory, so its fit could `simulate` nothing. But as there, fitting
    gives a different type, which is scored on records beside a baseline. Source: [ding2024survival], Section 3.2.2.

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
    at: int = 4

    def __post_init__(self):
        if self.at < 1:
            raise ValueError(f"Fitness.at must be >= 1, a step with one before it; got {self.at}.")

    def fit(self, record: xr.Dataset) -> "FitnessFit":
        """Separate the frequencies of all members; if all share one fate, predict it for everyone."""
        return self._fit(_Start.read(record, self.rule, self.at))

    def _fit(self, start: _Start) -> "FitnessFit":
        rows, alive = start.features[start.there], start.alive[start.there]
        if not len(rows):
            raise ValueError(
                f"Fitness.fit needs a member with a finite gradient at step {self.at} and a later row; it got none."
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
class FitnessFit:
    """A `Fitness` with its line.

    `weights`: of the gradient and of the initial signal in their own units, 0 if not used; `intercept`: ±inf if the
    training record knew one fate only; `majority`: the commoner fate there, alive if neither is.

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
        """Which side of the line a frequency is on, and how far: > 0 is alive."""
        return np.stack([gradient, signal0], axis=-1).astype(np.float64) @ self.weights + self.intercept

    def probability(
        self, signal0: Float[Array | np.ndarray, "*run"], gradient: Float[Array | np.ndarray, "*run"]
    ) -> Float[np.ndarray, "*run"]:
        """The probability that a frequency survives, which `Logistic` alone knows."""
        if not isinstance(self.theory.classifier, Logistic):
            raise ValueError(f"{self.theory.classifier} knows no probabilities; fit Fitness(classifier=Logistic()).")
        return expit(self.decision(signal0, gradient))

    def predict(
        self, signal0: Float[Array | np.ndarray, "*run"], gradient: Float[Array | np.ndarray, "*run"]
    ) -> Bool[np.ndarray, "*run"]:
        """Whether a frequency survives."""
        return self.decision(signal0, gradient) > 0

    def score(self, record: xr.Dataset) -> xr.Dataset:
        """How often the line is right about each member of `record`, beside always saying the same.

        Over (member): `accuracy`; `accuracy_majority`, of the commoner fate of the training record;
        `balanced_accuracy`, the mean of the accuracies on the dead and on the alive, NaN if this member or the
        training knew one fate only; `alive_share`. NaN for a member that is left out.
        """
        start = _Start.read(record, self.theory.rule, self.theory.at)
        rows = [self._score(start[member]) for member in range(len(start.alive))]
        names = ("accuracy", "accuracy_majority", "balanced_accuracy", "alive_share")
        coords = {k: v for k, v in record.coords.items() if set(v.dims) <= {"member"}}
        return xr.Dataset({name: ("member", [row[name] for row in rows]) for name in names}, coords=coords)

    def _score(self, start: _Start) -> dict[str, float]:
        features, alive = start.features[start.there], start.alive[start.there]
        decision = self.decision(signal0=features[:, 1], gradient=features[:, 0])
        right, both = (decision > 0) == alive, alive.any() and not alive.all() and np.isfinite(self.intercept)
        mean = lambda values: float(np.mean(values)) if len(alive) else float("nan")
        # The share of pairs of one alive and one dead frequency that the decision puts in order: Mann and Whitney's U.
        n, order = int(alive.sum()), rankdata(decision)[alive].sum()
        return {
            "accuracy": mean(right),
            "accuracy_majority": mean(alive == self.majority),
            "balanced_accuracy": float(right[alive].mean() + right[~alive].mean()) / 2 if both else float("nan"),
            "alive_share": mean(alive),
            "auc": float((order - n * (n + 1) / 2) / (n * (len(alive) - n))) if both else float("nan"),
        }


_COMPARED = ("accuracy", "accuracy_majority", "balanced_accuracy", "auc")


def cross_validated(theory: Fitness, record: xr.Dataset, group: str = "seed_embedding") -> xr.Dataset:
    """Hold out each embedding in turn, and predict it from all others.

        score_e = score of theory.fit(members with another embedding than e) on the members of e

    `group`: the member column that names the embedding, which is the dimension of the answer: `accuracy`,
    `accuracy_majority`, `balanced_accuracy` and `auc`, the chance that an alive frequency is put above a dead one; see
    `FitnessFit.score`. One row is one independent draw. Source: what [ding2024survival] leaves out.

    >>> x = np.tile(np.array([9.0, 8.0, 5.0, 4.0]), (2, 4, 1))
    >>> x[:, 3] = [20.0, 20.0, 1.0, 1.0]
    >>> record = xr.Dataset(
    ...     {"signal": (("member", "step", "freq"), x), "mean_signal": (("member", "step"), x.mean(axis=2))},
    ...     coords={"step": [0, 3, 4, 1000], "seed_embedding": ("member", [7, 8])},
    ... )
    >>> cross_validated(Fitness(), record)["accuracy"].values
    array([1., 1.])
    """
    if group not in record or record[group].dims != ("member",):
        raise ValueError(f"cross_validated needs the member column '{group}'; the record has {[*record.coords]}.")
    column = record[group].to_numpy()
    held = np.unique(column)
    if len(held) < 2:
        raise ValueError(f"cross_validated needs two values of '{group}' or more; got {held.tolist()}.")
    start = _Start.read(record, theory.rule, theory.at)
    rows = [theory._fit(start[column != value])._score(start[column == value]) for value in held]
    return xr.Dataset({name: (group, [row[name] for row in rows]) for name in _COMPARED}, coords={group: held})


def random_split(theory: Fitness, record: xr.Dataset, share: float = 0.8, seed: int = 0) -> xr.Dataset:
    """Fit on a random `share` of all frequencies of all members, and score on the rest, as the authors do.

    This leaks: the trials of one embedding have the same initial signals and much the same survivors, and are on both
    sides, so that a frequency is predicted from its own copies. For what is learned of fitness, see `cross_validated`,
    which gives the same variables. Source: the code of [ding2024survival], with one embedding and share = 0.8.

    >>> x = np.tile(np.array([9.0, 8.0, 5.0, 4.0]), (9, 4, 1))
    >>> x[:, 3] = [20.0, 20.0, 1.0, 1.0]
    >>> record = xr.Dataset(
    ...     {"signal": (("member", "step", "freq"), x), "mean_signal": (("member", "step"), x.mean(axis=2))},
    ...     coords={"step": [0, 3, 4, 1000]},
    ... )
    >>> float(random_split(Fitness(), record)["accuracy"])
    1.0
    """
    if not 0 < share < 1:
        raise ValueError(f"random_split: share must be between 0 and 1; got {share}.")
    start = _Start.read(record, theory.rule, theory.at)
    start = start[start.there]
    order = np.random.default_rng(seed).permutation(len(start.alive))
    trained = round(share * len(order))
    if not 0 < trained < len(order):
        raise ValueError(f"random_split: {len(order)} frequencies cannot be split at share = {share}; add members.")
    row = theory._fit(start[order[:trained]])._score(start[order[trained:]])
    return xr.Dataset({name: row[name] for name in _COMPARED})
