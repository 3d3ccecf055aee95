r"""Theorem 3 as a theory: units trained on clusters, against the flow that the theorem gives."""

from dataclasses import dataclass, field
from typing import final

import numpy as np
import xarray as xr
from jaxtyping import Float
from scipy.optimize import fminbound

from nucleate.checking import checked
from nucleate.record import Need, require
from nucleate.theories.joint.clusters import Clusters, ReLUGain, UnitGain, UnitState, cluster_velocity
from nucleate.theories.joint.record import ETA
from nucleate.theories.joint.steps import follow
from nucleate.theories.protocol import Fit, Theory
from nucleate.theories.reading import STEP, coords_over, finite_rows, scaled_times

_NEEDS = (
    Need("values", ("member", "step", "dim"), "the weights of a unit; a probe of the fleet records them"),
    Need("offset", ("member", "step"), "what is added to v·x; a probe of the fleet records it"),
    Need("centre", ("member", "cluster", "dim"), "the centres of the clusters; the fleet's task provides them"),
    Need("strength", ("member", "cluster"), "a_c = E[g|c] P(c); the fleet's task provides it"),
    Need("spread", ("member",), "the standard deviation of clusters; the fleet's task provides it", broadcasts=True),
)


def _followed(gain: UnitGain, clusters: Clusters, start: UnitState, times: np.ndarray) -> UnitState:
    """A unit, or one for each member, at each of `times`, which come first."""

    def velocity(both: np.ndarray) -> np.ndarray:
        moving = cluster_velocity(gain, clusters, UnitState(both[..., :-1], both[..., -1]))
        return np.concatenate([moving.values, np.asarray(moving.offset)[..., None]], axis=-1)

    both = np.concatenate([start.values, np.asarray(start.offset)[..., None]], axis=-1).astype(np.float64)
    path = follow(velocity, both, times)
    return UnitState(path[..., :-1], path[..., -1])


@dataclass(frozen=True, eq=False)
class _Units:
    """Units of all members over time, and their clusters; rows that are not finite are 0 and masked."""

    state: UnitState
    clusters: Clusters
    times: np.ndarray
    finite: np.ndarray

    @classmethod
    def read(cls, record: xr.Dataset) -> "_Units":
        require(record, "ClusterFlow", (*_NEEDS, STEP, ETA))
        (values,), held = finite_rows(record, ("values",), ("member", "step", "dim"))
        (offset,), finite = finite_rows(record, ("offset",), ("member", "step"))
        spread = np.broadcast_to(record["spread"].to_numpy().astype(np.float64), len(values))
        clusters = Clusters(
            record["centre"].transpose("member", "cluster", "dim").to_numpy().astype(np.float64),
            record["strength"].transpose("member", "cluster").to_numpy().astype(np.float64),
            spread.copy(),
        )
        seen = cls(UnitState(values, offset), clusters, scaled_times(record, "eta"), finite & held)
        if not (seen.finite[:, 0].all() and values[:, 0].any(1).all()):
            raise ValueError("ClusterFlow needs weights that are finite and not 0 in the first row of every member.")
        return seen


@final
@dataclass(frozen=True)
class ClusterFlow(Theory):
    r"""A nonlinear unit on isotropic clusters follows the flow of Theorem 3.

        v(step) = Φ(rate · η · step) v(0)

    Φ: the flow of `cluster_velocity` for the unit's `gain`; η: the learning rate. In the theory the `rate` is 1, which
    is the only number that `fit` chooses: it minimises the distance, averaged over rows and members.

    The record holds `values` (member, step, dim), `offset` (member, step), `centre` (member, cluster, dim), `strength`
    (member, cluster), `spread` (member), and the coordinates `step` and `eta` (member). All members must have the same
    learning rate and steps, so that they are followed together. Source: [tian2023joma], Theorem 3.

    >>> theory = ClusterFlow()
    >>> one = Clusters(np.array([[1.0, 0.0]]), np.array([1.0]), np.array(0.5))
    >>> path = ClusterFlowFit(theory, 2.0, 0.0).simulate(UnitState(np.ones(2), np.array(0.0)), np.arange(4.0), one)
    >>> record = xr.Dataset(
    ...     {
    ...         "values": (("member", "step", "dim"), path.values[None]),
    ...         "offset": (("member", "step"), path.offset[None]),
    ...         "centre": (("member", "cluster", "dim"), one.centre[None]),
    ...         "strength": (("member", "cluster"), one.strength[None]),
    ...         "spread": ("member", [0.5]),
    ...     },
    ...     coords={"step": np.arange(4), "eta": ("member", [1.0])},
    ... )
    >>> round(theory.fit(record).rate, 3)
    2.0
    """

    gain: UnitGain = field(default_factory=ReLUGain)

    def fit(self, record: xr.Dataset) -> "ClusterFlowFit":
        """Find the rate at which the units of `record` follow the flow."""
        seen = _Units.read(record)

        def error(log_rate: float) -> float:
            return float(np.nanmean(_misses(self._path(np.exp(log_rate), seen), seen)))

        log_rate, lowest, *_ = fminbound(error, np.log(0.1), np.log(10), xtol=1e-5, full_output=True)
        return ClusterFlowFit(self, float(np.exp(log_rate)), float(lowest))

    def _path(self, rate: float, seen: _Units) -> UnitState:
        """Where the flow takes every member from its first row: leaves [member, step, …]."""
        if np.ptp(seen.times, axis=0).max() > 1e-9 * seen.times.max():
            raise ValueError("ClusterFlow follows members of one learning rate together; this record has several.")
        start = UnitState(seen.state.values[:, 0], np.asarray(seen.state.offset)[:, 0])
        path = _followed(self.gain, seen.clusters, start, rate * seen.times[0])
        return UnitState(np.moveaxis(path.values, 0, 1), path.offset.T)


@final
@dataclass(frozen=True, eq=False)
class ClusterFlowFit(Fit):
    """A `ClusterFlow` with its `rate`; `error`: the mean error on the fitted record, see `score`.

    >>> one = Clusters(np.array([[1.0, 0.0]]), np.array([1.0]), np.array(0.5))
    >>> fit = ClusterFlowFit(ClusterFlow(), 1.0, 0.0)
    >>> fit.simulate(UnitState(np.ones(2), np.array(0.0)), np.arange(2.0), one).values.shape
    (2, 2)
    """

    theory: ClusterFlow
    rate: float
    error: float

    @checked
    def simulate(self, x0: UnitState, times: Float[np.ndarray, " time"], clusters: Clusters) -> UnitState:
        """The unit at each of `times`, which are steps multiplied by the learning rate; leaves [time, …]."""
        return _followed(self.theory.gain, clusters, x0, self.rate * np.asarray(times, np.float64))

    def predicted(self, record: xr.Dataset) -> Float[np.ndarray, "member step dim"]:
        """Where the flow takes the weights of every unit of `record` from its first row."""
        return self.theory._path(self.rate, _Units.read(record)).values

    def score(self, record: xr.Dataset) -> xr.Dataset:
        """How far the units of `record` are from the flow that starts where they do.

        Over (member, step): `error`, ‖v − v_theory‖ as a share of the furthest that v came from its start; and
        `error_constant`, that of weights that stay. Over (member): `error_mean` and `error_constant_mean`.
        """
        seen = _Units.read(record)
        error = _misses(self.theory._path(self.rate, seen), seen)
        constant = _misses(UnitState(seen.state.values[:, :1], np.asarray(seen.state.offset)[:, :1]), seen)
        return xr.Dataset(
            {
                "error": (("member", "step"), error),
                "error_constant": (("member", "step"), constant),
                "error_mean": ("member", np.nanmean(error, axis=1)),
                "error_constant_mean": ("member", np.nanmean(constant, axis=1)),
            },
            coords=coords_over(record, "member", "step"),
            attrs={"rate": self.rate},
        )


def _misses(path: UnitState, seen: _Units) -> Float[np.ndarray, "member step"]:
    away = np.linalg.norm(np.where(seen.finite[..., None], seen.state.values - seen.state.values[:, :1], 0), axis=-1)
    furthest = away.max(1, keepdims=True)
    miss = np.linalg.norm(path.values - seen.state.values, axis=-1) / np.where(furthest > 0, furthest, np.nan)
    return np.where(seen.finite, miss, np.nan)
