r"""The theory that observables approach their limits as powers of time, and its fit."""

from dataclasses import dataclass, field
from typing import Annotated, final

import numpy as np
import xarray as xr
from jaxtyping import ArrayLike, Float, Num

from nucleate.checking import Above, AtMost, checked
from nucleate.theories.power_laws.decays import FEWEST, Curve, Exponential, Power, Stretched, fit_decay
from nucleate.theories.power_laws.limits import KnownLimit, Limit
from nucleate.theories.power_laws.record import after_last_crossing, histories
from nucleate.theories.power_laws.regimes import Regimes, Windows
from nucleate.theories.protocol import Fit, Theory

_KINDS = (Power(), Exponential(), Stretched())
_VALUES = ("start", "end", "exponent", "error", "correlated_error", "constant", "limit", "r2", "preferred", "evidence")


@checked
def lojasiewicz(
    exponent: Float[ArrayLike, "*law"], holder: Annotated[float, Above(0), AtMost(1)] = 1.0
) -> Float[np.ndarray | np.generic, "*law"]:
    r"""The Łojasiewicz exponent of the critical point whose gradient flow makes a measurement fall as t^−α.

        θ = (α + β) / (2α + β),    from α = β (1 − θ) / (2θ − 1)

    α: `exponent`; β: `holder`, the Hölder exponent of the measurement, 1 if it is smooth. An exponential has α = ∞ and
    θ = ½; a rising curve has no θ (NaN). Source: [hitchcock2025emergence], Corollaries A.3 and A.4.

    >>> lojasiewicz(np.array([0.5, np.inf, -1.0])).tolist()
    [0.75, 0.5, nan]
    """
    alpha = np.asarray(exponent, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        theta = np.where(np.isinf(alpha), 0.5, (1 + holder / alpha) / (2 + holder / alpha))
    return np.where(alpha > 0, theta, np.nan)


@final
@dataclass(frozen=True)
class PowerLaw(Theory):
    r"""An observable approaches its limit as a power of time, in one regime after another.

        |Q(t) − Q*| = A t^−α    within each window

    `variable`: the observable Q, over (member, step, …) or with a step axis of its own, such as step_attention; each of
    its histories has its own laws. `limit`: Q*. `windows`: where laws begin and end, `Regimes` or a fixed `Window`. In
    every window an exponential and a stretched exponential are fitted to the same rows as the power law, and the three
    are compared by BIC. A history is read from its last crossing of Q*, without step 0 and without rows that are
    not finite. If the limit is free, crossings and `Regimes` are those of Q itself, as if the limit were 0.
    Source: [hitchcock2025emergence], Section 3.2 and Appendix D.1.

    >>> step = np.arange(0, 6401, 100)
    >>> c = np.where(step <= 1000, -0.9, -0.8 * (np.maximum(step, 1) / 1000) ** -0.25)
    >>> record = xr.Dataset({"c": (("member", "step"), c[None])}, coords={"step": step})
    >>> law = PowerLaw("c").fit(record).laws.isel(member=0)
    >>> law.start.values.tolist(), (law.exponent.values.round(3) + 0).tolist()
    ([100.0, 1100.0], [0.0, 0.25])
    """

    variable: str
    limit: Limit = field(default_factory=KnownLimit)
    windows: Windows = field(default_factory=Regimes)

    def fit(self, record: xr.Dataset) -> "PowerLawFit":
        """Find the regimes of every history and the law of each regime."""
        step, held = histories(record, self.variable, self.limit.needs)
        limits = self.limit.of(record, held.isel({held.dims[-1]: 0}))
        found, last = {}, np.full(limits.shape, np.nan)
        for at in np.ndindex(limits.shape):
            limit = float(limits[at])
            time, value = after_last_crossing(step, held.to_numpy()[at].astype(np.float64), limit)
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

    `laws` is over the observable's axes other than steps and over `regime`, in order of time, with NaN where a history
    has fewer regimes. It holds `start` and `end` of the window; `exponent` α with `error`, half the width of its 95 %
    interval for independent errors as in the paper, and `correlated_error`, the same for errors that are correlated
    from row to row; `constant`, ln A; `limit`, Q*; `r2`, see `Curve`; `preferred`, the kind with the lowest BIC (0:
    power law, 1: exponential, 2: stretched exponential); `evidence`, the BIC of the better of the other two minus that
    of the power law, so that the power law is best if it is above 0. `curves`: the power law of each history's last
    regime, None if it has none; `last`: the last value that was fitted.

    >>> from nucleate.theories import FreeLimit, Window
    >>> step = np.arange(100.0, 6500.0, 100.0)
    >>> record = xr.Dataset({"loss": (("member", "step"), 1 + 5 * step[None] ** -0.5)}, coords={"step": step})
    >>> fit = PowerLaw("loss", limit=FreeLimit(), windows=Window()).fit(record.isel(step=slice(0, 32)))
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

    @checked
    def simulate(self, x0: Num[ArrayLike, "..."], times: Float[np.ndarray, " time"]) -> Float[np.ndarray, "time ..."]:
        """Where the last law of each history takes it from `x0` after `times`; NaN if the law never passes `x0`.

            Q(t) = Q* ± A (t + B)^−α,    A B^−α = |x0 − Q*|

        This is the gradient flow of the potential that gives rise to the law.
        Source: [hitchcock2025emergence], Corollary A.3.
        """
        start = np.broadcast_to(np.asarray(x0, np.float64), self.curves.shape)
        path = np.full((len(times), *self.curves.shape), np.nan)
        for at in np.ndindex(self.curves.shape):
            if isinstance(curve := self.curves[at], Curve):
                path[(slice(None), *at)] = curve.onwards(float(start[at]), np.asarray(times, np.float64))
        return path

    def score(self, record: xr.Dataset) -> xr.Dataset:
        """How well the last law of each history predicts `record`, which holds later rows of the same histories.

        Over the observable's axes other than steps: `error`, the root mean square error, and `error_constant`, that of
        staying at the last fitted value. NaN for a history without a law.
        """
        step, held = histories(record, self.theory.variable)
        if held.shape[:-1] != self.curves.shape:
            raise ValueError(f"There are laws for {self.curves.shape} histories; the record has {held.shape[:-1]}.")
        errors = np.full((2, *self.curves.shape), np.nan)
        for at in np.ndindex(self.curves.shape):
            value = held.to_numpy()[at].astype(np.float64)
            there = np.isfinite(value) & (step > 0)
            if isinstance(curve := self.curves[at], Curve) and there.any():
                guesses = curve(step[there]), self.last[at]
                errors[(slice(None), *at)] = [np.sqrt(np.mean(np.square(value[there] - guess))) for guess in guesses]
        dims = held.dims[:-1]
        return xr.Dataset({"error": (dims, errors[0]), "error_constant": (dims, errors[1])})


def _laws(time: np.ndarray, value: np.ndarray, limit: float, start: float, end: float) -> tuple[list[float], Curve]:
    """The row of `PowerLawFit.laws` for one window, and its power law."""
    inside = (time >= start) & (time <= end)
    known = None if np.isnan(limit) else float(limit)
    power, *others = (fit_decay(kind, time[inside], value[inside], known) for kind in _KINDS)
    preferred = int(np.argmin([curve.bic for curve in (power, *others)]))
    evidence = min(curve.bic for curve in others) - power.bic
    row = [start, end, power.rate, power.error, power.correlated_error, power.log_amplitude, power.limit, power.r2]
    return [*row, preferred, evidence], power
