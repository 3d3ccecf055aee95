r"""Lotka–Volterra: signals that also grow by meeting each other (Eq. 2 of [ding2024survival])."""

from dataclasses import dataclass, field
from typing import final

import numpy as np
import xarray as xr
from jaxtyping import Array, Float
from scipy.integrate import solve_ivp

from nucleate.checking import checked
from nucleate.theories.signals.fit import SignalFit, SignalTheory
from nucleate.theories.signals.record import Signals
from nucleate.theories.signals.regression import LeastSquares, Solver

_BLOWN_UP = 1e12  # a state this many times its start will not come back


@final
@dataclass(frozen=True)
class LotkaVolterra(SignalTheory):
    r"""Signals also grow by meeting each other, as species do.

        dx_i/dt = Σ_j A_ij x_j + Σ_{j ≤ k} B_ijk x_j x_k + b_i

    Symbols as in `LinearFlow`; B_ijk: the effect on i of a meeting of j and k. The paper has no b, but the default of
    scikit-learn adds it. With n frequencies there are n (n + 3) / 2 + 1 parameters for each: 465 at n = 29.
    Source: [ding2024survival], Eq. 2.

    >>> x = [0.1]
    >>> for _ in range(5):
    ...     x.append(x[-1] + 0.5 * x[-1] - 0.25 * x[-1] ** 2)
    >>> signal = (("member", "step", "freq"), np.array(x)[None, :, None])
    >>> fit = LotkaVolterra().fit(xr.Dataset({"signal": signal}, coords={"step": np.arange(6)}))
    >>> round(fit.linear.item(), 6), round(fit.quadratic.item(), 6)
    (0.5, -0.25)
    """

    solver: Solver = field(default_factory=LeastSquares)
    variable: str = "signal"

    def fit(self, record: xr.Dataset) -> "LotkaVolterraFit":
        """Regress the increments of all members on their states and on all products of two signals."""
        seen = Signals.read(record, self.variable)
        state, increment = seen.increments()
        n = state.shape[1]
        from sklearn.preprocessing import PolynomialFeatures  # here: importing it takes a second

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

    >>> A, b = xr.DataArray([[0.5]], dims=("freq", "source")), xr.DataArray([0.0], dims="freq")
    >>> B = xr.DataArray([[[-0.25]]], dims=("freq", "source", "partner"))
    >>> fit = LotkaVolterraFit(LotkaVolterra(), A, B, b, converged=True)  # grows until 0.5 x = 0.25 x²
    >>> fit.simulate(np.array([0.1]), np.array([0.0, 100.0])).round(6).tolist()
    [[0.1], [2.0]]
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

    @checked
    def simulate(
        self, x0: Float[Array | np.ndarray, " freq"], times: Float[Array | np.ndarray, " time"]
    ) -> Float[np.ndarray, "time freq"]:
        """The solution from `x0`, the state at time 0, by adaptive steps (DOP853); NaN once it has run away."""
        x0, times = np.asarray(x0, np.float64), np.asarray(times, np.float64)
        if times.size == 0 or times.min() < 0:
            raise ValueError(f"LotkaVolterraFit.simulate: times must be non-negative, and at least one; got {times}.")
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
