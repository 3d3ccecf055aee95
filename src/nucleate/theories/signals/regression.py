"""How the coefficients of a law are chosen from rows of features and targets."""

import abc
import warnings
from dataclasses import dataclass
from typing import Annotated, final

import numpy as np
from jaxtyping import Float

from nucleate.checking import Above, Checked, Count


@final
@dataclass(frozen=True, eq=False)
class RegressionResult:
    """The line that a solver found: targets = coefficients · features + intercept.

    `converged`: whether the solver met its tolerance.

    >>> LeastSquares().regress(np.array([[0.0], [1.0]]), np.array([[1.0], [3.0]])).coefficients.round(6)
    array([[2.]])
    """

    coefficients: Float[np.ndarray, "target feature"]
    intercept: Float[np.ndarray, " target"]
    converged: bool = True


class Solver(Checked, abc.ABC):
    """How the coefficients of a law are chosen: `LeastSquares` or `Sparse`."""

    @abc.abstractmethod
    def regress(
        self, features: Float[np.ndarray, "row feature"], targets: Float[np.ndarray, "row target"]
    ) -> RegressionResult:
        """The coefficients that give `targets` from `features`."""


@final
@dataclass(frozen=True)
class LeastSquares(Solver):
    r"""The coefficients with the least squared error; the smallest ones if several fit equally well.

        min_{A, b} Σ_t |ẋ(t) − A x(t) − b|²

    ẋ: the increments; x: the features. Source: [ding2024survival], Section 4.2. The authors' code computes its R² with
    a Lasso with α = 0 that stops after 1,000 iterations.

    >>> LeastSquares().regress(np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [3.0], [5.0]])).intercept.round(6)
    array([1.])
    """

    def regress(
        self, features: Float[np.ndarray, "row feature"], targets: Float[np.ndarray, "row target"]
    ) -> RegressionResult:
        from sklearn.linear_model import LinearRegression  # here: importing it takes a second

        found = LinearRegression().fit(features, targets)
        return RegressionResult(found.coef_, np.asarray(found.intercept_))


@final
@dataclass(frozen=True)
class Sparse(Solver):
    r"""Lasso: every coefficient has a cost, so that most are exactly 0.

        min_{A, b} Σ_t |ẋ(t) − A x(t) − b|² / (2 T) + α Σ_ij |A_ij|

    ẋ: the increments; x: the features; T: the number of rows; α: `alpha`, in units of signal² per step. The fit has
    not `converged` if the coordinate descent of any target misses the tolerance after `max_iter` iterations. The
    authors leave `max_iter` at 1,000. Source: [ding2024survival], Section 4.2.

    >>> x = np.array([[0.0, 0.0], [1.0, 0.1], [2.0, 0.0], [3.0, 0.1]])
    >>> Sparse(alpha=0.01).regress(x, x[:, :1]).coefficients.round(3) + 0
    array([[0.992, 0.   ]])
    """

    alpha: Annotated[float, Above(0)] = 0.01  # for 0, there is `LeastSquares`
    max_iter: Count = 100_000

    def regress(
        self, features: Float[np.ndarray, "row feature"], targets: Float[np.ndarray, "row target"]
    ) -> RegressionResult:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import Lasso

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # reported as `converged`
            # With the Gram matrix an iteration costs as many operations as there are features, not rows.
            found = Lasso(alpha=self.alpha, max_iter=self.max_iter, precompute=True).fit(features, targets)
        shape = targets.shape[1], features.shape[1]
        return RegressionResult(
            np.reshape(found.coef_, shape),
            np.reshape(found.intercept_, -1),
            bool(np.max(found.n_iter_) < self.max_iter),
        )
