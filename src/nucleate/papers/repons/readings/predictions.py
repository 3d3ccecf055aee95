"""What potentials predict of runs that were neither fitted nor used to choose a fit."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from nucleate.claims import Evidence
from nucleate.papers.repons.readings.fits import general_fits, line_potentials, parity_potentials, rotation_potentials
from nucleate.papers.repons.readings.runs import disjoint, line_parts, plane_parts
from nucleate.theories.pairs import PairPotentialFit

_BLOCK = 16  # runs in a block, as many flows as the smaller of the two compiled programs takes
_BLOCKS_EACH = 2  # that each potential without symmetry, whose flows are slow, is tested on


def line_scores(evidence: Evidence) -> xr.Dataset:
    """How well the best potential in d = 1 predicts the tested runs."""
    return evidence.once(line_potentials).best.score(line_parts(evidence).tested)


def general_scores(evidence: Evidence) -> xr.Dataset:
    """How well potentials without symmetry predict tested runs, each of them other ones."""
    return _in_blocks(evidence.once(general_fits), evidence)


def paired_scores(evidence: Evidence) -> xr.Dataset:
    """How well the symmetric potentials that were fitted to the same runs predict the same tested runs."""
    return _in_blocks(evidence.once(line_potentials).fits[: evidence.effort.general], evidence)


def _in_blocks(fits: Sequence[PairPotentialFit], evidence: Evidence) -> xr.Dataset:
    count = _BLOCKS_EACH * len(fits)
    blocks = disjoint(line_parts(evidence).tested.isel(member=slice(count * _BLOCK)), count)
    scored = [fits[number % len(fits)].score(block) for number, block in enumerate(blocks)]
    return xr.concat(scored, "member", data_vars="minimal")


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


def attraction_hessians(evidence: Evidence) -> np.ndarray:
    """Second derivatives at 0 of each f_a without any symmetry, [fit, 4, 4], by central differences."""
    return np.stack([_hessian(fit) for fit in evidence.once(general_fits)])


def _hessian(fit: PairPotentialFit) -> np.ndarray:
    h = 0.05 * fit.data_range.same
    unit = h * np.eye(4)
    f = lambda x: np.asarray(fit.potential(x).same)
    pairs = [(a, b) for a in range(4) for b in range(4)]
    corner = lambda s, t: np.stack([s * unit[a] + t * unit[b] for a, b in pairs])
    mixed = f(corner(1, 1)) - f(corner(1, -1)) - f(corner(-1, 1)) + f(corner(-1, -1))
    return (mixed / (4 * h * h)).reshape(4, 4)
