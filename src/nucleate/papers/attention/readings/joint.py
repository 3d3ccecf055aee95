"""JoMA's trained networks: how well their logits follow their weights, and units on clusters against Theorem 3."""

from dataclasses import dataclass

import jax
import numpy as np

from nucleate.claims import Evidence
from nucleate.observables import centred_cosine
from nucleate.papers.attention.experiments.joint import JOINT, JOINT_MAP, JOINT_UNITS, JointFleet
from nucleate.record import stayed_finite
from nucleate.theories import ClusterFlow, JointInvariant, SoftmaxLaw
from nucleate.theories.joint import ClusterFlowFit, Clusters, ReLUGain, UnitState, cluster_velocity

MOVED = 10
"""Logits have moved once they vary ten times as much as at the start, when the constant c is all there is of them."""


@dataclass(frozen=True)
class Estimates:
    """Centred cosines of logits with estimates, [member, step].

    `cosine`: with ẑ; `first`, `second`: with each of its two terms alone; `slide`: with the slide's bracket; `other`:
    with the ẑ of the next network of the fleet, which has other data; `moved`: whether logits have moved (`MOVED`).
    `slope`: that of z on ẑ, both centred, which a cosine ignores. `logits`, `estimate` [member, token]: at the end.
    """

    step: np.ndarray
    cosine: np.ndarray
    first: np.ndarray
    second: np.ndarray
    slide: np.ndarray
    other: np.ndarray
    moved: np.ndarray
    slope: np.ndarray
    logits: np.ndarray
    estimate: np.ndarray

    def since_moved(self, cosine: np.ndarray) -> np.ndarray:
        """The mean over the rows since logits have moved, of each member; NaN if they never did."""
        count = self.moved.sum(1)
        return np.where(self.moved, cosine, 0).sum(1) / np.where(count > 0, count, np.nan)


def estimates(evidence: Evidence) -> Estimates:
    """The verification of Theorem 1 for softmax attention."""
    record, config = stayed_finite(evidence.record(JOINT)), JointFleet.from_json(evidence.about(JOINT).config)
    laws = [SoftmaxLaw(config.temperature), SoftmaxLaw(config.temperature, bracket_of_the_slide=True)]
    guess, slide = (JointInvariant(law).fit(record).estimate(record) for law in laws)
    logits = record.logits.values[:, :, 0].astype(float)
    squares = np.square(record["values"].values.astype(float)).sum(-1)
    mean = record.mean_attention.values[:, :1, 0].astype(float)
    first, second = squares, -squares.sum(-1, keepdims=True) * mean
    cosines = [_cosines(logits, part) for part in (guess, first, second, slide, np.roll(guess, 1, axis=0))]
    spread = logits.std(-1)
    moved = np.logical_and.accumulate((spread > MOVED * spread[:, :1])[:, ::-1], axis=1)[:, ::-1]
    ends = logits[:, -1], guess[:, -1]
    return Estimates(record.step.values, *cosines, moved, _slope(logits, guess), *ends)  # type: ignore[call-arg]


def _cosines(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    with jax.enable_x64(True):
        return np.asarray(_mapped(left, right))


def _slope(logits: np.ndarray, guess: np.ndarray) -> np.ndarray:
    """The factor by which the centred estimate is to be multiplied."""
    z, x = (values - values.mean(-1, keepdims=True) for values in (logits, guess))
    return (z * x).sum(-1) / np.square(x).sum(-1)


_mapped = jax.jit(jax.vmap(jax.vmap(centred_cosine)))


@dataclass(frozen=True)
class EstimateMap:
    """Medians over networks at the end, [init, eta]: the cosine of logits with their estimate, the slope of the logits
    on it, and how far they have spread."""

    eta: np.ndarray
    init: np.ndarray
    cosine: np.ndarray
    slope: np.ndarray
    spread: np.ndarray


def estimate_map(evidence: Evidence) -> EstimateMap:
    """Where the estimate stops holding."""
    record = evidence.record(JOINT_MAP)
    config = JointFleet.from_json(evidence.about(JOINT_MAP).config)
    ends = record.isel(step=[0, -1])
    good = np.flatnonzero(np.isfinite(ends["values"].values).all((1, 2, 3)))
    cosine, slope, spread = np.full((3, record.sizes["member"]), np.nan)
    kept = ends.isel(member=good)
    fit = JointInvariant(SoftmaxLaw(config.temperature)).fit(kept)
    logits = kept.logits.values[:, -1, 0].astype(float)
    cosine[good], spread[good] = fit.score(kept).cosine.values[:, -1], logits.std(-1)
    slope[good] = _slope(logits, fit.estimate(kept)[:, -1])
    eta, init = (np.unique(record[name].values) for name in ("eta", "init"))
    cells = np.stack([np.searchsorted(init, record.init.values), np.searchsorted(eta, record.eta.values)])
    middle = lambda values: np.array(
        [[np.median(values[(cells == [[i], [j]]).all(0)]) for j in range(len(eta))] for i in range(len(init))]
    )
    return EstimateMap(eta, init, middle(cosine), middle(slope), middle(spread))


@dataclass(frozen=True)
class Followed:
    """Units on clusters against Theorem 3, and against its simplification κ(μ − v).

    `error`, `constant` [member]: mean distance from the flow, and from staying, as shares of the way; `rate`: the
    fitted rate, 1 in theory. Of the simplification, fitted to the velocities along each path: `pull` κ, of each unit;
    `r2`, the share of the velocity's variation it explains; `cosine`, of μ with the nearest centre. At the end:
    `slowed`, the speed as a share of the highest; `active`, the mean share of a cluster for which the unit is on.
    `path`, `theory` [member, step, dim].
    """

    rate: float
    error: np.ndarray
    constant: np.ndarray
    pull: np.ndarray
    r2: np.ndarray
    cosine: np.ndarray
    slowed: np.ndarray
    active: np.ndarray
    step: np.ndarray
    path: np.ndarray
    theory: np.ndarray


def followed(evidence: Evidence) -> Followed:
    """Theorem 3 against trained ReLU units."""
    record = stayed_finite(evidence.record(JOINT_UNITS))
    theory = ClusterFlowFit(ClusterFlow(), 1.0, 0.0)
    score = theory.score(record)
    clusters = Clusters(*(record[name].values.astype(float) for name in ("centre", "strength", "spread")))
    v, offset = record["values"].values.astype(float), record.offset.values.astype(float)
    rows = [cluster_velocity(ReLUGain(), clusters, UnitState(v[:, i], offset[:, i])).values for i in range(v.shape[1])]
    velocity = np.stack(rows, axis=1)
    speed = np.linalg.norm(velocity, axis=-1)
    return Followed(
        ClusterFlow().fit(record).rate,
        score.error_mean.values,
        score.error_constant_mean.values,
        *_simplified(v, velocity, clusters.centre),
        speed[:, -1] / speed.max(1),
        _active(clusters, UnitState(v[:, -1], offset[:, -1])),
        record.step.values,
        v,
        theory.predicted(record),
    )


def _active(clusters: Clusters, state: UnitState) -> np.ndarray:
    size = np.linalg.norm(state.values, axis=-1, keepdims=True)
    mean = np.einsum("mcd,md->mc", clusters.centre, state.values) + np.asarray(state.offset)[:, None]
    on, _ = ReLUGain()(mean, np.broadcast_to(np.asarray(clusters.spread)[:, None] * size, mean.shape))
    return on.mean(1)


def _simplified(v: np.ndarray, velocity: np.ndarray, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """κ of the best κ(μ − v) along each path, what it explains, and the cosine of μ with the nearest centre."""
    apart, change = v - v.mean(1, keepdims=True), velocity - velocity.mean(1, keepdims=True)
    pull = -(apart * change).sum((1, 2)) / np.square(apart).sum((1, 2))
    left = np.square(change + pull[:, None, None] * apart).sum((1, 2))
    target = v.mean(1) + velocity.mean(1) / pull[:, None]
    aligned = np.einsum("mcd,md->mc", centre, target) / np.linalg.norm(centre, axis=-1)
    cosine = (aligned / np.linalg.norm(target, axis=-1, keepdims=True)).max(1)
    return pull, 1 - left / np.square(change).sum((1, 2)), cosine
