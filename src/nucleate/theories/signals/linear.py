r"""Linear laws of signals: all may interact, or none (Eqs. 3 and 4 of [ding2024survival])."""

from dataclasses import dataclass, field
from typing import final

import numpy as np
import xarray as xr
from jaxtyping import Array, Float
from scipy.linalg import expm

from nucleate.checking import checked
from nucleate.theories.signals.fit import SignalFit, SignalTheory
from nucleate.theories.signals.record import Signals
from nucleate.theories.signals.regression import LeastSquares, RegressionResult, Solver


@final
@dataclass(frozen=True)
class LinearFlow(SignalTheory):
    r"""Every signal grows or shrinks in proportion to all signals.

        dx_i/dt = Σ_j A_ij x_j + b_i

    x_i: the signal of frequency i, or row i of any other `variable` (member, step, …) of the record; t: the training
    step; A_ij: how strongly j feeds (> 0) or eats (< 0) i; b: the intercept. The `solver` regresses the increments
    (x(t') − x(t)) / (t' − t) between neighbouring rows on x(t). Members are pooled, and a member ends before its first
    row that is not finite.
    Source: [ding2024survival], Eq. 3.

    >>> x = 8 * 0.5 ** np.arange(4.0)[None, :, None] + 1
    >>> record = xr.Dataset({"signal": (("member", "step", "freq"), x)}, coords={"step": np.arange(4)})
    >>> fit = LinearFlow().fit(record)
    >>> fit.interactions.values.round(6), fit.intercept.values.round(6)
    (array([[-0.5]]), array([0.5]))
    """

    solver: Solver = field(default_factory=LeastSquares)
    variable: str = "signal"

    def fit(self, record: xr.Dataset) -> "LinearFlowFit":
        """Regress the increments of all members on their states."""
        seen = Signals.read(record, self.variable)
        state, increment = seen.increments()
        return _linear(self, seen, self.solver.regress(state, increment))


@final
@dataclass(frozen=True)
class SelfFlow(SignalTheory):
    r"""Every signal minds its own business: the baseline that any claim of interaction has to beat.

        dx_i/dt = a_i x_i + b_i

    Symbols as in `LinearFlow`; A is diagonal and found by least squares, with a_i = 0 where x_i never varies.
    Source: Eq. 3 of [ding2024survival] without its sum.

    >>> x = 8 * 0.5 ** np.arange(4.0)[None, :, None] + np.array([0.0, 1.0])
    >>> record = xr.Dataset({"signal": (("member", "step", "freq"), x)}, coords={"step": np.arange(4)})
    >>> (SelfFlow().fit(record).interactions.values.round(6) + 0).tolist()
    [[-0.5, 0.0], [0.0, -0.5]]
    """

    variable: str = "signal"

    def fit(self, record: xr.Dataset) -> "LinearFlowFit":
        """Regress the increments of each frequency on its own signal."""
        seen = Signals.read(record, self.variable)
        state, increment = seen.increments()
        centred = state - state.mean(axis=0)
        spread = np.square(centred).sum(axis=0)
        rate = (centred * increment).sum(axis=0) / np.where(spread > 0, spread, np.inf)
        intercept = increment.mean(axis=0) - rate * state.mean(axis=0)
        return _linear(self, seen, RegressionResult(np.diag(rate), intercept))


def _linear(theory: LinearFlow | SelfFlow, seen: Signals, found: RegressionResult) -> "LinearFlowFit":
    return LinearFlowFit(theory, seen.labelled(found.coefficients), seen.labelled(found.intercept), found.converged)


@final
@dataclass(frozen=True, eq=False)
class LinearFlowFit(SignalFit):
    """A `LinearFlow` or a `SelfFlow` with its parameters.

    `interactions`: A over (freq, source), the effect of a source on a frequency; `intercept`: b; `converged`: whether
    the solver met its tolerance. Frequencies count from 1 if the record does not name them.

    >>> A, b = xr.DataArray([[-1.0]], dims=("freq", "source")), xr.DataArray([2.0], dims="freq")
    >>> LinearFlowFit(LinearFlow(), A, b, converged=True).simulate(np.zeros(1), np.array([0.0, 50.0])).round(6) + 0
    array([[0.],
           [2.]])
    """

    theory: LinearFlow | SelfFlow
    interactions: xr.DataArray = field(repr=False)
    intercept: xr.DataArray = field(repr=False)
    converged: bool

    @property
    def sparsity(self) -> int:
        """The number of entries of A that are exactly 0."""
        return int((self.interactions == 0).sum())

    def velocity(self, x: Float[Array | np.ndarray, "*run freq"]) -> Float[np.ndarray, "*run freq"]:
        """A x + b, per training step."""
        return np.asarray(x, np.float64) @ self.interactions.to_numpy().T + self.intercept.to_numpy()

    @checked
    def simulate(
        self, x0: Float[Array | np.ndarray, " freq"], times: Float[Array | np.ndarray, " time"]
    ) -> Float[np.ndarray, "time freq"]:
        """The exact solution from `x0`, the state at time 0: (x, 1)(t) = exp([[A, b], [0, 0]] t) (x, 1)(0)."""
        augmented = np.zeros((len(self.intercept) + 1,) * 2)
        augmented[:-1] = np.column_stack([self.interactions.to_numpy(), self.intercept.to_numpy()])
        start = np.append(np.asarray(x0, np.float64), 1)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.stack([(expm(augmented * t) @ start)[:-1] for t in np.asarray(times, np.float64)])

    def closed_form(
        self,
        x0: Float[Array | np.ndarray, " freq"],
        times: Float[Array | np.ndarray, " time"],
        epsilon: float = 1e-8,
    ) -> Float[np.ndarray, "time freq"]:
        r"""The solution as the authors write it: x(t) = e^{A't} x(0) + (e^{A't} − I) A'⁻¹ b, A' = A + ε I.

        ε: `epsilon`, needed because a sparse A may have no inverse; `simulate` needs no inverse.
        Source: [ding2024survival], Eq. 4.
        """
        unit = np.eye(len(self.intercept))
        matrix = self.interactions.to_numpy() + epsilon * unit
        try:
            shift = np.linalg.solve(matrix, self.intercept.to_numpy())
        except np.linalg.LinAlgError as error:
            raise ValueError(f"closed_form: A + {epsilon} I has no inverse; raise epsilon or use simulate.") from error
        start = np.asarray(x0, np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            powers = [expm(matrix * t) for t in np.asarray(times, np.float64)]
            return np.stack([power @ start + (power - unit) @ shift for power in powers])


def couplings(fit: LinearFlowFit, tolerance: float = 1e-6) -> xr.Dataset:
    """Who feeds whom and who eats whom: the signs of the interactions between different frequencies.

        collaborate: A_ij > 0, A_ji > 0;    compete: A_ij < 0, A_ji < 0;    mixed: A_ij A_ji < 0

    `positive`, `negative` and `zero`: shares of the off-diagonal entries of A, where zero is |A_ij| ≤ `tolerance` ·
    max_{i≠j} |A_ij|. `collaborate`, `compete`, `mixed` and `undecided`: shares of the pairs; a pair with a zero is
    undecided. Source: [ding2024survival], Section 4.2.

    >>> A = xr.DataArray([[-1.0, 0.5], [0.2, -1.0]], dims=("freq", "source"))
    >>> fit = LinearFlowFit(LinearFlow(), A, xr.zeros_like(A[0]), converged=True)
    >>> float(couplings(fit)["collaborate"]), float(couplings(fit)["negative"])
    (1.0, 0.0)
    """
    matrix = fit.interactions.to_numpy()
    if len(matrix) < 2:
        raise ValueError(f"couplings needs two frequencies that could interact; the fit has {len(matrix)}.")
    off = matrix[~np.eye(len(matrix), dtype=bool)]
    sign = np.where(np.abs(matrix) > tolerance * np.abs(off).max(), np.sign(matrix), 0)
    entries = sign[~np.eye(len(matrix), dtype=bool)]
    upper = np.triu_indices(len(matrix), k=1)
    one, other = sign[upper], sign.T[upper]
    shares = {
        "positive": entries > 0,
        "negative": entries < 0,
        "zero": entries == 0,
        "collaborate": (one > 0) & (other > 0),
        "compete": (one < 0) & (other < 0),
        "mixed": one * other < 0,
        "undecided": one * other == 0,
    }
    return xr.Dataset({name: float(share.mean()) for name, share in shares.items()}, attrs={"tolerance": tolerance})
