r"""The effective theory of representation learning, fitted to records (Section 3.2 of [liu2022grokking])."""

from dataclasses import dataclass, field
from typing import final

import jax
import numpy as np
import xarray as xr
from jaxtyping import Array, Bool, Float, Integer
from scipy.optimize import fminbound

from nucleate.checking import checked
from nucleate.observables import gram, grokking_rate, procrustes_error
from nucleate.theories.effective.flow import ExactFlow, Flow, KnownParallelograms, ParallelogramSet
from nucleate.theories.effective.record import Trajectories
from nucleate.theories.protocol import Fit, Theory
from nucleate.theories.reading import coords_over

_GRID_PER_DECADE = 8
_STILL = 1e-12  # a mean error below this is rounding: the member never moved


@final
@dataclass(frozen=True)
class EffectiveLoss(Theory):
    r"""Embeddings slide down the effective loss at a rate that is the same for all networks.

        E(step) = Φ(rate · η_repr · step) E(0)

    Φ: the `flow` down ℓ_eff over the parallelograms `quads`, divided by their number if
    `per_parallelogram`, as in the paper's text but not in its code; η_repr: the learning rate of the
    embeddings. In the theory the `rate` is 1. A network trained with Adam has another rate, and this is the only
    number that `fit` chooses: it minimises the Procrustes error, averaged over the recorded steps and then over
    members. E(0) is a member's first snapshot as recorded, so Z_0 is that of the raw embedding; for
    the paper's Ẽ, fit a record of `normalized` embeddings.

    The record holds `embedding` (member, step, token, dim), `left`, `right`, `label` (pair), the
    coordinates `step` and `eta_repr` (member) and, for `KnownParallelograms`, `in_train` (member, pair).
    A member is ignored from its first snapshot that is not finite. Source: [liu2022grokking], Eqs. 4 to 9.

    >>> from nucleate.observables import equations, parallelograms
    >>> i, j = np.triu_indices(4)
    >>> A = equations(np.stack([i, j], axis=1), parallelograms(i + j), tokens=4)
    >>> x0, steps = np.array([[0.0], [2.0], [1.0], [3.0]]), np.array([0, 10, 20])
    >>> record = xr.Dataset(
    ...     {
    ...         "embedding": (
    ...             ("member", "step", "token", "dim"),
    ...             ExactFlow().trajectory(A.T @ A, x0, 3 * 0.01 * steps)[None],
    ...         ),
    ...         "left": ("pair", i),
    ...         "right": ("pair", j),
    ...         "label": ("pair", i + j),
    ...         "in_train": (("member", "pair"), np.ones((1, 10), bool)),
    ...     },
    ...     coords={"step": steps, "eta_repr": ("member", [0.01])},
    ... )
    >>> round(EffectiveLoss(flow=ExactFlow(), quads=KnownParallelograms()).fit(record).rate, 3)
    3.0
    """

    flow: Flow = field(default_factory=ExactFlow)
    quads: ParallelogramSet = field(default_factory=KnownParallelograms)
    per_parallelogram: bool = False

    def fit(self, record: xr.Dataset) -> "EffectiveLossFit":
        """Find the rate at which the networks of `record` follow the flow."""
        seen = Trajectories.read(record, self.quads.needs)
        seen = seen[(seen.finite.sum(axis=1) > 1) & seen.embedding[:, 0].any(axis=(1, 2))]
        if not len(seen.embedding):
            raise ValueError("EffectiveLoss.fit needs a member with two finite snapshots; the record has none.")
        matrix = self._gram(seen.quads, seen.equations, seen.in_train)
        low, high = _rate_bounds(matrix, seen)

        def error(log_rate: float) -> float:
            path = self.flow.trajectory(matrix, seen.embedding[:, 0], np.exp(log_rate) * seen.times)
            return float(_member_mean(_errors(path, seen.embedding), seen.finite).mean())

        # The error is not convex, and flat where the theory is far too slow or too fast: search the whole range first.
        grid = np.linspace(low, high, 1 + int(np.ceil(_GRID_PER_DECADE * (high - low) / np.log(10))))
        best = int(np.argmin([error(log_rate) for log_rate in grid]))
        near = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
        log_rate, lowest, *_ = fminbound(error, *near, xtol=1e-6, full_output=True)
        return EffectiveLossFit(
            theory=self,
            rate=float(np.exp(log_rate)),
            error=float(lowest),
            identified=0 < best < len(grid) - 1,
            quads=seen.quads,
            equations=seen.equations,
        )

    def _gram(self, quads, rows, in_train) -> Float[np.ndarray, "*set token token"]:
        chosen = self.quads.select(quads, in_train)
        matrix = gram(rows, chosen)
        if self.per_parallelogram:
            return matrix / np.maximum(chosen.sum(axis=-1), 1)[..., None, None]
        return matrix


@final
@dataclass(frozen=True, eq=False)
class EffectiveLossFit(Fit):
    """An `EffectiveLoss` with its rate.

    `rate`: theory time that passes during a training step at learning rate 1; `error`: the mean error on the
    fitted record; `identified`: whether the best rate lies inside the range in which the theory moves at all.
    If it does not, the networks do not follow the flow at any rate: it fits best when frozen, or when finished
    before the first snapshot. `quads` and `equations`: the parallelograms of the record's task.

    >>> from nucleate.theories.effective import AllParallelograms, LinearizedFlow
    >>> A = np.array([[1.0, -2.0, 1.0]])  # 0 + 2 = 1 + 1: one parallelogram of three tokens
    >>> theory = EffectiveLoss(LinearizedFlow(), AllParallelograms())
    >>> fit = EffectiveLossFit(theory, rate=2.0, error=0.0, identified=True, quads=np.array([[2, 3]]), equations=A)
    >>> path = fit.simulate(np.array([[0.0], [3.0], [0.0]]), np.array([0.0, 100.0]))
    >>> (path[..., 0].round(6) + 0).tolist()  # + 0: a rounding error below zero rounds to -0.0
    [[0.0, 3.0, 0.0], [1.0, 1.0, 1.0]]
    """

    theory: EffectiveLoss
    rate: float
    error: float
    identified: bool
    quads: Integer[np.ndarray, "parallelogram 2"] = field(repr=False)
    equations: Float[np.ndarray, "parallelogram token"] = field(repr=False)

    @checked
    def simulate(
        self,
        x0: Float[Array | np.ndarray, "token dim"],
        times: Float[Array | np.ndarray, " time"],
        in_train: Bool[Array | np.ndarray, " pair"] | None = None,
    ) -> Float[np.ndarray, "time token dim"]:
        """The embedding at each of `times`, starting from `x0`.

        `times` are training steps multiplied by the learning rate of the embeddings, counted from `x0`; the
        theory's own time is `rate` times that. `in_train` is the member's training set, which
        `KnownParallelograms` needs.
        """
        x0 = np.asarray(x0, np.float64)
        if not (np.isfinite(x0).all() and x0.any()):
            raise ValueError(
                "EffectiveLossFit.simulate: x0 must be finite and not all 0, because its Z_0 is a divisor."
            )
        matrix = self.theory._gram(self.quads, self.equations, _as_bool(in_train))
        return self.theory.flow.trajectory(matrix, x0, self.rate * np.asarray(times, np.float64))

    def timescale(
        self,
        x0: Float[Array | np.ndarray, "token dim"],
        in_train: Bool[Array | np.ndarray, " pair"] | None = None,
    ) -> float:
        r"""How long the slowest deviation from the line takes to fall by a factor of e: n_h η = 1/(rate · λ_3).

        In training steps multiplied by the learning rate of the embeddings, as in `simulate`. λ_3: see
        `nucleate.observables.grokking_rate`; it is 0, and the result infinite, if the parallelograms do not
        determine a line. Source: [liu2022grokking], below Eq. 9.
        """
        chosen = self.theory.quads.select(self.quads, _as_bool(in_train))
        z0 = np.square(np.asarray(x0, np.float64)).sum()
        slowest = float(grokking_rate(self.equations, chosen, z0, self.theory.per_parallelogram))
        return 1 / (self.rate * slowest) if slowest > 0 else float("inf")

    def score(self, record: xr.Dataset) -> xr.Dataset:
        """How far the members of `record` stray from the theory, compared with a theory in which nothing moves.

        Over (member, step): `error`, the share of the embedding's variance that the theory misses
        (`procrustes_error`), and `error_constant`, the share that a member's first snapshot misses. Over (member):
        `error_mean` and `error_constant_mean`, their means over the finite steps, and `skill` = 1 −
        error_mean/error_constant_mean, which is 1 for a perfect theory, 0 for one that is no better than the
        constant, and NaN for a member that never moved. Score members that the fit has not seen.
        """
        seen = Trajectories.read(record, self.theory.quads.needs)
        start = np.where(seen.embedding[:, :1].any(axis=(2, 3), keepdims=True), seen.embedding[:, :1], 1)
        matrix = self.theory._gram(seen.quads, seen.equations, seen.in_train)
        path = self.theory.flow.trajectory(matrix, start[:, 0], self.rate * seen.times)
        error = np.where(seen.finite, _errors(path, seen.embedding), np.nan)
        constant = np.where(seen.finite, _errors(np.broadcast_to(start, path.shape), seen.embedding), np.nan)
        error_mean, constant_mean = _member_mean(error, seen.finite), _member_mean(constant, seen.finite)
        skill = 1 - error_mean / np.where(constant_mean > _STILL, constant_mean, np.nan)
        return xr.Dataset(
            {
                "error": (("member", "step"), error),
                "error_constant": (("member", "step"), constant),
                "error_mean": ("member", error_mean),
                "error_constant_mean": ("member", constant_mean),
                "skill": ("member", skill),
            },
            coords=coords_over(record, "member", "step"),
            attrs={"rate": self.rate},
        )


def _as_bool(in_train) -> np.ndarray | None:
    return None if in_train is None else np.asarray(in_train, bool)


_procrustes_errors = jax.jit(jax.vmap(jax.vmap(procrustes_error)))


def _errors(
    theory: Float[np.ndarray, "member step token dim"], network: Float[np.ndarray, "member step token dim"]
) -> Float[np.ndarray, "member step"]:
    with jax.enable_x64(True):
        return np.asarray(_procrustes_errors(theory, network))


def _member_mean(
    error: Float[np.ndarray, "member step"], finite: Bool[np.ndarray, "member step"]
) -> Float[np.ndarray, " member"]:
    count = finite.sum(axis=1)
    return np.where(finite, error, 0).sum(axis=1) / np.where(count > 0, count, np.nan)


def _rate_bounds(matrix: Float[np.ndarray, "*set token token"], seen: Trajectories) -> tuple[float, float]:
    """Log rates between which the theory is neither frozen nor finished before the first snapshot."""
    z0 = np.square(seen.embedding[:, 0]).sum(axis=(1, 2))
    decays = 2 * np.linalg.eigvalsh(matrix) / z0[:, None]
    decays = decays[decays > 1e-8 * decays.max(axis=1, keepdims=True)]
    times = seen.times[seen.finite & (seen.times > 0)]
    if not decays.size or not times.size:
        raise ValueError(
            "EffectiveLoss.fit cannot find a rate: no member knows a parallelogram, or no member has eta_repr > 0."
        )
    return np.log(1e-2 / (decays.max() * times.max())), np.log(1e2 / (decays.min() * times.min()))
