r"""The theory that attention follows one clock for each class, and its fit."""

from dataclasses import dataclass, field
from typing import Annotated, final

import numpy as np
import xarray as xr
from jaxtyping import Array, Float, Integer
from scipy.optimize import minimize_scalar

from nucleate.checking import Above, checked
from nucleate.theories.flow import integrate
from nucleate.theories.protocol import Fit, Theory
from nucleate.theories.reading import coords_over
from nucleate.theories.scanning.clock import clock_law, snapping_time
from nucleate.theories.scanning.flow import ClockFlow
from nucleate.theories.scanning.record import Scans

_Positive = Annotated[float, Above(0)]

_LARGEST = 1e6  # of C₀; a clock that starts at ln 10⁶ has turned attention one-hot
_STILL = 1e-12  # mean square of logits that have not moved


@final
@dataclass(frozen=True)
class ScanSnap(Theory):
    r"""Attention scans, then snaps: all logits of a class follow its clock, and the clock slows down to ln ln t.

        dz_ml/dB = f_nl² on distinct tokens,    B(t) = a ln(C₀ + 2K (η_Z/η_Y) ln²(M η_Y t/K)),    t ≥ t₀

    The first makes r_{l/l'}(t) = r_{l/l'}(0) χ_l(t) with ln χ_l = 2∫f_nl² dB; it has no parameter. Fitted are C₀ and,
    if `amplitude` is None, a; the theory has a = 1. t₀: `snapping_time`. Common tokens follow `ClockFlow`, which
    takes classes to be alike. Source: [tian2023scan], Theorems 3 and 4.

    >>> P = np.array([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]])
    >>> Z = np.array([0.0, 1.0, 1.1])[None, :, None, None] * np.array([[-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
    >>> record = xr.Dataset(
    ...     {"scores": (("member", "step", "last", "token"), Z), "probability": (("class", "token"), P),
    ...      "last_token": ("class", [0, 1]), "vocabulary": 7},
    ...     coords={"step": [0, 100, 1000], "eta_z": 0.1, "mult": 10.0})
    >>> fit = ScanSnap(amplitude=None).fit(record)
    >>> bool(fit.error < 0.1), fit.identified
    (True, True)
    """

    amplitude: Annotated[float, Above(0)] | None = 1.0

    def fit(self, record: xr.Dataset) -> "ScanSnapFit":
        """Choose C₀, and perhaps a, by least squares on the clocks of all members after t₀."""
        seen = Scans.read(record)
        clock = seen.clock.mean(axis=-1)
        late = seen.finite & (seen.time >= snapping_time(1.0, seen.classes, seen.tokens))
        if late.sum() < 2:
            raise ValueError("ScanSnap.fit needs two finite rows after t₀ = 2K ln M/η_Y; the record has fewer.")

        def law(C0: float) -> tuple[float, float]:
            """The best amplitude, and the mean square that it misses."""
            unscaled = np.asarray(clock_law(seen.time, seen.ratio[:, None], seen.classes, seen.tokens, C0), float)[late]
            best = self.amplitude or max(float(unscaled @ clock[late] / max(unscaled @ unscaled, _STILL)), _STILL)
            return best, float(np.mean(np.square(clock[late] - best * unscaled)))

        # In ln C₀ after a search of the whole range: where C₀ hardly matters the error is flat.
        grid = np.log(np.geomspace(1e-3, _LARGEST, 64))
        start = int(np.argmin([law(np.exp(log))[1] for log in grid]))
        near = grid[max(start - 1, 0)], grid[min(start + 1, len(grid) - 1)]
        found = minimize_scalar(lambda log: law(np.exp(log))[1], bounds=near, method="bounded")
        C0 = float(np.exp(found.x))  # type: ignore[attr-defined]
        amplitude, error = law(C0)
        return ScanSnapFit(
            self,
            C0=C0,
            amplitude=amplitude,
            error=float(np.sqrt(error)),
            identified=0 < start < len(grid) - 1,
            probability=seen.probability,
            last=seen.last,
            tokens=seen.tokens,
        )


@final
@dataclass(frozen=True, eq=False)
class ScanSnapFit(Fit):
    r"""A `ScanSnap` with its clock.

    `C0`, `amplitude`: C₀ and a; `error`: root mean square error of the fitted clocks; `identified`: whether C₀ lies
    inside the range that was searched, which a clock of another form may leave. `probability`, `last`, `tokens`:
    P(l|n), ψ(n) and M of the record's task.

    >>> P, last = np.array([[0.6, 0.4, 0.0], [0.6, 0.0, 0.4]]), np.array([0, 1])
    >>> fit = ScanSnapFit(ScanSnap(), 1.0, 1.0, error=0.0, identified=True, probability=P, last=last, tokens=7)
    >>> fit.simulate(np.zeros((2, 3)), np.array([0.0, 1e4]), ratio=0.1)[-1].round(2).tolist()
    [[-3.24, 3.24, 0.0], [-3.24, 0.0, 3.24]]
    """

    theory: ScanSnap
    C0: float
    amplitude: float
    error: float
    identified: bool
    probability: Float[np.ndarray, "class token"] = field(repr=False)
    last: Integer[np.ndarray, " class"] = field(repr=False)
    tokens: int

    @checked
    def clock(self, times: Float[Array | np.ndarray, " time"], ratio: _Positive = 0.1) -> Float[np.ndarray, " time"]:
        """B at `times`, which are training steps multiplied by η_Y; `ratio`: η_Z/η_Y. Before t₀ it is a bound."""
        law = clock_law(np.asarray(times, np.float64), ratio, len(self.probability), self.tokens, self.C0)
        return np.where(np.asarray(times) > 0, self.amplitude * np.asarray(law, float), 0.0)

    @checked
    def simulate(
        self,
        x0: Float[Array | np.ndarray, "last token"],
        times: Float[Array | np.ndarray, " time"],
        ratio: _Positive = 0.1,
    ) -> Float[np.ndarray, "time last token"]:
        """The attention logits at each of `times`, starting from `x0`; see `clock`."""
        path = integrate(ClockFlow(self.probability, self.last), np.asarray(x0), self.clock(times, ratio))
        return np.asarray(path)

    def score(self, record: xr.Dataset) -> xr.Dataset:
        """How far the members of `record` stray from the theory, compared with one in which nothing moves.

        Over (member, step): `clock`, the measured B, the mean over classes; `clock_predicted`; `closed_form_error`, the
        error of r(t) = r(0) χ(t) as a share of ln χ; `within_bounds`, the share of relative gains within the bounds
        that B sets. Over (member): `skill`, the share of the logits' mean square motion that the theory explains, 1 if
        all; `skill_on_clock`, the same if the theory is told the measured clock. Score members that the fit has not
        seen.
        """
        seen = Scans.read(record)
        clock = seen.clock.mean(axis=-1)
        predicted = np.stack([self.clock(*each) for each in zip(seen.time, seen.ratio.tolist(), strict=True)])
        own = np.where(seen.finite, np.maximum.accumulate(np.maximum(np.nan_to_num(clock), 0), axis=1), 0)
        by_step = {
            "clock": clock,
            "clock_predicted": predicted,
            "closed_form_error": seen.closed_form_error,
            "within_bounds": seen.within_bounds,
        }
        values = {"skill": self._skill(seen, predicted), "skill_on_clock": self._skill(seen, own)}
        return xr.Dataset(
            {name: (("member", "step"), value) for name, value in by_step.items()}
            | {name: ("member", value) for name, value in values.items()},
            coords=coords_over(record, "member", "step"),
            attrs={"C0": self.C0, "amplitude": self.amplitude},
        )

    def _skill(self, seen: Scans, clock: Float[np.ndarray, "member step"]) -> Float[np.ndarray, " member"]:
        flow = ClockFlow(seen.probability, seen.last)
        skill = np.full(len(clock), np.nan)
        for member, (Z, rows) in enumerate(zip(seen.Z, seen.finite, strict=True)):
            moved = float(np.mean(np.square(Z - Z[0])[rows])) if rows.any() else 0.0
            if moved > _STILL:
                times = np.maximum.accumulate(clock[member][rows])
                skill[member] = 1 - np.mean(np.square(integrate(flow, Z[0], times) - Z[rows])) / moved
        return skill
