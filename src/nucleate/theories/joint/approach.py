r"""Nonlinear units: the most salient tokens arrive first, and the others catch up (Theorem 4 of [tian2023joma])."""

from dataclasses import dataclass, field
from typing import final

import numpy as np
import xarray as xr
from jaxtyping import Array, Float
from scipy.optimize import least_squares

from nucleate.checking import checked
from nucleate.theories.joint.growth import ExpGrowth, Growth
from nucleate.theories.joint.record import ValuePaths
from nucleate.theories.joint.steps import follow
from nucleate.theories.protocol import Fit, Theory
from nucleate.theories.reading import coords_over


@checked
def convergence_ratio(
    target: Float[Array | np.ndarray, "*pair"], other: Float[Array | np.ndarray, "*pair"]
) -> Float[np.ndarray | np.generic, "*pair"]:
    r"""How much faster one component converges than another, in the end.

        ln(1/δ_j) / ln(1/δ_k) → exp((μ_j² − μ_k²)/2),    δ_j = 1 − v_j/μ_j

    μ: `target` and `other`. Early on the ratio can be far from it. Source: [tian2023joma], Theorem 4.

    >>> convergence_ratio(np.array([2.0]), np.array([1.0])).round(3).tolist()
    [4.482]
    """
    return np.exp((np.square(np.asarray(target)) - np.square(np.asarray(other))) / 2)


@checked
def remaining(
    target: Float[Array | np.ndarray, "*run token"],
    start: Float[Array | np.ndarray, "*run token"],
    times: Float[Array | np.ndarray, " time"],
    growth: Growth | None = None,
) -> Float[np.ndarray, "time *run token"]:
    r"""ln δ along the flow v̇ = (μ − v)∘growth(v): how much of each component's way is left, δ = 1 − v/μ.

    μ: `target`, nowhere 0; v(0): `start`, on the same side of μ as 0; growth: `ExpGrowth` by default. ln δ itself is
    integrated: δ would be rounded to 0 long before Theorem 4's limit is reached. Source: [tian2023joma], Theorem 4.

    >>> float(remaining(np.array([1.0]), np.array([0.0]), np.array([100.0]))[0, 0]) < -100
    True
    """
    target, start = np.asarray(target, np.float64), np.asarray(start, np.float64)
    if (target == 0).any() or (start / np.where(target == 0, 1, target) >= 1).any():
        raise ValueError("remaining: target must not be 0, and start must lie before it; some component does not.")
    how = growth or ExpGrowth()
    velocity = lambda left: -how(-target * np.expm1(left))  # d ln δ/dt = −growth(v), v = μ (1 − δ)
    return follow(velocity, np.log1p(-start / target), np.asarray(times, np.float64))


@checked
def approach(
    target: Float[Array | np.ndarray, "*run token"],
    start: Float[Array | np.ndarray, "*run token"],
    times: Float[Array | np.ndarray, " time"],
    growth: Growth | None = None,
) -> Float[np.ndarray, "time *run token"]:
    r"""v along the flow v̇ = (μ − v)∘growth(v): see `remaining`.

    >>> approach(np.array([1.0]), np.array([0.0]), np.array([0.0, 100.0])).round(9).ravel().tolist()
    [0.0, 1.0]
    """
    return -np.asarray(target, np.float64) * np.expm1(remaining(target, start, times, growth))


@final
@dataclass(frozen=True)
class ApproachFlow(Theory):
    r"""Weights of a nonlinear unit approach a target, faster the larger they are.

        v̇ = (μ − v)∘growth(v)

    μ: the `target`, where the nonlinearity stops them, the only parameters that `fit` chooses, one for each token, by
    least squares over all members and rows; growth: `ExpGrowth`, exp(v²/2), as in Theorem 4, or `SoftmaxGrowth`, with
    which attention first becomes sparse and then dense again.

    The record holds `values` (member, step, token, unit) of one unit, and the coordinates `step` and `eta` (member).
    Source: [tian2023joma], Theorem 4.

    >>> v = approach(np.array([1.0, 2.0]), np.full(2, 0.1), np.linspace(0, 2, 9))
    >>> record = xr.Dataset(
    ...     {"values": (("member", "step", "token", "unit"), v[None, ..., None])},
    ...     coords={"step": np.arange(9), "eta": ("member", [0.25])},
    ... )
    >>> ApproachFlow().fit(record).target.round(4).tolist()
    [1.0, 2.0]
    """

    growth: Growth = field(default_factory=ExpGrowth)

    def fit(self, record: xr.Dataset) -> "ApproachFlowFit":
        """Find the target of each token."""
        seen = self.read(record)
        if not (seen.finite.sum(1) > 1).any():
            raise ValueError("ApproachFlow.fit needs a member with two finite rows; the record has none.")
        furthest = np.abs(seen.values[..., 0]).max((0, 1))
        sign = np.sign(seen.values[:, -1, :, 0].sum(0)) + 0.0
        least = furthest * (1 + 1e-9)
        guess = np.maximum(1.05 * furthest, 1e-3)

        def misses(beyond: np.ndarray) -> np.ndarray:
            path = self.path(sign * (least + np.exp(beyond)), seen)
            return np.where(seen.finite[..., None], path - seen.values[..., 0], 0).ravel()

        if not sign.all():
            raise ValueError("ApproachFlow.fit needs tokens whose weights have moved; some are where they began.")
        found = least_squares(misses, np.log(guess - least), x_scale=1.0, xtol=1e-8, ftol=1e-10, diff_step=1e-4)
        rms = float(np.sqrt(np.mean(np.square(found.fun))))
        return ApproachFlowFit(self, sign * (least + np.exp(found.x)), rms)

    def read(self, record: xr.Dataset) -> ValuePaths:
        seen = ValuePaths.read(record, "ApproachFlow")
        if seen.values.shape[-1] != 1:
            raise ValueError(f"ApproachFlow is about one unit; the record has {seen.values.shape[-1]}: choose one.")
        return seen

    def path(self, target: np.ndarray, seen: ValuePaths) -> Float[np.ndarray, "member step token"]:
        """Where the flow takes every member from its first row."""
        rows = [approach(target, v[0, :, 0], t, self.growth) for v, t in zip(seen.values, seen.times, strict=True)]
        return np.stack(rows)


@final
@dataclass(frozen=True, eq=False)
class ApproachFlowFit(Fit):
    """An `ApproachFlow` with its target, over (token); `error`: root mean square error on the fitted record.

    >>> fit = ApproachFlowFit(ApproachFlow(), np.array([1.0, 2.0]), 0.0)
    >>> fit.simulate(np.zeros(2), np.array([0.0, 50.0])).round(6).tolist()
    [[0.0, 0.0], [1.0, 2.0]]
    """

    theory: ApproachFlow
    target: Float[np.ndarray, " token"] = field(repr=False)
    error: float

    @checked
    def simulate(
        self, x0: Float[Array | np.ndarray, " token"], times: Float[Array | np.ndarray, " time"]
    ) -> Float[np.ndarray, "time token"]:
        """v at each of `times`, which are steps multiplied by the learning rate."""
        return approach(self.target, x0, times, self.theory.growth)

    def score(self, record: xr.Dataset) -> xr.Dataset:
        """How far the members of `record` are from the flow that starts where they do.

        Over (member, step): `error`, the distance ‖v − v_theory‖ as a share of ‖μ‖, and `error_constant`, that of
        weights that stay.
        """
        seen = self.theory.read(record)
        here, scale = seen.values[..., 0], np.linalg.norm(self.target)
        guesses = self.theory.path(self.target, seen), here[:, :1]
        error, constant = (
            np.where(seen.finite, np.linalg.norm(here - guess, axis=-1) / scale, np.nan) for guess in guesses
        )
        return xr.Dataset(
            {"error": (("member", "step"), error), "error_constant": (("member", "step"), constant)},
            coords=coords_over(record, "member", "step"),
        )
