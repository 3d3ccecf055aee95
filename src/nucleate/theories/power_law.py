r"""Power laws in the history of any observable, beside exponentials (Section 3.2 of [hitchcock2025emergence])."""

import abc
from dataclasses import dataclass, field
from typing import final

import numpy as np
import xarray as xr
from jaxtyping import ArrayLike, Float

from nucleate.theories.decays import FEWEST, Curve, Exponential, Power, Stretched, fit_decay
from nucleate.theories.protocol import Fit, Theory
from nucleate.theories.regimes import Regimes, Windows

_KINDS = (Power(), Exponential(), Stretched())
_VALUES = ("start", "end", "exponent", "error", "correlated_error", "constant", "limit", "r2", "preferred", "evidence")


def lojasiewicz(exponent: Float[ArrayLike, "*law"], holder: float = 1.0) -> Float[np.ndarray | np.generic, "*law"]:
    r"""The Łojasiewicz exponent of the critical point whose gradient flow makes a measurement fall as t^−α.

        θ = (α + β) / (2α + β),    from α = β (1 − θ) / (2θ − 1)

    α: `exponent`; β: `holder`, the Hölder exponent of the measurement, 1 if it is smooth. An exponential is α = ∞ and
    has θ = ½; a curve that rises has none (NaN). Source: [hitchcock2025emergence], Corollaries A.3 and A.4.

    >>> lojasiewicz(np.array([0.5, np.inf, -1.0])).tolist()
    [0.75, 0.5, nan]
    """
    if not 0 < holder <= 1:
        raise ValueError(f"lojasiewicz: holder must be in (0, 1]; got {holder}.")
    alpha = np.asarray(exponent, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        theta = np.where(np.isinf(alpha), 0.5, (1 + holder / alpha) / (2 + holder / alpha))
    return np.where(alpha > 0, theta, np.nan)


class Limit(abc.ABC):
    r"""Where a history goes: known beforehand, or to be found.

    >>> issubclass(Known, Limit) and issubclass(Recorded, Limit) and issubclass(Free, Limit)
    True
    """

    @abc.abstractmethod
    def of(self, record: xr.Dataset, like: xr.DataArray) -> np.ndarray:
        """The limit of each history in `like`; NaN where it is to be found."""


@final
@dataclass(frozen=True)
class Known(Limit):
    r"""All histories go to `value`; 0, the default, is what [hitchcock2025emergence] assumes.

    >>> Known(0.0).of(xr.Dataset(), xr.DataArray(np.ones(2))).tolist()
    [0.0, 0.0]
    """

    value: float = 0.0

    def of(self, record: xr.Dataset, like: xr.DataArray) -> np.ndarray:
        return np.full(like.shape, self.value)


@final
@dataclass(frozen=True)
class Recorded(Limit):
    r"""Each history goes to what the record's `variable` says, as the correlation of a head goes to its contact limit.

    >>> record = xr.Dataset({"c_star": ("member", [-0.2, -0.3])})
    >>> Recorded("c_star").of(record, xr.DataArray(np.ones((2, 2)), dims=("member", "head"))).tolist()
    [[-0.2, -0.2], [-0.3, -0.3]]
    """

    variable: str

    def of(self, record: xr.Dataset, like: xr.DataArray) -> np.ndarray:
        if self.variable not in record:
            raise ValueError(f"Recorded.variable '{self.variable}' is not in the record; it has {[*record.data_vars]}.")
        held = record[self.variable]
        if not set(held.dims) <= set(like.dims):
            raise ValueError(f"The limit '{self.variable}' is over {held.dims}, the histories only over {like.dims}.")
        return held.broadcast_like(like).transpose(*like.dims).to_numpy().astype(np.float64)


@final
@dataclass(frozen=True)
class Free(Limit):
    r"""The limit of each history is a parameter of its law.

    >>> Free().of(xr.Dataset(), xr.DataArray(np.ones(1))).tolist()
    [nan]
    """

    def of(self, record: xr.Dataset, like: xr.DataArray) -> np.ndarray:
        return np.full(like.shape, np.nan)


@final
@dataclass(frozen=True)
class PowerLaw(Theory):
    r"""An observable approaches its limit as a power of time, in one regime after another.

        |Q(t) − Q*| = A t^−α    within each window

    `variable`: the observable Q, over (member, step, …) or with a step axis of its own; each of its histories has laws
    of its own. `limit`: Q*. `windows`: a rule for where laws begin and end, `Regimes` or a fixed `Window`. In every
    window an exponential and a stretched exponential are fitted beside the power law, to the same rows, and the three
    are compared by BIC. A history is read from its last crossing of Q* on, without step 0 and without rows that are
    not finite. If the limit is free, crossings and `Regimes` are those of |Q|, as if it were 0.
    Source: [hitchcock2025emergence], Section 3.2 and Appendix D.1.

    >>> step = np.arange(0, 6401, 100)
    >>> c = np.where(step <= 1000, -0.9, -0.8 * (np.maximum(step, 1) / 1000) ** -0.25)
    >>> record = xr.Dataset({"c": (("member", "step"), c[None])}, coords={"step": step})
    >>> law = PowerLaw("c").fit(record).laws.isel(member=0)
    >>> law.start.values.tolist(), law.exponent.values.round(3).tolist()
    ([100.0, 1100.0], [0.0, 0.25])
    """

    variable: str
    limit: Limit = field(default_factory=Known)
    windows: Windows = field(default_factory=Regimes)

    def fit(self, record: xr.Dataset) -> "PowerLawFit":
        """Find the regimes of every history, and the law of each."""
        step, held = _histories(record, self.variable)
        limits = self.limit.of(record, held.isel({held.dims[-1]: 0}))
        found, last = {}, np.full(limits.shape, np.nan)
        for at in np.ndindex(limits.shape):
            limit = float(limits[at])
            time, value = _readable(step, held.to_numpy()[at].astype(np.float64), limit)
            last[at] = value[-1] if len(value) else np.nan
            found[at] = [_laws(time, value, limit, *ends) for ends in self._windows(time, value, limit)]
        depth = max([1, *(len(laws) for laws in found.values())])
        table = np.full((len(_VALUES), *limits.shape, depth), np.nan)
        curves = np.full(limits.shape, None, object)
        for at, laws in found.items():
            for number, (row, curve) in enumerate(laws):
                table[(slice(None), *at, number)], curves[at] = row, curve
        dims = (*held.dims[:-1], "regime")
        coords = {name: c for name, c in held.coords.items() if held.dims[-1] not in c.dims}
        laws = xr.Dataset({name: (dims, value) for name, value in zip(_VALUES, table, strict=True)}, coords=coords)
        return PowerLawFit(self, laws, curves, last)

    def _windows(self, time: np.ndarray, value: np.ndarray, limit: float) -> list[tuple[float, float]]:
        if len(time) < FEWEST:
            return []
        ends = self.windows.of(time, value - np.nan_to_num(limit))
        return [(a, b) for a, b in ends if np.sum((time >= a) & (time <= b)) >= FEWEST]


@final
@dataclass(frozen=True, eq=False)
class PowerLawFit(Fit):
    r"""The laws of every history; the last of them predicts.

    `laws` holds, over the axes of the observable without steps, and over `regime`, in order of time and NaN where a
    history has fewer: `start` and `end` of the window; `exponent` α with `error`, half its 95 % interval for
    independent errors as in the paper, and `correlated_error`, for errors correlated from row to row; `constant`, ln A;
    `limit`, Q*; `r2`, see `Curve`; `preferred`, the kind with the lowest BIC, 0: power law, 1: exponential,
    2: stretched exponential; `evidence`, BIC of the better of the other two less that of the power law: above 0, the
    power law is the best. `curves`: the power law of each history's last regime, None if it has none; `last`: the last
    value that was fitted.

    >>> from nucleate.theories import Window
    >>> step = np.arange(100.0, 6500.0, 100.0)
    >>> record = xr.Dataset({"loss": (("member", "step"), 1 + 5 * step[None] ** -0.5)}, coords={"step": step})
    >>> fit = PowerLaw("loss", limit=Free(), windows=Window()).fit(record.isel(step=slice(0, 32)))
    >>> late = record.isel(step=slice(32, None))
    >>> bool(fit.score(late).error[0] < 0.01 * fit.score(late).error_constant[0])
    True
    """

    theory: PowerLaw
    laws: xr.Dataset
    curves: np.ndarray
    last: np.ndarray

    @property
    def final(self) -> xr.Dataset:
        """The law of each history's last regime: `laws` without its axis `regime`."""
        count = self.laws["start"].notnull().sum("regime").to_numpy()
        return self.laws.isel(regime=xr.DataArray(np.maximum(count - 1, 0), dims=self.laws["start"].dims[:-1]))

    def simulate(self, x0, times: Float[np.ndarray, " time"]) -> Float[np.ndarray, "time ..."]:
        """Where the last law of each history takes it in `times`, from `x0`; NaN if the law never passes there.

            Q(t) = Q* ± A (t + B)^−α,    A B^−α = |x0 − Q*|

        The gradient flow of the potential that makes the law. Source: [hitchcock2025emergence], Corollary A.3.
        """
        start = np.broadcast_to(np.asarray(x0, np.float64), self.curves.shape)
        path = np.full((len(times), *self.curves.shape), np.nan)
        for at in np.ndindex(self.curves.shape):
            if isinstance(curve := self.curves[at], Curve):
                path[(slice(None), *at)] = curve.onwards(float(start[at]), np.asarray(times, np.float64))
        return path

    def score(self, record: xr.Dataset) -> xr.Dataset:
        """How well the last law of each history foretells the rows of `record`, which has the same histories later on.

        Over the axes of the observable without steps: `error`, the root mean square error, and `error_constant`, that
        of staying at the last value fitted. NaN for a history without a law.
        """
        step, held = _histories(record, self.theory.variable)
        if held.shape[:-1] != self.curves.shape:
            raise ValueError(f"The laws are of {self.curves.shape} histories; the record has {held.shape[:-1]}.")
        errors = np.full((2, *self.curves.shape), np.nan)
        for at in np.ndindex(self.curves.shape):
            value = held.to_numpy()[at].astype(np.float64)
            there = np.isfinite(value) & (step > 0)
            if isinstance(curve := self.curves[at], Curve) and there.any():
                guesses = curve(step[there]), self.last[at]
                errors[(slice(None), *at)] = [np.sqrt(np.mean(np.square(value[there] - guess))) for guess in guesses]
        dims = held.dims[:-1]
        return xr.Dataset({"error": (dims, errors[0]), "error_constant": (dims, errors[1])})


def _histories(record: xr.Dataset, variable: str) -> tuple[np.ndarray, xr.DataArray]:
    """The steps, and the observable with its step axis last."""
    if variable not in record:
        raise ValueError(f"PowerLaw.variable '{variable}' is not in the record; it has {[*record.data_vars]}.")
    held = record[variable]
    axes = [name for name in held.dims if str(name).split("_")[0] == "step"]
    if len(axes) != 1:
        raise ValueError(f"PowerLaw needs '{variable}' over one axis of steps; it is over {held.dims}.")
    if axes[0] not in held.coords:
        raise ValueError(f"PowerLaw needs the coordinate '{axes[0]}', the training step of each row of '{variable}'.")
    step = held[axes[0]].to_numpy().astype(np.float64)
    if np.any(np.diff(step) <= 0):
        raise ValueError(f"PowerLaw needs rising steps; got {axes[0]} = {step}.")
    return step, held.transpose(..., axes[0])


def _readable(step: np.ndarray, value: np.ndarray, limit: float) -> tuple[np.ndarray, np.ndarray]:
    """The rows after the last one that lies on the limit or on its other side."""
    there = np.isfinite(value) & (step > 0)
    step, value = step[there], value[there]
    side = np.sign(value - np.nan_to_num(limit))
    crossed = np.flatnonzero((side != side[-1:]) | (side == 0))
    first = crossed[-1] + 1 if len(crossed) else 0
    return step[first:], value[first:]


def _laws(time: np.ndarray, value: np.ndarray, limit: float, start: float, end: float) -> tuple[list[float], Curve]:
    """The row of `PowerLawFit.laws` for one window, and its power law."""
    inside = (time >= start) & (time <= end)
    known = None if np.isnan(limit) else float(limit)
    power, *others = (fit_decay(kind, time[inside], value[inside], known) for kind in _KINDS)
    preferred = int(np.argmin([curve.bic for curve in (power, *others)]))
    evidence = min(curve.bic for curve in others) - power.bic
    row = [start, end, power.rate, power.error, power.correlated_error, power.log_amplitude, power.limit, power.r2]
    return [*row, preferred, evidence], power
