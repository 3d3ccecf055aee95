"""What the best potentials predict of runs that were neither fitted nor used to choose a fit."""

import numpy as np
import xarray as xr

from nucleate.claims import Evidence
from nucleate.papers.repons.readings.fits import general_fit, line_potentials, parity_potentials, rotation_potentials
from nucleate.papers.repons.readings.runs import first_embedding, line_parts, plane_parts
from nucleate.theories.pairs import PairPotentialFit, with_quadratic_attraction


def line_scores(evidence: Evidence) -> xr.Dataset:
    """How well the best potential in d = 1 predicts the tested runs."""
    return evidence.once(line_potentials).best.score(line_parts(evidence).tested)


def general_scores(evidence: Evidence) -> xr.Dataset:
    """The same without any symmetry."""
    return evidence.once(general_fit).score(line_parts(evidence).tested)


def parity_scores(evidence: Evidence) -> xr.Dataset:
    """How well the best parity-symmetric potential in d = 2 predicts the tested runs."""
    return evidence.once(parity_potentials).best.score(plane_parts(evidence).tested)


def rotation_scores(evidence: Evidence) -> xr.Dataset:
    """How well the best rotationally symmetric potential in d = 2 predicts the tested runs."""
    return evidence.once(rotation_potentials).best.score(plane_parts(evidence).tested)


def line_forces(evidence: Evidence) -> tuple[np.ndarray, np.ndarray]:
    """Per tested run in d = 1: the sum of squares of the gradient that the force misses, and of the gradient itself."""
    tested = line_parts(evidence).tested
    gradient = tested.gradient.values.astype(float)
    missed = gradient + evidence.once(line_potentials).best.force(tested.embedding.values.astype(float))
    around = gradient - gradient.mean(axis=(0, 1))
    square = lambda x: np.sum(np.square(x), axis=(1, 2, 3))
    return square(missed), square(around)


def line_ends(evidence: Evidence) -> np.ndarray:
    """Where the flow in d = 1 takes the tested runs: [member, token, dim]."""
    return _ends(evidence.once(line_potentials).best, line_parts(evidence).tested)


def quadratic_ends(evidence: Evidence) -> np.ndarray | None:
    """The same with f_a replaced by the quadratic that describes it around 0; None if no quadratic does."""
    try:
        spring = with_quadratic_attraction(evidence.once(line_potentials).best)
    except ValueError:
        return None
    return _ends(spring, line_parts(evidence).tested)


def parity_ends(evidence: Evidence) -> np.ndarray:
    """Where the parity-symmetric flow in d = 2 takes the tested runs: [member, token, dim]."""
    return _ends(evidence.once(parity_potentials).best, plane_parts(evidence).tested)


def rotation_ends(evidence: Evidence) -> np.ndarray:
    """Where the rotationally symmetric flow in d = 2 takes the tested runs: [member, token, dim]."""
    return _ends(evidence.once(rotation_potentials).best, plane_parts(evidence).tested)


def attraction_hessian(evidence: Evidence) -> np.ndarray:
    """Second derivatives at 0 of f_a without any symmetry, [4, 4], by central differences."""
    fit = evidence.once(general_fit)
    h = 0.05 * fit.data_range.same
    unit = h * np.eye(4)
    f = lambda x: np.asarray(fit.potential(x).same)
    pairs = [(a, b) for a in range(4) for b in range(4)]
    corner = lambda s, t: np.stack([s * unit[a] + t * unit[b] for a, b in pairs])
    mixed = f(corner(1, 1)) - f(corner(1, -1)) - f(corner(-1, 1)) + f(corner(-1, -1))
    return (mixed / (4 * h * h)).reshape(4, 4)


def _ends(fit: PairPotentialFit, record: xr.Dataset) -> np.ndarray:
    """Where the flow takes each run from its start, in the time that the run had."""
    duration = float(record.eta[0]) * float(record.step[-1])
    return fit.simulate(first_embedding(record), np.array([0.0, duration]))[:, -1]
