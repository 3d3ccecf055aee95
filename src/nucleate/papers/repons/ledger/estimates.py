"""Estimates that several claims make: of shares, losses and shapes, and none where nothing can be fitted."""

import functools
import math
from collections.abc import Callable

import numpy as np
import xarray as xr

from nucleate.claims import Check, Estimate, Evidence, Findings, bootstrap, ratio, share
from nucleate.papers.repons.readings import Flows, Unfitted

LOSSES = ("trajectory", "representation")
TRIVIAL = {"trajectory": "trajectory_loss_constant", "representation": "representation_loss_initial"}
"""The score of a trivial prediction for each loss."""

_BOUNDS = (0.0, 1.0)  # of either loss
_TRIVIALLY = {"trajectory": "if nothing moves", "representation": "for the initial order"}

Measure = Callable[[Evidence], Findings]


def where_fitted(*checks: Check) -> Callable[[Measure], Measure]:
    """Decorate a measurement of `checks` that looks at fits: nothing is known where none can be made."""

    def decorate(measure: Measure) -> Measure:
        @functools.wraps(measure)
        def measured(evidence: Evidence) -> Findings:
            try:
                return measure(evidence)
            except Unfitted as why:
                return Findings.none(checks, str(why), why.reason)

        return measured

    return decorate


def share_of(hits: np.ndarray) -> Estimate:
    """The share of those that are true."""
    return share(int(hits.sum()), len(hits))


def share_of_flows(hits: np.ndarray, flows: Flows) -> Estimate:
    """The share of flows that end so, if those that have not come to rest may yet do anything."""
    return share_of(hits).or_later(share_of(hits & flows.settled), share_of(hits | ~flows.settled))


def at_rest(flows: Flows) -> str:
    """How many flows have come to rest, and how many ran away, in words."""
    lost = int((~np.isfinite(flows.ends).all(axis=(1, 2))).sum())
    return f"{int(flows.settled.sum())} of {len(flows.settled)} flows have come to rest, {lost} ran away"


def typical(values: np.ndarray) -> Estimate:
    """The median over potentials that have the feature; each potential is a unit."""
    return bootstrap(np.median, _known(values))


def or_never(place: float) -> float:
    """Where a feature is; infinitely far away if there is none.

    >>> or_never(2.0), or_never(math.nan)
    (2.0, inf)
    """
    return math.inf if math.isnan(place) else place


def loss_of(scores: xr.Dataset, loss: str) -> np.ndarray:
    """A loss of each run."""
    return scores[f"{loss}_loss"].values


def mean(scores: xr.Dataset, loss: str) -> Estimate:
    """The mean of a loss over runs whose flow stayed finite."""
    return bootstrap(np.mean, _known(loss_of(scores, loss)), bounds=_BOUNDS)


def difference(one: np.ndarray, other: np.ndarray) -> Estimate:
    """Mean difference between two losses of the same runs."""
    known = np.isfinite(one) & np.isfinite(other)
    return bootstrap(lambda a, b: float(np.mean(a - b)), one[known], other[known], bounds=_BOUNDS)


def ratio_of_means(one: np.ndarray, other: np.ndarray) -> Estimate:
    """Mean of a loss over the mean of another one, of the same runs."""
    known = np.isfinite(one) & np.isfinite(other)
    return bootstrap(lambda a, b: ratio(np.mean(a), np.mean(b)), one[known], other[known], bounds=_BOUNDS)


def difference_of_means(one: np.ndarray, other: np.ndarray) -> Estimate:
    """The difference of two mean losses, over different runs."""
    apart = lambda a, b: float(np.mean(a) - np.mean(b))
    return bootstrap(apart, _known(one), _known(other), apart=True, bounds=_BOUNDS)


def in_words(scores: xr.Dataset) -> str:
    """The mean losses of the flow beside those of trivial predictions, and how many flows ran away."""
    if not np.isfinite(scores.trajectory_loss.values).any():
        return "no flow stayed finite"
    lost = int(np.isnan(scores.trajectory_loss).sum())
    return "; ".join(
        f"{loss} loss {_known(loss_of(scores, loss)).mean():.3f} "
        f"({_known(scores[trivial].values).mean():.3f} {_TRIVIALLY[loss]})"
        for loss, trivial in TRIVIAL.items()
    ) + (f"; {lost} flows ran away and are left out" if lost else "")


def _known(values: np.ndarray) -> np.ndarray:
    return values[np.isfinite(values)]
