r"""Linear units: tokens compete, and the most salient takes all (Theorem 2 of [tian2023joma], and its K units).

With the logits folded into the weights, row l of V = U_Cᵀ W follows v̇_l = exp(‖v_l‖²/2) Δ_l. It moves along a straight
line, v_l = v_l(0) + τ_l Δ_l, at a speed that depends on how far it has come, so that

    ∫ exp(−‖v_l‖²/2) dv_l = Δ_l t

is linear in time: an error function, for any number of units and any start.
"""

from dataclasses import dataclass, field
from typing import final

import numpy as np
import xarray as xr
from jaxtyping import Array, Float
from scipy.special import erf, erfc, erfinv

from nucleate.checking import checked
from nucleate.theories.joint.record import ValuePaths
from nucleate.theories.protocol import Fit, Theory
from nucleate.theories.reading import coords_over

_GAUSS = np.sqrt(np.pi / 2)


@checked
def erf_ratio(
    values: Float[Array | np.ndarray, "*row token"],
    saliency: Float[Array | np.ndarray, " token"],
    of_the_slide: bool = False,
) -> Float[np.ndarray, "*row token"]:
    r"""What is equal for all tokens at any time, if one unit starts from zero.

        erf(v_l/√2) / Δ_l

    v: `values`; Δ: `saliency`. The talk's slide has erf(v_l/2), which is not equal: `of_the_slide`.
    Source: [tian2023joma], Theorem 2, corrected.

    >>> v = np.sqrt(2) * erfinv(np.array([0.9, 0.3]))
    >>> erf_ratio(v, np.array([3.0, 1.0])).round(6).tolist()
    [0.3, 0.3]
    >>> erf_ratio(v, np.array([3.0, 1.0]), of_the_slide=True).round(3).tolist()
    [0.252, 0.215]
    """
    return erf(np.asarray(values) / (2 if of_the_slide else np.sqrt(2))) / np.asarray(saliency)


@dataclass(frozen=True)
class _Lines:
    """Each token's straight line: v(τ) = start + τ Δ, on which ‖v‖² = speed² (τ + shift)² + apart²."""

    speed: np.ndarray
    shift: np.ndarray
    scale: np.ndarray

    @classmethod
    def of(cls, start: np.ndarray, saliency: np.ndarray) -> "_Lines":
        speed = np.linalg.norm(saliency, axis=-1)
        safe = np.where(speed > 0, speed, 1)
        along = (start * saliency).sum(-1) / safe
        apart = np.maximum(np.square(start).sum(-1) - np.square(along), 0)
        return cls(safe, along / safe, np.where(speed > 0, np.exp(-apart / 2) * _GAUSS / safe, np.inf))

    @property
    def end(self) -> np.ndarray:
        """When each token would blow up if it were alone."""
        return self.scale * erfc(self.speed * self.shift / np.sqrt(2))

    def at(self, times: np.ndarray) -> np.ndarray:
        """τ [time, token]; NaN from a token's own end."""
        passed = erf(self.speed * self.shift / np.sqrt(2)) + times[:, None] / self.scale
        with np.errstate(invalid="ignore"):
            tau = np.sqrt(2) * erfinv(np.where(np.abs(passed) < 1, passed, np.nan)) / self.speed - self.shift
        return np.where(np.isinf(self.scale), 0, tau)


@final
@dataclass(frozen=True)
class SaliencyFlow(Theory):
    r"""Weights of linear units grow along their saliency, faster the larger they are.

        V̇ = diag(exp(½ (V∘V) 1)) Δ

    V: weights of units for tokens; Δ: the `saliency`, E[g|l]·P(l) of each token l for each unit, the only parameters
    that `fit` chooses, by least squares on `unfolded` paths; all members of a record share them. The
    exponential is of the sum over units; the slide can also be read as a sum of exponentials, which is another flow.
    One unit is Theorem 2. If attention starts from logits z(0), Δ includes exp(z(0) − ½ Σ_k v_k(0)²).

    The record holds `values` (member, step, token, unit) and the coordinates `step` and `eta` (member).
    Source: [tian2023joma], Theorem 2.

    >>> flow = SaliencyFlowFit(SaliencyFlow(), np.array([[2.0], [1.0]]), 0.0)
    >>> path = flow.simulate(np.zeros((2, 1)), np.linspace(0, 0.5, 6))
    >>> record = xr.Dataset(
    ...     {"values": (("member", "step", "token", "unit"), path[None])},
    ...     coords={"step": np.arange(6), "eta": ("member", [0.1])},
    ... )
    >>> SaliencyFlow().fit(record).saliency.round(6).tolist()
    [[2.0], [1.0]]
    """

    def fit(self, record: xr.Dataset) -> "SaliencyFlowFit":
        """Find the saliency of each token for each unit."""
        seen = ValuePaths.read(record, "SaliencyFlow")
        there = seen.finite & (seen.times > 0)
        if not there.any():
            raise ValueError("SaliencyFlow.fit needs a member with two finite rows and eta > 0; the record has none.")
        straight = unfolded(seen.values)
        times = np.where(there, seen.times, 0)
        saliency = np.einsum("ms,mslk->lk", times, straight) / np.square(times).sum()
        left = (straight - times[..., None, None] * saliency)[there]
        scale = straight[there]
        return SaliencyFlowFit(self, saliency, float(np.sqrt(np.square(left).sum() / np.square(scale).sum())))


@final
@dataclass(frozen=True, eq=False)
class SaliencyFlowFit(Fit):
    """A `SaliencyFlow` with its saliency, over (token, unit); `error`: the share of `unfolded` paths it misses.

    >>> fit = SaliencyFlowFit(SaliencyFlow(), np.array([[2.0], [1.0]]), 0.0)
    >>> fit.winner(), round(fit.blow_up(), 4), fit.limits().round(4).tolist()  # √(π/2)/2, and √2 erfinv(1/2)
    (0, 0.6267, [[inf], [0.6745]])
    """

    theory: SaliencyFlow
    saliency: Float[np.ndarray, "token unit"] = field(repr=False)
    error: float

    def winner(self, x0: Float[np.ndarray, "token unit"] | None = None) -> int:
        """The token whose weights blow up first: that of the largest saliency, from a zero start."""
        return int(np.argmin(self._lines(x0).end))

    def blow_up(self, x0: Float[np.ndarray, "token unit"] | None = None) -> float:
        """When the flow ends, in steps times learning rate: t* = √(π/2) / max_l ‖Δ_l‖ from a zero start."""
        return float(self._lines(x0).end.min())

    def limits(self, x0: Float[np.ndarray, "token unit"] | None = None) -> Float[np.ndarray, "token unit"]:
        """Where weights are when the flow ends: those of the winner are infinite, and one unit's others, from a zero
        start, √2 erfinv(Δ_l/Δ_winner)."""
        start = np.zeros_like(self.saliency) if x0 is None else np.asarray(x0, np.float64)
        lines = self._lines(x0)
        ends = start + lines.at(np.array([lines.end.min()]))[0][:, None] * self.saliency
        with np.errstate(invalid="ignore"):
            ends[np.argmin(lines.end)] = np.where(self.saliency[np.argmin(lines.end)] == 0, 0, np.inf) * np.sign(
                self.saliency[np.argmin(lines.end)]
            )
        return ends

    @checked
    def simulate(
        self, x0: Float[Array | np.ndarray, "token unit"], times: Float[Array | np.ndarray, " time"]
    ) -> Float[np.ndarray, "time token unit"]:
        """V at each of `times`, which are steps multiplied by the learning rate; NaN from the blow-up on."""
        start, times = np.asarray(x0, np.float64), np.asarray(times, np.float64)
        path = start + self._lines(start).at(times)[..., None] * self.saliency
        return np.where((times < self.blow_up(start))[:, None, None], path, np.nan)

    def score(self, record: xr.Dataset) -> xr.Dataset:
        """How far the members of `record` are from the flow that starts where they do.

        Over (member, step): `error`, the distance ‖V − V_theory‖, and `error_constant`, that of weights that stay, both
        as shares of ‖V‖; NaN after the blow-up. Over (member): `skill` = 1 − Σ error²/Σ error_constant² of the rows
        before it.
        """
        seen = ValuePaths.read(record, "SaliencyFlow")
        theory = np.stack([self.simulate(v[0], t) for v, t in zip(seen.values, seen.times, strict=True)])
        there = seen.finite & np.isfinite(theory).all((2, 3))
        size = np.linalg.norm(seen.values, axis=(2, 3))
        away = [np.linalg.norm(seen.values - guess, axis=(2, 3)) for guess in (theory, seen.values[:, :1])]
        error, constant = (np.where(there & (size > 0), miss / np.where(size > 0, size, 1), np.nan) for miss in away)
        lost, all_of_it = (np.where(there, np.square(miss), 0).sum(1) for miss in away)
        skill = 1 - lost / np.where(all_of_it > 0, all_of_it, np.nan)
        return xr.Dataset(
            {
                "error": (("member", "step"), error),
                "error_constant": (("member", "step"), constant),
                "skill": ("member", skill),
            },
            coords=coords_over(record, "member", "step"),
        )

    def _lines(self, x0: np.ndarray | None) -> _Lines:
        return _Lines.of(np.zeros_like(self.saliency) if x0 is None else np.asarray(x0, np.float64), self.saliency)


def unfolded(values: Float[np.ndarray, "member step token unit"]) -> Float[np.ndarray, "member step token unit"]:
    r"""∫ exp(−‖v_l‖²/2) dv_l along each path since its first row, which is Δ_l t if it follows `SaliencyFlow`.

    Between two rows the path is taken to be straight, as it is in the flow, and the integral is an error function.

    >>> unfolded(np.array([0.0, 10.0]).reshape(1, 2, 1, 1)).ravel().round(4).tolist()  # √(π/2)
    [0.0, 1.2533]
    """
    start, move = values[:, :-1], np.diff(values, axis=1)
    lines = _Lines.of(start, move)
    low = lines.speed * lines.shift / np.sqrt(2)
    with np.errstate(invalid="ignore"):
        # Of two values on one side of zero, erfc keeps the digits that erf would lose.
        gain = np.where(
            low > 0, erfc(low) - erfc(low + lines.speed / np.sqrt(2)), erf(low + lines.speed / np.sqrt(2)) - erf(low)
        )
        share = np.where(np.isinf(lines.scale), 0, lines.scale * gain)
    steps = share[..., None] * move
    return np.concatenate([np.zeros_like(values[:, :1]), np.cumsum(steps, axis=1)], axis=1)
