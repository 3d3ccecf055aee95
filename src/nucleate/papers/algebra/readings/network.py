"""What trained networks are in the Fourier basis: the conditions of an optimum, and their loss in parts."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.algebra import Characters, Solution, conditions, decompose, from_weights
from nucleate.claims import Evidence
from nucleate.papers.algebra.experiments.network import C23
from nucleate.record import stayed_finite

DRAWN = 6
"""Networks whose loss is decomposed over training."""


def solution(record: xr.Dataset, member: int, row: int) -> Solution:
    """The weights of a network at a row of its record, in the Fourier basis."""
    weights = (record[name].values[member, row].astype(float) for name in "abc")
    return from_weights(Characters.of(record.sums.values), *weights)


@dataclass(frozen=True)
class Residuals:
    """How far networks are from each condition, [member, start and end]: the worst of each frequency, averaged over
    all frequencies. `n_sum`, `star_sum`: of the sums of R_n and R_*, which are all of them that the loss sees; `mean`:
    the largest |z| of a and b at frequency 0."""

    g: np.ndarray
    c: np.ndarray
    n: np.ndarray
    star: np.ndarray
    n_sum: np.ndarray
    star_sum: np.ndarray
    mean: np.ndarray


def residuals(evidence: Evidence) -> Residuals:
    """The conditions of a global optimum, before and after training."""
    record = stayed_finite(evidence.record(C23))
    rows = [[_residuals(solution(record, member, row)) for row in (0, -1)] for member in range(record.sizes["member"])]
    return Residuals(*np.moveaxis(np.array(rows), -1, 0))


def _residuals(z: Solution) -> tuple[float, ...]:
    found = conditions(z)
    parts = (found.g, found.c, found.n, found.star, found.n_sum, found.star_sum)
    return *(float(part[1:].mean()) for part in parts), float(np.abs(z.z[:2, 0]).max())


@dataclass(frozen=True)
class Decomposed:
    """The loss on all pairs in its parts, [member, step]; `means`: cross terms of weights with a mean."""

    step: np.ndarray
    goal: np.ndarray
    cross: np.ndarray
    constant: np.ndarray
    squares: np.ndarray
    means: np.ndarray


def decomposed(evidence: Evidence) -> Decomposed:
    """The parts of the loss over training, of the first networks."""
    record = stayed_finite(evidence.record(C23))
    count = min(DRAWN, record.sizes["member"])
    rows = [
        [_parts(solution(record, member, row)) for row in range(record.sizes["step_weights"])]
        for member in range(count)
    ]
    return Decomposed(record.step_weights.values, *np.moveaxis(np.array(rows), -1, 0))


def _parts(z: Solution) -> tuple[float, ...]:
    terms = decompose(z)
    return tuple(float(part.mean()) for part in (terms.goal, terms.cross, terms.constant, terms.squares, terms.means))
