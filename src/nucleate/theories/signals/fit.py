"""What the laws of signals have in common: how they follow the discrete map and how they are scored."""

import abc

import numpy as np
import xarray as xr
from jaxtyping import Array, Float, Num

from nucleate.theories.protocol import Fit, Theory
from nucleate.theories.signals.record import Signals


class SignalTheory(Theory):
    """A law of signals whose parameters are still unknown; `variable`: the record's variable that it describes."""

    variable: str


class SignalFit(Fit):
    """A law of signals with its parameters: what `LinearFlowFit` and `LotkaVolterraFit` have in common.

    `intercept`: the velocity where all signals are 0; `converged`: whether the solver met its tolerance.
    """

    theory: SignalTheory
    intercept: xr.DataArray
    converged: bool

    @abc.abstractmethod
    def velocity(self, x: Float[Array | np.ndarray, "*run freq"]) -> Float[np.ndarray, "*run freq"]:
        """How fast the signals `x` change, per training step."""

    def rollout(
        self, x0: Float[Array | np.ndarray, "*run freq"], steps: Num[Array | np.ndarray, " step"]
    ) -> Float[np.ndarray, "step *run freq"]:
        """The discrete map x ← x + dt v(x) from `x0`, the state at `steps[0]`: how the authors follow their fits.

        dt: the gaps between `steps`. An unstable law gives inf, then NaN.
        """
        path = [np.asarray(x0, np.float64)]
        with np.errstate(over="ignore", invalid="ignore"):
            for dt in np.diff(np.asarray(steps, np.float64)):
                path.append(path[-1] + dt * self.velocity(path[-1]))
        return np.stack(path)

    def score(self, record: xr.Dataset) -> xr.Dataset:
        """How well the law describes each member of `record`, compared with a law in which nothing moves.

        Over (member): `r2`, of the increments; `r2_rollout`, of the `rollout` from the member's first row in `record`,
        at the recorded steps; `error_rollout` and `error_constant`, the root mean square error of that rollout and of
        staying at the first row. R² is the mean over frequencies, as in scikit-learn, except that a frequency that
        varies no more than rounding has no R² and is left out. The first row is given, so it does not count in a
        rollout. A rollout that overflows has an R² of −inf and an error of inf; a member with fewer than two finite
        rows is NaN.
        """
        seen = Signals.read(record, self.theory.variable, like=self.intercept)
        there, size = seen.finite[:, 1:], seen.rounding * np.abs(seen.x).max(axis=1)
        after, start = seen.x[:, 1:], seen.x[:, 0]
        with np.errstate(over="ignore", invalid="ignore"):
            path = np.moveaxis(self.rollout(start, seen.step), 0, 1)[:, 1:]
            values = {
                "r2": _r2(seen.rates(), self.velocity(seen.x[:, :-1]), there, size / np.diff(seen.step).min()),
                "r2_rollout": _r2(after, path, there, size),
                "error_rollout": _rmse(after, path, there),
                "error_constant": _rmse(after, start[:, None], there),
            }
        return xr.Dataset({name: ("member", value) for name, value in values.items()}, coords=seen.coords)


def _squares(truth, guess, there) -> Float[np.ndarray, "member freq"]:
    """Sums of squares over the rows that are `there`; inf where a guess is not finite."""
    square = np.square(truth - guess)
    return np.where(there[..., None], np.where(np.isnan(square), np.inf, square), 0).sum(axis=1)


def _r2(truth, guess, there, rounding: Float[np.ndarray, "member freq"]) -> Float[np.ndarray, " member"]:
    rows = there.sum(axis=1)[:, None]
    mean = np.where(there[..., None], truth, 0).sum(axis=1) / np.maximum(rows, 1)
    total = _squares(truth, mean[:, None], there)
    varies = total > rows * np.square(2 * rounding)
    r2 = np.where(varies, 1 - _squares(truth, guess, there) / np.where(varies, total, 1), 0)
    return r2.sum(axis=1) / np.where(varies.any(axis=1), varies.sum(axis=1), np.nan)


def _rmse(truth, guess, there) -> Float[np.ndarray, " member"]:
    rows = there.sum(axis=1)
    return np.sqrt(_squares(truth, guess, there).mean(axis=1) / np.where(rows > 0, rows, np.nan))
