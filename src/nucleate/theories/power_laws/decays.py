r"""Curves that approach a limit: power laws, exponentials and the family between them, fitted to one history.

All have the form Q(t) = Q* ± A exp(−λ u(t)), each with its own clock u(t).
"""

import abc
from dataclasses import dataclass
from typing import Annotated, final

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize_scalar
from scipy.stats import t as student

from nucleate.checking import Above, Below, Checked

FEWEST = 5  # rows; three families of curves cannot be told apart with fewer
_DECAYS = np.geomspace(1e-2, 1e2, 81)  # λ (u_end − u_start): how far a curve with a free limit may fall within a window
_ROUNDING = 1e-20  # of the sum of squares: a residual below this share is rounding


class Decay(Checked, abc.ABC):
    r"""How the distance to a limit falls: exponentially in a clock.

        |Q(t) − Q*| = A exp(−λ u(t))

    u: `clock`; λ: the rate, which is the exponent for `Power`. `fit_decay` finds A, λ and Q*.
    """

    @abc.abstractmethod
    def clock(self, time: Float[np.ndarray, " time"]) -> Float[np.ndarray, " time"]:
        """The reading of the clock at each time."""

    @abc.abstractmethod
    def when(self, clock: float) -> float:
        """The time at which the clock reads `clock`; NaN if it never does."""

    @abc.abstractmethod
    def candidates(self, near: "Decay | None") -> tuple["Decay", ...]:
        """The shapes to try: over the whole range, or `near` one of them. Just one if there is no choice."""


@final
@dataclass(frozen=True)
class Power(Decay):
    r"""A power law: |Q − Q*| = A t^−λ; the clock is ln t. A degenerate critical point [hitchcock2025emergence].

    >>> Power().clock(np.array([1.0, np.e])).tolist()
    [0.0, 1.0]
    """

    def clock(self, time: Float[np.ndarray, " time"]) -> Float[np.ndarray, " time"]:
        return np.log(time)

    def when(self, clock: float) -> float:
        return float(np.exp(clock))

    def candidates(self, near: Decay | None) -> tuple[Decay, ...]:
        return (self,)


@final
@dataclass(frozen=True)
class Exponential(Decay):
    r"""An exponential: |Q − Q*| = A exp(−λ t); the clock is t. A nondegenerate critical point [hitchcock2025emergence].

    >>> Exponential().when(3.0)
    3.0
    """

    def clock(self, time: Float[np.ndarray, " time"]) -> Float[np.ndarray, " time"]:
        return time

    def when(self, clock: float) -> float:
        return clock

    def candidates(self, near: Decay | None) -> tuple[Decay, ...]:
        return (self,)


@final
@dataclass(frozen=True)
class Stretched(Decay):
    r"""A stretched exponential: |Q − Q*| = A exp(−λ t^β), 0 < β < 1; the clock is t^β.

    It lies between the other two: β = 1 is an exponential, and β → 0 tends to a power law.

    >>> Stretched(0.5).clock(np.array([4.0, 9.0])).tolist()
    [2.0, 3.0]
    """

    beta: Annotated[float, Above(0), Below(1)] = 0.5

    def clock(self, time: Float[np.ndarray, " time"]) -> Float[np.ndarray, " time"]:
        return time**self.beta

    def when(self, clock: float) -> float:
        return float(clock ** (1 / self.beta)) if clock >= 0 else float("nan")

    def candidates(self, near: Decay | None) -> tuple[Decay, ...]:
        if not isinstance(near, Stretched):
            return tuple(Stretched(k / 20) for k in range(1, 20))
        return tuple(Stretched(near.beta + k / 200) for k in range(-9, 10))


@final
@dataclass(frozen=True)
class Curve:
    r"""A decay with its parameters: Q(t) = Q* ± A exp(−λ u(t)).

    `limit`: Q*; `sign`: the side from which it is approached; `log_amplitude`: ln A; `rate`: λ; `error`: half the width
    of its 95 % interval for independent errors; `correlated_error`: the same for errors that are as correlated from row
    to row as the residuals are; both are NaN for `Stretched`; `r2`: in ln|Q − Q*| if the limit was given, in Q if it
    was fitted; `bic`: compares curves fitted to the same rows with a limit of the same kind; lower is better.

    >>> curve = Curve(Power(), limit=1.0, sign=-1.0, log_amplitude=0.0, rate=0.5)
    >>> curve(np.array([4.0])).tolist(), curve.onwards(0.5, np.array([0.0, 12.0])).tolist()
    ([0.5], [0.5, 0.75])
    """

    decay: Decay
    limit: float
    sign: float
    log_amplitude: float
    rate: float
    error: float = float("nan")
    correlated_error: float = float("nan")
    r2: float = float("nan")
    bic: float = float("nan")

    def __call__(self, time: Float[np.ndarray, " time"]) -> Float[np.ndarray, " time"]:
        """The value at each time."""
        return self.limit + self.sign * np.exp(self.log_amplitude - self.rate * self.decay.clock(time))

    def onwards(self, x0: float, time: Float[np.ndarray, " time"]) -> Float[np.ndarray, " time"]:
        """The values at `time` after the moment at which the curve passes `x0`; NaN if it never does."""
        distance = (x0 - self.limit) * self.sign
        if not distance > 0:
            return np.full(len(time), np.nan)
        return self(self.decay.when((self.log_amplitude - np.log(distance)) / self.rate) + time)


def fit_decay(
    decay: Decay, time: Float[np.ndarray, " time"], value: Float[np.ndarray, " time"], limit: float | None
) -> Curve:
    r"""The curve of the given kind that fits one history best.

        min Σ_t (ln|Q(t) − Q*| − ln A + λ u(t))²    if Q* = `limit` is given,
        min Σ_t (Q(t) − Q* ∓ A exp(−λ u(t)))²       if it is None, over Q* as well

    [hitchcock2025emergence] fits in the first way, with Q* = 0 (Appendix D.1).

    >>> time = np.geomspace(10.0, 1000.0, 30)
    >>> given, found = (fit_decay(Power(), time, 2 + 3 * time**-0.5, limit) for limit in (2.0, None))
    >>> round(given.rate, 4), round(found.rate, 4), round(found.limit, 4)
    (0.5, 0.5, 2.0)
    """
    if len(time) < FEWEST or np.any(time <= 0) or np.any(np.diff(time) <= 0):
        raise ValueError(f"fit_decay needs at least {FEWEST} rising times > 0; got {time}.")
    if limit is not None and len(np.unique(np.sign(value - limit))) != 1:
        raise ValueError(
            f"fit_decay needs values on one side of their limit {limit}; cut the history at its last crossing."
        )

    def best(candidates: tuple[Decay, ...]) -> Curve:
        count = 2 + (limit is None) + (len(candidates) > 1)
        if limit is None:
            return min((_with_free_limit(c, time, value, count) for c in candidates), key=lambda curve: curve.bic)
        return min((_with_known_limit(c, time, value, limit, count) for c in candidates), key=lambda curve: curve.bic)

    coarse = decay.candidates(None)
    curve = best(coarse)
    return best(decay.candidates(curve.decay)) if len(coarse) > 1 else curve


def _with_known_limit(decay: Decay, time: np.ndarray, value: np.ndarray, limit: float, count: int) -> Curve:
    clock, y = decay.clock(time), np.log(np.abs(value - limit))
    centred = clock - clock.mean()
    spread = float(np.sqrt(np.sum(np.square(centred))))
    slope = float(centred @ y) / spread**2
    log_amplitude = float(y.mean() - slope * clock.mean())
    quality = _quality(y - log_amplitude - slope * clock, y, count, spread if count == 2 else np.nan)
    return Curve(decay, limit, float(np.sign(value[-1] - limit)), log_amplitude, -slope, *quality)


def _with_free_limit(decay: Decay, time: np.ndarray, value: np.ndarray, count: int) -> Curve:
    clock = decay.clock(time)
    span = float(clock[-1] - clock[0])
    unit = (clock - clock[0]) / span

    def project(fall):
        """For each λ the problem is linear: the amplitude that fits best, and the sum of squares that it leaves."""
        shape = np.exp(-np.atleast_1d(fall)[:, None] * unit)
        centred, y = shape - shape.mean(1, keepdims=True), value - value.mean()
        amplitude = centred @ y / np.square(centred).sum(1)
        return amplitude, np.square(y - amplitude[:, None] * centred).sum(1)

    at = int(np.argmin(project(_DECAYS)[1]))
    bounds = np.log(_DECAYS[[max(at - 1, 0), min(at + 1, len(_DECAYS) - 1)]])
    found = minimize_scalar(lambda log: float(project(np.exp(log))[1][0]), bounds=bounds, method="bounded")
    fall = float(np.exp(found.x))  # type: ignore[attr-defined]
    amplitude = float(project(fall)[0][0])
    shape = np.exp(-fall * unit)
    limit = float(value.mean() - amplitude * shape.mean())
    slopes = np.stack([np.ones_like(unit), shape, -amplitude * unit * shape], axis=1)
    # The part of the rate's effect that the other two parameters cannot undo; the inverse of its norm scales the error.
    free = slopes[:, 2] - slopes[:, :2] @ np.linalg.lstsq(slopes[:, :2], slopes[:, 2], rcond=None)[0]
    spread = np.sqrt(np.sum(np.square(free))) * span if count == 3 else np.nan
    quality = _quality(value - limit - amplitude * shape, value, count, spread)
    log_amplitude = float(np.log(max(abs(amplitude), np.finfo(float).tiny)) + fall * clock[0] / span)
    return Curve(decay, limit, float(np.sign(amplitude)), log_amplitude, fall / span, *quality)


def _quality(residual: np.ndarray, y: np.ndarray, count: int, spread: float) -> tuple[float, float, float, float]:
    """Half-widths of the rate's interval for independent and correlated errors, R² and BIC."""
    rows, total = len(y), float(np.sum(np.square(y - y.mean())))
    squares = max(float(np.sum(np.square(residual))), _ROUNDING * float(np.sum(np.square(y))), np.finfo(float).tiny)
    error = student.ppf(0.975, rows - count) * np.sqrt(squares / (rows - count)) / spread
    centred = residual - residual.mean()
    lag = np.sum(centred[1:] * centred[:-1]) / max(np.sum(np.square(centred)), np.finfo(float).tiny)
    lag = float(np.clip(lag, 0, 0.99))
    return (
        float(error),
        float(error * np.sqrt((1 + lag) / (1 - lag))),
        1 - squares / total if total > 0 else float("nan"),
        rows * float(np.log(squares / rows)) + count * float(np.log(rows)),
    )
