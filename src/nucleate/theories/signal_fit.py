"""What the laws of signals share: how they read a record, follow the discrete map, and are scored."""

import abc
from dataclasses import dataclass

import numpy as np
import xarray as xr
from jaxtyping import Array, Bool, Float, Num

from nucleate.theories.protocol import Fit, Theory


@dataclass(frozen=True, eq=False)
class Signals:
    """The states of a record's members, cut to what is finite: the rest is zero and masked out.

    `dim`, `names`: the axis of the state and its labels, counted from 1 if the record has none; `rounding`: the
    relative precision in which the record holds them.
    """

    x: Float[np.ndarray, "member step freq"]
    finite: Bool[np.ndarray, "member step"]
    step: Float[np.ndarray, " step"]
    dim: str
    names: np.ndarray
    rounding: float
    coords: dict

    @classmethod
    def read(cls, record: xr.Dataset, variable: str, like: xr.DataArray | None = None) -> "Signals":
        """The states `variable` of `record`, which must fit a law that has the axis of `like`."""
        if variable not in record:
            raise ValueError(f"A law of '{variable}' needs that variable; the record has {[*record.data_vars]}.")
        held = record[variable]
        if held.ndim != 3 or not {"member", "step"} < set(held.dims):
            raise ValueError(
                f"'{variable}' must be over (member, step, one more); got {held.dims}. For one run, take "
                "record.isel(member=[i]), which keeps the member axis."
            )
        # A dimension without a coordinate still answers record["step"], with 0, 1, 2, …: not the steps.
        if "step" not in held.coords:
            raise ValueError(f"A law of '{variable}' needs the coordinate 'step', the training step of each row.")
        step = held["step"].to_numpy().astype(np.float64)
        if len(step) < 2 or np.any(np.diff(step) <= 0):
            raise ValueError(f"A law of '{variable}' needs at least two rows at rising steps; got step = {step}.")
        (dim,) = (str(name) for name in held.dims if name not in ("member", "step"))
        if like is not None and (dim, held.sizes[dim]) != (like.dims[0], like.size):
            raise ValueError(f"The law is of {like.sizes}; '{variable}' has {dim} = {held.sizes[dim]}.")
        x = held.transpose("member", "step", dim).to_numpy()
        names = held[dim].to_numpy() if dim in held.coords else np.arange(1, held.sizes[dim] + 1)
        finite = np.logical_and.accumulate(np.isfinite(x).all(axis=2), axis=1)
        return cls(
            x=np.where(finite[..., None], x, 0).astype(np.float64),
            finite=finite,
            step=step,
            dim=dim,
            names=names,
            rounding=float(np.finfo(x.dtype).eps) if x.dtype.kind == "f" else 0.0,
            coords={k: v for k, v in record.coords.items() if set(v.dims) <= {"member"}},
        )

    def rates(self) -> Float[np.ndarray, "member gap freq"]:
        """The increments (x(t') − x(t)) / (t' − t) of neighbouring rows."""
        return np.diff(self.x, axis=1) / np.diff(self.step)[:, None]

    def increments(self) -> tuple[Float[np.ndarray, "row freq"], Float[np.ndarray, "row freq"]]:
        """The states of all members that have a next row, and how fast each went there."""
        there = self.finite[:, 1:]
        if not there.any():
            raise ValueError("A law needs a member with two finite rows to begin with; the record has none.")
        return self.x[:, :-1][there], self.rates()[there]

    def labelled(self, values: Float[np.ndarray, "..."]) -> xr.DataArray:
        """An intercept, a matrix over (freq, source) or products over (freq, source, partner), with their labels."""
        dims = (self.dim, "source", "partner")[: values.ndim]
        return xr.DataArray(values, dims=dims, coords=dict.fromkeys(dims, self.names))


class SignalTheory(Theory):
    """A law of the signals whose parameters are still unknown; `variable`: which state of the record it is about.

    >>> issubclass(SignalTheory, Theory)
    True
    """

    variable: str


class SignalFit(Fit):
    """A law of the signals with its parameters: what `LinearFlowFit` and `LotkaVolterraFit` share.

    `intercept`: the velocity of signals that are 0; `converged`: whether the solver met its tolerance.

    >>> issubclass(SignalFit, Fit)
    True
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
        """The discrete map x ← x + dt v(x) from `x0`, the state at `steps[0]`, as the authors follow their fits.

        dt: the gaps of `steps`. A law without stability gives inf, then NaN.
        """
        path = [np.asarray(x0, np.float64)]
        with np.errstate(over="ignore", invalid="ignore"):
            for dt in np.diff(np.asarray(steps, np.float64)):
                path.append(path[-1] + dt * self.velocity(path[-1]))
        return np.stack(path)

    def score(self, record: xr.Dataset) -> xr.Dataset:
        """How well the law describes each member of `record`, beside a law in which nothing moves.

        Over (member): `r2`, of the increments; `r2_rollout`, of the `rollout` from the member's first row in `record`,
        at the steps recorded; `error_rollout` and `error_constant`, the root mean square error of that rollout and of
        staying at the first row. R² is the mean over frequencies, as in scikit-learn, but a frequency that does not
        vary by more than rounding has none and is left out; the first row is given, and counts nowhere in a rollout. A
        rollout that overflows has an R² of −inf and an error of inf; a member with fewer than two finite rows is NaN.
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
    """Sums over the rows that are there; inf where a guess is not finite."""
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
