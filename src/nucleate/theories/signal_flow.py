r"""Ecology of circles: laws dx/dt = v(x) for the signals of frequencies (Section 4.2 of [ding2024survival]).

A law is a regression of increments on the state, pooled over the members of a record. A good `r2` of increments may be
interpolation: score the fit on later steps, on other members, and beside `SelfFlow`, where nothing interacts.
"""

from dataclasses import dataclass, field
from typing import final

import numpy as np
import xarray as xr
from jaxtyping import Array, Float
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from nucleate.theories.regression import LeastSquares, Regression, Solver
from nucleate.theories.signal_fit import SignalFit, Signals, SignalTheory

_BLOWN_UP = 1e12  # a state this many times its start will not come back


@final
@dataclass(frozen=True)
class LinearFlow(SignalTheory):
    r"""Every signal grows or shrinks in proportion to all signals.

        dx_i/dt = Σ_j A_ij x_j + b_i

    x_i: the signal of frequency i, or row i of any other `variable` (member, step, …) of the record; t: the training
    step; A_ij: how j feeds (> 0) or eats (< 0) i; b: the intercept. Increments (x(t') − x(t)) / (t' − t) of
    neighbouring rows are regressed on x(t) by the `solver`; members are pooled, and a member ends at its first row that
    is not finite.
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
    r"""Every signal minds its own business: the baseline that any talk of interaction has to beat.

        dx_i/dt = a_i x_i + b_i

    Symbols as in `LinearFlow`; A is diagonal, found by least squares, with a_i = 0 where x_i never varies.
    Source: Eq. 3 of [ding2024survival] without its sum.

    >>> x = 8 * 0.5 ** np.arange(4.0)[None, :, None] + np.array([0.0, 1.0])
    >>> record = xr.Dataset({"signal": (("member", "step", "freq"), x)}, coords={"step": np.arange(4)})
    >>> SelfFlow().fit(record).interactions.values.round(6).tolist()
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
        return _linear(self, seen, Regression(np.diag(rate), increment.mean(axis=0) - rate * state.mean(axis=0)))


def _linear(theory: LinearFlow | SelfFlow, seen: Signals, found: Regression) -> "LinearFlowFit":
    return LinearFlowFit(theory, seen.labelled(found.coefficients), seen.labelled(found.intercept), found.converged)


@final
@dataclass(frozen=True, eq=False)
class LinearFlowFit(SignalFit):
    """A `LinearFlow` or a `SelfFlow` with its parameters.

    `interactions`: A over (freq, source), the effect of a source on a frequency; `intercept`: b; `converged`: whether
    the solver met its tolerance. Frequencies count from 1 if the record does not name them.

    >>> LinearFlowFit.__mro__[1] is SignalFit
    True
    """

    theory: LinearFlow | SelfFlow
    interactions: xr.DataArray = field(repr=False)
    intercept: xr.DataArray = field(repr=False)
    converged: bool

    @property
    def sparsity(self) -> int:
        """How many entries of A are exactly 0."""
        return int((self.interactions == 0).sum())

    def velocity(self, x: Float[Array | np.ndarray, "*run freq"]) -> Float[np.ndarray, "*run freq"]:
        """A x + b, per training step."""
        return np.asarray(x, np.float64) @ self.interactions.to_numpy().T + self.intercept.to_numpy()

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

        ε: `epsilon`, for a sparse A has no inverse; `simulate` needs neither. Source: [ding2024survival], Eq. 4.
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


@final
@dataclass(frozen=True)
class LotkaVolterra(SignalTheory):
    r"""Signals also grow by meeting each other, as species do.

        dx_i/dt = Σ_j A_ij x_j + Σ_{j ≤ k} B_ijk x_j x_k + b_i

    Symbols as in `LinearFlow`; B_ijk: what a meeting of j and k does to i. The paper has no b, which scikit-learn's
    default adds. With n frequencies there are n (n + 3) / 2 + 1 parameters for each: 465 at n = 29.
    Source: [ding2024survival], Eq. 2.

    >>> x = np.array([0.1, 0.19, 0.3439])[None, :, None]  # x ← x + x − x²
    >>> record = xr.Dataset({"signal": (("member", "step", "freq"), x)}, coords={"step": np.arange(3)})
    >>> LotkaVolterra().fit(record).quadratic.shape
    (1, 1, 1)
    """

    solver: Solver = field(default_factory=LeastSquares)
    variable: str = "signal"

    def fit(self, record: xr.Dataset) -> "LotkaVolterraFit":
        """Regress the increments of all members on their states and on all products of two signals."""
        seen = Signals.read(record, self.variable)
        state, increment = seen.increments()
        n = state.shape[1]
        from sklearn.preprocessing import PolynomialFeatures

        found = self.solver.regress(PolynomialFeatures(2, include_bias=False).fit_transform(state), increment)
        quadratic = np.zeros((n, n, n))
        quadratic[:, *np.triu_indices(n)] = found.coefficients[:, n:]
        return LotkaVolterraFit(
            self,
            seen.labelled(found.coefficients[:, :n]),
            seen.labelled(quadratic),
            seen.labelled(found.intercept),
            found.converged,
        )


@final
@dataclass(frozen=True, eq=False)
class LotkaVolterraFit(SignalFit):
    """A `LotkaVolterra` with its parameters.

    `linear`: A over (freq, source); `quadratic`: B over (freq, source, partner), 0 where source > partner;
    `intercept`: b; `converged`: whether the solver met its tolerance.

    >>> LotkaVolterraFit.__mro__[1] is SignalFit
    True
    """

    theory: LotkaVolterra
    linear: xr.DataArray = field(repr=False)
    quadratic: xr.DataArray = field(repr=False)
    intercept: xr.DataArray = field(repr=False)
    converged: bool

    def velocity(self, x: Float[Array | np.ndarray, "*run freq"]) -> Float[np.ndarray, "*run freq"]:
        """A x + B x x + b, per training step."""
        x = np.asarray(x, np.float64)
        meetings = np.tensordot(x, self.quadratic.to_numpy(), axes=(-1, 1)) @ x[..., None]
        return x @ self.linear.to_numpy().T + meetings[..., 0] + self.intercept.to_numpy()

    def simulate(
        self, x0: Float[Array | np.ndarray, " freq"], times: Float[Array | np.ndarray, " time"]
    ) -> Float[np.ndarray, "time freq"]:
        """The solution from `x0`, the state at time 0, by adaptive steps (DOP853); NaN once it has run away."""
        x0, times = np.asarray(x0, np.float64), np.asarray(times, np.float64)
        if times.size == 0 or times.min() < 0:
            raise ValueError(f"LotkaVolterraFit.simulate: times must be non-negative, at least one; got {times}.")
        bound = _BLOWN_UP * max(float(np.abs(x0).max()), 1.0)

        def escaped(t, x):
            return bound - np.abs(x).max()

        escaped.terminal = True
        asked, where = np.unique(times, return_inverse=True)
        path = np.full((len(asked), len(x0)), np.nan)
        if asked[-1] > 0:
            span, how = (0.0, asked[-1]), {"method": "DOP853", "rtol": 1e-10, "atol": 1e-12}
            with np.errstate(all="ignore"):
                found = solve_ivp(lambda t, x: self.velocity(x), span, x0, t_eval=asked, events=escaped, **how)
            path[: len(found.t)] = np.reshape(found.y, (len(x0), -1)).T
        path[asked == 0] = x0
        return path[where]


def couplings(fit: LinearFlowFit, tolerance: float = 1e-6) -> xr.Dataset:
    """Who feeds whom, and who eats whom: the signs of the interactions of two different frequencies.

        collaborate: A_ij > 0, A_ji > 0;    compete: A_ij < 0, A_ji < 0;    mixed: A_ij A_ji < 0

    `positive`, `negative` and `zero`: shares of the off-diagonal entries of A, where zero is |A_ij| ≤ `tolerance` ·
    max_{i≠j} |A_ij|. `collaborate`, `compete`, `mixed` and `undecided`: shares of the pairs, where a pair with a zero
    is undecided. Source: [ding2024survival], Section 4.2.

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
