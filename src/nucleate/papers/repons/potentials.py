"""Potentials fitted to the fleets, once for all claims and figures."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import xarray as xr

from nucleate.claims import Estimate, Evidence
from nucleate.papers.repons import readings
from nucleate.theories import NoSymmetry, PairPotential, PairPotentialFit, Parity, Rotation
from nucleate.theories.pairs import CurlTest, Symmetry, aligned_potentials, quadratic_region, with_quadratic_attraction

FITS = 10
_FEW, _FEW_RUNS = 4, 100  # so many fits where fewer runs than this are simulated: the smallest budget
_EACH = 5  # configurations for each run that a fit reads, of all runs' snapshots,
_CONFIGURATIONS, _GENERAL = 6000, 2000  # and at most so many; fewer without symmetry, which costs more
_POINTS = 2001
_QUARTERS = 4


@dataclass(frozen=True, eq=False)
class Potentials:
    """Ten fits to runs drawn again with replacement, and how well each orders runs it has not seen."""

    fits: tuple[PairPotentialFit, ...]
    losses: np.ndarray
    """Representation loss of each fit, on runs that are neither fitted nor tested."""

    @property
    def best(self) -> PairPotentialFit:
        """The fit with the lowest representation loss."""
        return self.fits[int(np.argmin(self.losses))]

    @cached_property
    def reach(self) -> tuple[float, float]:
        """|r| up to which 99 % of the data lie, for pairs that share a label and for the others."""
        ranges = np.array([(fit.data_range.same, fit.data_range.different) for fit in self.fits], float)
        same, different = np.median(ranges, axis=0).tolist()
        return same, different

    def curves(self, kind: int) -> tuple[np.ndarray, np.ndarray]:
        """r within the data's range, and f of each fit, aligned around 0: of f_a (`kind` 0) or f_r (1)."""
        r = np.linspace(-1, 1, _POINTS) * self.reach[kind]
        values = [fit.potential(r) for fit in self.fits]
        f = np.stack([value.same if kind == 0 else value.different for value in values])
        return r, aligned_potentials(r, f, 0.05 * self.reach[kind])

    def each(self, measure, kind: int) -> np.ndarray:
        """measure(r, f) of every fit, on a grid within the data's range."""
        r, curves = self.curves(kind)
        return np.array([measure(r, f) for f in curves])

    @cached_property
    def well(self) -> float:
        """Half-width of the region in which the average f_a is quadratic."""
        r, curves = self.curves(0)
        return quadratic_region(r, curves.mean(0)).half_width


def spread(values: np.ndarray) -> Estimate:
    """The median of ten fits to resampled runs, with their range; open if there are fewer, unknown if some fit lacks
    the feature."""
    if not np.isfinite(values).all():
        return Estimate.unknown()
    if len(values) < FITS:
        return Estimate.open(float(np.median(values)))
    return Estimate(float(np.median(values)), float(values.min()), float(values.max()))


def resampled(record: xr.Dataset, seed: int) -> xr.Dataset:
    """As many runs, drawn with replacement."""
    count = record.sizes["member"]
    drawn = np.random.default_rng(seed).integers(0, count, count)
    return record.isel(member=drawn).assign_coords(draw=("member", np.arange(count)))


def _theory(symmetry: Symmetry, parts: readings.Parts, most: int = _CONFIGURATIONS) -> PairPotential:
    return PairPotential(symmetry, configurations=min(_EACH * parts.fitted.sizes["member"], most))


def fitted(symmetry: Symmetry, parts: readings.Parts, samples: int) -> Potentials:
    """Ten potentials, by bootstrap over runs, all as smooth as runs that are not fitted allow."""
    theory = _theory(symmetry, parts).smoothed(parts.fitted, parts.chosen)
    fits = tuple(theory.fit(resampled(parts.fitted, seed)) for seed in range(FITS if samples >= _FEW_RUNS else _FEW))
    losses = [float(np.nanmean(fit.score(parts.chosen).representation_loss)) for fit in fits]
    return Potentials(fits, np.array(losses))


def line_parts(evidence: Evidence) -> readings.Parts:
    return readings.parts(evidence.record(readings.LINE), evidence.samples)


def plane_parts(evidence: Evidence) -> readings.Parts:
    return readings.parts(evidence.record(readings.PLANE), evidence.samples)


def line(evidence: Evidence) -> Potentials:
    """Ten potentials of the networks in d = 1."""
    return fitted(Parity(), evidence.once(line_parts), evidence.samples)


def line_curls(evidence: Evidence) -> list[CurlTest]:
    """Whether a force without potential explains more, in four parts of the fitted runs, no run being in two."""
    parts = evidence.once(line_parts)
    theory = _theory(Parity(), parts)
    fits = [theory.fit(parts.fitted.isel(member=slice(part, None, _QUARTERS))) for part in range(_QUARTERS)]
    return [fit.curl for fit in fits if fit.curl is not None]


def line_scores(evidence: Evidence) -> xr.Dataset:
    """How well the best of them predicts runs that nobody has seen."""
    return evidence.once(line).best.score(evidence.once(line_parts).tested)


def line_forces(evidence: Evidence) -> tuple[np.ndarray, np.ndarray]:
    """Of each of these runs: the sum of squares of what the force misses of the gradient, and of the gradient."""
    tested = evidence.once(line_parts).tested
    gradient = tested.gradient.values.astype(float)
    missed = gradient + evidence.once(line).best.force(tested.embedding.values.astype(float))
    around = gradient - gradient.mean(axis=(0, 1))
    square = lambda x: np.sum(np.square(x), axis=(1, 2, 3))
    return square(missed), square(around)


def general(evidence: Evidence) -> PairPotentialFit:
    """A potential of the networks in d = 1 that may be any function of four embeddings."""
    parts = evidence.once(line_parts)
    return _theory(NoSymmetry(), parts, _GENERAL).fit(parts.fitted)


def general_scores(evidence: Evidence) -> xr.Dataset:
    """How well that predicts runs that nobody has seen."""
    return evidence.once(general).score(evidence.once(line_parts).tested)


def plane_parity(evidence: Evidence) -> Potentials:
    """Ten parity-symmetric potentials of the networks in d = 2."""
    return fitted(Parity(), evidence.once(plane_parts), evidence.samples)


def plane_rotation(evidence: Evidence) -> Potentials:
    """Ten rotationally symmetric potentials of the networks in d = 2."""
    return fitted(Rotation(), evidence.once(plane_parts), evidence.samples)


def parity_scores(evidence: Evidence) -> xr.Dataset:
    return evidence.once(plane_parity).best.score(evidence.once(plane_parts).tested)


def rotation_scores(evidence: Evidence) -> xr.Dataset:
    return evidence.once(plane_rotation).best.score(evidence.once(plane_parts).tested)


def ends(fit: PairPotentialFit, record: xr.Dataset) -> np.ndarray:
    """Where the flow takes each run from its start, in the time that the run had: [member, token, dim]."""
    duration = float(record.eta[0]) * float(record.step[-1])
    return fit.simulate(readings.first(record), np.array([0.0, duration]))[:, -1]


def line_ends(evidence: Evidence) -> np.ndarray:
    return ends(evidence.once(line).best, evidence.once(line_parts).tested)


def quadratic_ends(evidence: Evidence) -> np.ndarray | None:
    """The same, with f_a replaced by the quadratic that describes it around 0; None if there is no such quadratic."""
    try:
        spring = with_quadratic_attraction(evidence.once(line).best)
    except ValueError:
        return None
    return ends(spring, evidence.once(line_parts).tested)


def parity_ends(evidence: Evidence) -> np.ndarray:
    return ends(evidence.once(plane_parity).best, evidence.once(plane_parts).tested)


def rotation_ends(evidence: Evidence) -> np.ndarray:
    return ends(evidence.once(plane_rotation).best, evidence.once(plane_parts).tested)
