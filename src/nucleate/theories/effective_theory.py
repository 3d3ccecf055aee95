r"""The effective theory of representation learning, fitted to records (Section 3.2 of [liu2022grokking])."""

from dataclasses import dataclass, field
from typing import final

import jax
import numpy as np
import xarray as xr
from jaxtyping import Array, Bool, Float, Integer
from scipy.optimize import fminbound

from nucleate.observables import equations, gram, grokking_rate, parallelograms, procrustes_error
from nucleate.theories.effective_flow import ExactFlow, Flow, KnownParallelograms, ParallelogramSet
from nucleate.theories.protocol import Fit, Theory

_NEEDED = {
    "embedding": "(member, step, token, dim), the token embeddings; a probe of the fleet records them",
    "step": "(step), the training step of each snapshot; any record of a fleet carries it as a coordinate",
    "eta_repr": "(member), the learning rate of the embeddings; a hyperparameter coordinate of the fleet",
    "left": "(pair), the first token of each pair; the task of the fleet provides it",
    "right": "(pair), the second token of each pair; the task of the fleet provides it",
    "label": "(pair), the answer to each pair; the task of the fleet provides it",
}

_GRID_PER_DECADE = 8
_STILL = 1e-12  # a mean error below this is rounding: the member never moved


@dataclass(frozen=True, eq=False)
class _Trajectories:
    """What a record says of its members, cut to what is finite: the rest is zero and masked out."""

    embedding: Float[np.ndarray, "member step token dim"]
    finite: Bool[np.ndarray, "member step"]
    times: Float[np.ndarray, "member step"]
    in_train: Bool[np.ndarray, "member pair"] | None

    @classmethod
    def read(cls, record: xr.Dataset) -> "_Trajectories":
        embedding = record["embedding"].transpose("member", "step", "token", "dim").to_numpy().astype(np.float64)
        finite = np.logical_and.accumulate(np.isfinite(embedding).all(axis=(2, 3)), axis=1)
        step = record["step"].to_numpy().astype(np.float64)
        eta = np.broadcast_to(record["eta_repr"].to_numpy().astype(np.float64), len(embedding))
        in_train = None
        if "in_train" in record:
            in_train = record["in_train"].transpose("member", "pair").to_numpy().astype(bool)
        return cls(
            embedding=np.where(finite[..., None, None], embedding, 0),
            finite=finite,
            times=(step - step[0]) * eta[:, None],
            in_train=in_train,
        )

    def __getitem__(self, members) -> "_Trajectories":
        in_train = None if self.in_train is None else self.in_train[members]
        return _Trajectories(self.embedding[members], self.finite[members], self.times[members], in_train)


@final
@dataclass(frozen=True)
class EffectiveLoss(Theory):
    r"""Embeddings slide down the effective loss, at a rate that is the same for all networks.

        E(step) = Φ(rate · η_repr · step) E(0)

    Φ: the `flow` down ℓ_eff over the parallelograms `quads`, divided by their number if
    `per_parallelogram`, as in the paper's text but not its code; η_repr: the learning rate of the
    embeddings. By the theory the `rate` is 1; a network trained with Adam has another, and it is the one
    number that `fit` chooses, to minimise the Procrustes error averaged over the recorded steps, then over
    members. E(0) is a member's first snapshot, as recorded, so that Z_0 is that of the raw embedding; for
    the paper's Ẽ, fit a record of `normalized` embeddings.

    The record holds `embedding` (member, step, token, dim), `left`, `right`, `label` (pair), the
    coordinates `step` and `eta_repr` (member) and, for `KnownParallelograms`, `in_train` (member, pair).
    From a snapshot that is not finite on, a member is ignored. Source: [liu2022grokking], Eqs. 4 to 9.

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
        _check(record)
        quads, rows = _task(record)
        seen = _Trajectories.read(record)
        seen = seen[(seen.finite.sum(axis=1) > 1) & seen.embedding[:, 0].any(axis=(1, 2))]
        if not len(seen.embedding):
            raise ValueError("EffectiveLoss.fit needs a member with two finite snapshots; the record has none.")
        matrix = self._gram(quads, rows, seen.in_train)
        low, high = _rate_bounds(matrix, seen)

        def error(log_rate: float) -> float:
            path = self.flow.trajectory(matrix, seen.embedding[:, 0], np.exp(log_rate) * seen.times)
            return float(_member_mean(_errors(path, seen.embedding), seen.finite).mean())

        # The error is not convex, and flat where the theory is far too slow or fast: look everywhere first.
        grid = np.linspace(low, high, 1 + int(np.ceil(_GRID_PER_DECADE * (high - low) / np.log(10))))
        best = int(np.argmin([error(log_rate) for log_rate in grid]))
        near = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
        log_rate, lowest, *_ = fminbound(error, *near, xtol=1e-6, full_output=True)
        return EffectiveLossFit(
            theory=self,
            rate=float(np.exp(log_rate)),
            error=float(lowest),
            identified=0 < best < len(grid) - 1,
            quads=quads,
            equations=rows,
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

    `rate`: theory time that passes in a training step of learning rate 1; `error`: the mean error on the
    record that was fitted; `identified`: whether the best rate lies inside the range in which the theory
    moves at all. If not, the networks follow the flow at no rate: it does best frozen, or finished before
    the first snapshot. `quads` and `equations`: the parallelograms of the record's task.

    >>> EffectiveLossFit.__mro__[1] is Fit
    True
    """

    theory: EffectiveLoss
    rate: float
    error: float
    identified: bool
    quads: Integer[np.ndarray, "parallelogram 2"] = field(repr=False)
    equations: Float[np.ndarray, "parallelogram token"] = field(repr=False)

    def simulate(
        self,
        x0: Float[Array | np.ndarray, "token dim"],
        times: Float[Array | np.ndarray, " time"],
        in_train: Bool[Array | np.ndarray, " pair"] | None = None,
    ) -> Float[np.ndarray, "time token dim"]:
        """The embedding from `x0` on, at each of `times`.

        `times` are training steps multiplied by the learning rate of the embeddings, counted from `x0`; the
        theory's own time is `rate` times that. `in_train` is the member's training set, which
        `KnownParallelograms` asks for.
        """
        x0 = np.asarray(x0, np.float64)
        if not (np.isfinite(x0).all() and x0.any()):
            raise ValueError("EffectiveLossFit.simulate: x0 must be finite and not all 0, for Z_0 divides.")
        matrix = self.theory._gram(self.quads, self.equations, _as_bool(in_train))
        return self.theory.flow.trajectory(matrix, x0, self.rate * np.asarray(times, np.float64))

    def timescale(
        self,
        x0: Float[Array | np.ndarray, "token dim"],
        in_train: Bool[Array | np.ndarray, " pair"] | None = None,
    ) -> float:
        r"""How long the slowest departure from the line takes to fall by e: n_h η = 1/(rate · λ_3).

        In training steps multiplied by the learning rate of the embeddings, as in `simulate`. λ_3: see
        `nucleate.observables.grokking_rate`; it is 0, and the answer infinite, if the parallelograms do not
        determine a line. Source: [liu2022grokking], below Eq. 9.
        """
        chosen = self.theory.quads.select(self.quads, _as_bool(in_train))
        z0 = np.square(np.asarray(x0, np.float64)).sum()
        slowest = float(grokking_rate(self.equations, chosen, z0, self.theory.per_parallelogram))
        return 1 / (self.rate * slowest) if slowest > 0 else float("inf")

    def score(self, record: xr.Dataset) -> xr.Dataset:
        """How far the members of `record` stray from the theory, beside a theory in which nothing moves.

        Over (member, step): `error`, the share of the embedding's variance that the theory misses
        (`procrustes_error`), and `error_constant`, what a member's first snapshot misses. Over (member):
        `error_mean` and `error_constant_mean`, their means over the finite steps, and `skill` = 1 −
        error_mean/error_constant_mean, which is 1 for a perfect theory, 0 for one no better than the
        constant, and NaN if the member never moved. Score members that the fit has not seen.
        """
        _check(record)
        quads, rows = _task(record)
        seen = _Trajectories.read(record)
        start = np.where(seen.embedding[:, :1].any(axis=(2, 3), keepdims=True), seen.embedding[:, :1], 1)
        matrix = self.theory._gram(quads, rows, seen.in_train)
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
            coords={k: v for k, v in record.coords.items() if set(v.dims) <= {"member", "step"}},
            attrs={"rate": self.rate},
        )


def _check(record: xr.Dataset) -> None:
    for name, meaning in _NEEDED.items():
        # A dimension without a coordinate still answers record["step"], with 0, 1, 2, …: not the steps.
        if name not in (record.coords if name == "step" else record):
            raise ValueError(f"EffectiveLoss needs the variable '{name}' {meaning}.")


def _task(record: xr.Dataset):
    """The parallelograms of the record's task, and the equations they stand for."""
    quads = parallelograms(record["label"].to_numpy())
    pairs = np.stack([record["left"].to_numpy(), record["right"].to_numpy()], axis=-1)
    return quads, equations(pairs, quads, record.sizes["token"])


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


def _rate_bounds(matrix: Float[np.ndarray, "*set token token"], seen: _Trajectories) -> tuple[float, float]:
    """Log rates between which the theory is neither frozen nor over before the first snapshot."""
    z0 = np.square(seen.embedding[:, 0]).sum(axis=(1, 2))
    decays = 2 * np.linalg.eigvalsh(matrix) / z0[:, None]
    decays = decays[decays > 1e-8 * decays.max(axis=1, keepdims=True)]
    times = seen.times[seen.finite & (seen.times > 0)]
    if not decays.size or not times.size:
        raise ValueError(
            "EffectiveLoss.fit cannot find a rate: no member knows a parallelogram, or none has eta_repr > 0."
        )
    return np.log(1e-2 / (decays.max() * times.max())), np.log(1e2 / (decays.min() * times.min()))
