"""Straight lines between the frequencies that die and those that survive (Section 3.2.2 of [ding2024survival])."""

import abc
from dataclasses import dataclass
from typing import Annotated, final

import numpy as np
from jaxtyping import Bool, Float

from nucleate.checking import Above, Checked


class Classifier(Checked, abc.ABC):
    """How a straight line between dead and alive is chosen: `LinearSVM` or `Logistic`."""

    @abc.abstractmethod
    def separate(
        self, features: Float[np.ndarray, "row feature"], alive: Bool[np.ndarray, " row"]
    ) -> tuple[Float[np.ndarray, " feature"], float]:
        """Weights w and intercept b, such that w · features + b > 0 means alive. Both classes occur in `alive`."""


@final
@dataclass(frozen=True)
class LinearSVM(Classifier):
    r"""The line with the widest margin, the authors' classifier. It gives no probabilities.

        min_{w, b} |w|² / 2 + C Σ_n max(0, 1 − y_n (w · z_n + b))

    z_n: the features of frequency n; y_n: 1 if it is alive, −1 if not. Features whose values are small are in effect
    ignored, because their weights would have to be large: see `Features.standardize`.
    Source: the code of [ding2024survival], with C = 1.

    >>> weights, intercept = LinearSVM().separate(np.array([[0.0], [2.0]]), np.array([False, True]))
    >>> weights.round(3), round(intercept, 3)
    (array([1.]), -1.0)
    """

    C: Annotated[float, Above(0)] = 1.0

    def separate(
        self, features: Float[np.ndarray, "row feature"], alive: Bool[np.ndarray, " row"]
    ) -> tuple[Float[np.ndarray, " feature"], float]:
        from sklearn.svm import SVC  # here: importing it takes a second

        # The line does not depend on where features are 0, but the solver's time does: for signals about 90 it may be
        # minutes.
        centre = features.mean(axis=0)
        found = SVC(kernel="linear", C=self.C).fit(features - centre, alive)
        return found.coef_[0], float(found.intercept_[0] - found.coef_[0] @ centre)


@final
@dataclass(frozen=True)
class Logistic(Classifier):
    r"""The line that makes what happened most likely: logistic regression.

        P(alive) = 1 / (1 + exp(−w · z − b)),    min_{w, b} |w|² / 2 − C Σ_n log P(alive_n)

    z: the features; P(alive_n): the probability that the line gives to the actual fate of frequency n. Weights are
    shrunk as in `LinearSVM`.

    >>> weights, intercept = Logistic().separate(np.array([[-1.0], [1.0]]), np.array([False, True]))
    >>> weights.round(3), round(abs(intercept), 3)
    (array([0.675]), 0.0)
    """

    C: Annotated[float, Above(0)] = 1.0

    def separate(
        self, features: Float[np.ndarray, "row feature"], alive: Bool[np.ndarray, " row"]
    ) -> tuple[Float[np.ndarray, " feature"], float]:
        from sklearn.linear_model import LogisticRegression

        found = LogisticRegression(C=self.C, solver="newton-cholesky", tol=1e-8).fit(features, alive)
        return found.coef_[0], float(found.intercept_[0])
