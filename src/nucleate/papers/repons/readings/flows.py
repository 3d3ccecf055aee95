"""Where the flow in the best potentials takes runs, and whether it has come to rest there."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.claims import Evidence, words
from nucleate.papers.repons.experiments import PLANE
from nucleate.papers.repons.readings.fits import line_potentials, parity_potentials, rotation_potentials
from nucleate.papers.repons.readings.runs import first_embedding, line_parts, networks
from nucleate.theories.pairs import PairPotentialFit, with_quadratic_attraction

_LATE = 2 / 3  # of the time: from here to the end a flow that has settled keeps its shape
_SEED = 0


@dataclass(frozen=True, eq=False)
class Flows:
    """Where flows are after the time that networks train for."""

    ends: np.ndarray
    """[start, token, dim]; NaN for a flow that ran away."""
    settled: np.ndarray
    """[start]: whether its shape, up to place and size, changed by a tenth at most in the last third of the time."""


def line_flows(evidence: Evidence) -> Flows:
    """The flow in d = 1 from the starts of the tested runs."""
    tested = line_parts(evidence).tested
    return _flows(evidence.once(line_potentials).best, first_embedding(tested), tested)


def quadratic_flows(evidence: Evidence) -> Flows | None:
    """The same with f_a replaced by the quadratic that describes it around 0; None if no quadratic does."""
    try:
        spring = with_quadratic_attraction(evidence.once(line_potentials).best)
    except ValueError:
        return None
    tested = line_parts(evidence).tested
    return _flows(spring, first_embedding(tested), tested)


def parity_flows(evidence: Evidence) -> Flows:
    """The parity-symmetric flow in d = 2 from random starts, drawn as those of networks are."""
    return _from_anywhere(evidence.once(parity_potentials).best, evidence)


def rotation_flows(evidence: Evidence) -> Flows:
    """The rotationally symmetric flow in d = 2 from the same starts."""
    return _from_anywhere(evidence.once(rotation_potentials).best, evidence)


def _from_anywhere(fit: PairPotentialFit, evidence: Evidence) -> Flows:
    record = networks(evidence, PLANE)
    shape = (evidence.effort.starts, record.sizes["token"], record.sizes["dim"])
    starts = float(record.init_scale[0]) * np.random.default_rng(_SEED).normal(size=shape)
    return _flows(fit, starts, record)


def _flows(fit: PairPotentialFit, starts: np.ndarray, record: xr.Dataset) -> Flows:
    """The flow from each start, for as long as the runs of `record` took."""
    duration = float(record.eta[0]) * float(record.step[-1])
    path = fit.simulate(starts, duration * np.array([0.0, _LATE, 1.0]))
    late, end = (_shape(path[:, at]) for at in (1, 2))
    return Flows(path[:, -1], ~(np.linalg.norm(end - late, axis=(1, 2)) > words.NEGLIGIBLE.high))


def _shape(embedding: np.ndarray) -> np.ndarray:
    """Embeddings around their mean, with norm 1."""
    around = embedding - embedding.mean(axis=1, keepdims=True)
    size = np.linalg.norm(around, axis=(1, 2), keepdims=True)
    return around / np.where(size > 0, size, 1)
