"""Potentials fitted to the fleets, once for all claims and figures."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import xarray as xr

from nucleate.claims import Estimate, Evidence, Reason, bootstrap, spearman
from nucleate.papers.repons.readings.runs import Parts, line_parts, plane_parts
from nucleate.theories import NoSymmetry, PairPotential, Parity, Rotation
from nucleate.theories.pairs import CurlTest, PairPotentialFit, Symmetry, aligned_potentials, quadratic_region

_EACH = 5  # snapshots per run that a fit reads on average,
_CONFIGURATIONS, _GENERAL = 6000, 2000  # and at most this many; fewer without symmetry, which costs more
_POINTS = 2001
_CURL_PARTS = 6  # the fewest units that have an interval
_FEWEST_REFITS = 6
_SETS_OF_RUNS = 1  # behind all refits: the runs that they draw from


class Unfitted(Exception):
    """No potential can be fitted: the message says why, `reason` as a verdict says it."""

    def __init__(self, why: str, reason: Reason):
        super().__init__(why)
        self.reason = reason


@dataclass(frozen=True, eq=False)
class Potentials:
    """Refits to runs drawn with replacement from one set, and how well each of them orders runs it has not seen."""

    fits: tuple[PairPotentialFit, ...]
    losses: np.ndarray
    """Representation loss of each fit, on runs that are neither fitted nor tested."""

    @property
    def best_number(self) -> int:
        """Which fit has the lowest representation loss."""
        return int(np.argmin(self.losses))

    @property
    def best(self) -> PairPotentialFit:
        """The fit with the lowest representation loss."""
        return self.fits[self.best_number]

    @cached_property
    def reach(self) -> tuple[float, float]:
        """|r| below which 99 % of the data lie, for pairs that share a label and for the others."""
        ranges = np.array([(fit.data_range.same, fit.data_range.different) for fit in self.fits], float)
        same, different = np.median(ranges, axis=0).tolist()
        return same, different

    def curves(self, kind: int) -> tuple[np.ndarray, np.ndarray]:
        """r within the data's range, and f of each fit, aligned around 0: f_a for `kind` 0, f_r for 1."""
        r = np.linspace(-1, 1, _POINTS) * self.reach[kind]
        values = [fit.potential(r) for fit in self.fits]
        f = np.stack([value.same if kind == 0 else value.different for value in values])
        return r, aligned_potentials(r, f, 0.05 * self.reach[kind])

    def each(self, measure: Callable, kind: int) -> np.ndarray:
        """measure(r, f) of every fit, on a grid within the data's range; NaN where f is flat and has no features."""
        r, curves = self.curves(kind)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = np.array([measure(r, f) for f in curves], float)
        values[np.ptp(curves, axis=1) == 0] = np.nan
        return values

    @cached_property
    def well(self) -> float:
        """Half-width of the region in which the average f_a is quadratic."""
        r, curves = self.curves(0)
        return quadratic_region(r, curves.mean(0)).half_width

    @property
    def caveat(self) -> str:
        """What ranges over the fits are not."""
        return (
            f"Ranges over the {len(self.fits)} fits are not 95 % intervals: all are fitted to runs drawn from one set."
        )


def range_of_refits(values: np.ndarray) -> Estimate:
    """The median over refits, with their range: how much the number depends on which runs of one set were drawn.

    This is not a 95 % interval over independent units: refits share their runs, and the set that these are drawn from
    is the only unit. Fewer than six refits decide nothing, and a feature that some refit lacks is unknown.

    >>> range_of_refits(np.array([1.9, 2.0, 2.1, 2.0, 2.0, 2.2]))
    Estimate(value=2.0, low=1.9, high=2.2, units=1, reason=None)
    """
    if not len(values) or not np.isfinite(values).all():
        return Estimate.unknown()
    median = float(np.median(values))
    if len(values) < _FEWEST_REFITS:
        return Estimate.open(median, Reason.TOO_FEW, _SETS_OF_RUNS)
    return Estimate(median, float(values.min()), float(values.max()), _SETS_OF_RUNS)


def rank_correlation_of_refits(x: np.ndarray, y: np.ndarray) -> Estimate:
    """Rank correlation over refits; its interval resamples them as if they were independent, which they are not."""
    return replace(bootstrap(spearman, x, y), units=_SETS_OF_RUNS)


def line_potentials(evidence: Evidence) -> Potentials:
    """Parity-symmetric potentials of the networks in d = 1."""
    return _potentials(Parity(), line_parts(evidence), evidence.effort.fits)


def parity_potentials(evidence: Evidence) -> Potentials:
    """Parity-symmetric potentials of the networks in d = 2."""
    return _potentials(Parity(), plane_parts(evidence), evidence.effort.fits)


def rotation_potentials(evidence: Evidence) -> Potentials:
    """Rotationally symmetric potentials of the networks in d = 2."""
    return _potentials(Rotation(), plane_parts(evidence), evidence.effort.fits)


def general_fit(evidence: Evidence) -> PairPotentialFit:
    """A potential of the networks in d = 1 that may be any function of four embeddings."""
    parts = _fittable(line_parts(evidence))
    return _theory(NoSymmetry(), parts, _GENERAL).fit(parts.fitted)


def line_curls(evidence: Evidence) -> list[CurlTest]:
    """Whether a force without a potential explains more, in disjoint parts of the fitted runs."""
    parts = _fittable(line_parts(evidence))
    theory = _theory(Parity(), parts)
    count = min(_CURL_PARTS, parts.fitted.sizes["member"])
    fits = [theory.fit(parts.fitted.isel(member=slice(part, None, count))) for part in range(count)]
    return [fit.curl for fit in fits if fit.curl is not None]


def _potentials(symmetry: Symmetry, parts: Parts, fits: int) -> Potentials:
    """Potentials by bootstrap over runs, all as smooth as runs that are not fitted allow."""
    theory = _theory(symmetry, _fittable(parts)).smoothed(parts.fitted, parts.chosen)
    refits = tuple(theory.fit(_resampled(parts.fitted, seed)) for seed in range(fits))
    return Potentials(refits, np.array([_representation_loss(fit, parts.chosen) for fit in refits]))


def _fittable(parts: Parts) -> Parts:
    if not all(part.sizes["member"] for part in (parts.fitted, parts.chosen, parts.tested)):
        raise Unfitted("Too few networks are left to fit potentials, choose one and test it.", Reason.TOO_FEW)
    if not np.ptp(parts.fitted.embedding.values, axis=2).any() or not np.any(parts.fitted.gradient.values):
        raise Unfitted("No token differs from another, or none moves: there is no force to fit.", Reason.UNDEFINED)
    return parts


def _theory(symmetry: Symmetry, parts: Parts, most: int = _CONFIGURATIONS) -> PairPotential:
    return PairPotential(symmetry, configurations=min(_EACH * parts.fitted.sizes["member"], most))


def _resampled(record: xr.Dataset, seed: int) -> xr.Dataset:
    """As many runs, drawn with replacement; `draw` tells copies of one run apart."""
    count = record.sizes["member"]
    drawn = np.random.default_rng(seed).integers(0, count, count)
    return record.isel(member=drawn).assign_coords(draw=("member", np.arange(count)))


def _representation_loss(fit: PairPotentialFit, record: xr.Dataset) -> float:
    """The mean over runs whose flow stayed finite; infinite if none did."""
    losses = fit.score(record).representation_loss.values
    return float(losses[np.isfinite(losses)].mean()) if np.isfinite(losses).any() else float("inf")
