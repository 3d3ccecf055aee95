"""Potentials fitted to the fleets, once for all claims and figures."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import xarray as xr

from nucleate.claims import Evidence, Reason
from nucleate.papers.repons.readings.runs import Parts, disjoint, line_parts, plane_parts
from nucleate.theories import NoSymmetry, PairPotential, Parity, Rotation
from nucleate.theories.pairs import CurlTest, PairPotentialFit, Symmetry, aligned_potentials, quadratic_region

_EACH = 15  # snapshots per run that a fit reads on average,
_CONFIGURATIONS, _GENERAL = 6000, 1000  # and at most this many; fewer without symmetry, which costs more
_POINTS = 2001


class Unfitted(Exception):
    """No potential can be fitted: the message says why, `reason` as a verdict says it."""

    def __init__(self, why: str, reason: Reason):
        super().__init__(why)
        self.reason = reason


@dataclass(frozen=True, eq=False)
class Potentials:
    """Fits to sets of runs that share none, and how well each of them orders runs it has not seen.

    So fits are independent units, but for their ridge, which is chosen once.
    """

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
    def curls(self) -> list[CurlTest]:
        """Whether a force without a potential explains more, in the runs of each fit."""
        return [fit.curl for fit in self.fits if fit.curl is not None]

    @property
    def units(self) -> str:
        """What each fit is fitted to, in words."""
        runs = [len(next(iter(fit.runs.values()))) for fit in self.fits]
        return f"{len(runs)} potentials, fitted to disjoint sets of {min(runs)} runs or more"


def line_potentials(evidence: Evidence) -> Potentials:
    """Parity-symmetric potentials of the networks in d = 1."""
    return _potentials(Parity(), line_parts(evidence), evidence.effort.fits)


def parity_potentials(evidence: Evidence) -> Potentials:
    """Parity-symmetric potentials of the networks in d = 2."""
    return _potentials(Parity(), plane_parts(evidence), evidence.effort.fits)


def rotation_potentials(evidence: Evidence) -> Potentials:
    """Rotationally symmetric potentials of the networks in d = 2."""
    return _potentials(Rotation(), plane_parts(evidence), evidence.effort.fits)


def general_fits(evidence: Evidence) -> tuple[PairPotentialFit, ...]:
    """Potentials of the networks in d = 1 that may be any function of four embeddings.

    Each is fitted to the same runs as the symmetric potential of the same number.
    """
    if not evidence.effort.general:
        raise Unfitted("This budget fits no potential without symmetry.", Reason.LEFT_OUT)
    sets = disjoint(_fittable(line_parts(evidence)).fitted, evidence.effort.fits)[: evidence.effort.general]
    return tuple(_theory(NoSymmetry(), runs, _GENERAL).fit(runs) for runs in sets)


def _potentials(symmetry: Symmetry, parts: Parts, fits: int) -> Potentials:
    """Potentials of disjoint sets of runs, all as smooth as runs that are not fitted allow for the first of them."""
    sets = disjoint(_fittable(parts).fitted, fits)
    theory = _theory(symmetry, sets[0]).smoothed(sets[0], parts.chosen)
    found = tuple(theory.fit(runs) for runs in sets)
    return Potentials(found, np.array([_representation_loss(fit, parts.chosen) for fit in found]))


def _fittable(parts: Parts) -> Parts:
    if not all(part.sizes["member"] for part in (parts.fitted, parts.chosen, parts.tested)):
        raise Unfitted("Too few networks are left to fit potentials, choose one and test it.", Reason.TOO_FEW)
    if not np.ptp(parts.fitted.embedding.values, axis=2).any() or not np.any(parts.fitted.gradient.values):
        raise Unfitted("No token differs from another, or none moves: there is no force to fit.", Reason.UNDEFINED)
    return parts


def _theory(symmetry: Symmetry, runs: xr.Dataset, most: int = _CONFIGURATIONS) -> PairPotential:
    return PairPotential(symmetry, configurations=min(_EACH * runs.sizes["member"], most))


def _representation_loss(fit: PairPotentialFit, record: xr.Dataset) -> float:
    """The mean over runs whose flow stayed finite; infinite if none did."""
    losses = fit.score(record).representation_loss.values
    return float(losses[np.isfinite(losses)].mean()) if np.isfinite(losses).any() else float("inf")
