"""The runs themselves: which are left, which are fitted and which tested, and how far decoders drive them apart."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.claims import Evidence
from nucleate.papers.repons.experiments import DECODERS, LINE, PLANE
from nucleate.record import at_the_end, stayed_finite
from nucleate.theories import Parity
from nucleate.theories.pairs import pair_terms, representation_loss, trajectory_loss

_FITTED, _CHOSEN = 0.6, 0.8  # up to these shares of the runs: fitted, then used to choose a fit; the rest is tested
_SPACING = 5  # trajectories are compared at every fifth snapshot


def networks(evidence: Evidence, name: str) -> xr.Dataset:
    """The networks of an experiment that did not diverge and end somewhere finite."""
    record = stayed_finite(evidence.record(name))
    # Where a fleet has several dimensions, coordinates that a network does not have are NaN.
    placed = np.isfinite(final_embedding(record)).any(axis=-1).all(axis=-1)
    return record if placed.all() else record.isel(member=np.flatnonzero(placed))  # no copy of a record that is whole


def first_embedding(record: xr.Dataset) -> np.ndarray:
    """Each network's initial embedding: [member, token, dim]."""
    return record.embedding.values[:, 0].astype(float)


def final_embedding(record: xr.Dataset) -> np.ndarray:
    """Each network's last embedding: [member, token, dim]."""
    return at_the_end(record, "embedding").astype(float)


def displacement_maps(record: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Rows r_i + r_j − r_k − r_l, [term, token]: for pairs that share a label, and for pairs that do not."""
    pairs = np.stack([record.left.values, record.right.values], axis=1)
    terms = pair_terms(pairs, record.label.values, record.sizes["token"], Parity())
    return np.asarray(terms.same.maps)[:, 0], np.asarray(terms.different.maps)[:, 0]


@dataclass(frozen=True)
class Parts:
    """A fleet's runs in three disjoint parts: potentials are fitted to one, the best of them is chosen on another, and
    it is judged on the third."""

    fitted: xr.Dataset
    chosen: xr.Dataset
    tested: xr.Dataset


def split(record: xr.Dataset, chosen: int, tested: int) -> Parts:
    """Split by run, never by snapshot: at most `chosen` runs to choose on, and `tested` to test on."""
    count = record.sizes["member"]
    first, second = int(_FITTED * count), int(_CHOSEN * count)
    part = lambda start, most, stop: _thinned(record.isel(member=slice(start, min(start + most, stop))))
    return Parts(record.isel(member=slice(0, first)), part(first, chosen, second), part(second, tested, count))


def disjoint(record: xr.Dataset, count: int) -> list[xr.Dataset]:
    """The runs in `count` sets that share none, or in as many as there are runs."""
    count = min(count, record.sizes["member"])
    return [record.isel(member=slice(number, None, count)) for number in range(count)]


def line_parts(evidence: Evidence) -> Parts:
    """The parts of the networks in d = 1. Made of views, so they are cheap to make again and not kept."""
    return _split(evidence, LINE)


def plane_parts(evidence: Evidence) -> Parts:
    """The parts of the networks in d = 2."""
    return _split(evidence, PLANE)


def _split(evidence: Evidence, name: str) -> Parts:
    return split(networks(evidence, name), evidence.effort.chosen, evidence.effort.simulated)


@dataclass(frozen=True)
class Ceiling:
    """How far apart two networks end that started from the same embedding: no law of the embeddings alone can predict
    a run better. Per embedding, the mean over pairs of networks."""

    trajectory: np.ndarray
    representation: np.ndarray


def ceiling(evidence: Evidence) -> Ceiling:
    """The losses of one network as a prediction of another with the same R(0) and a different decoder."""
    record = _thinned(networks(evidence, DECODERS))
    seeds = record.seed_embedding.values
    found = []
    for seed in np.unique(seeds):
        path = record.embedding.values[seeds == seed].astype(float)
        one, other = np.triu_indices(len(path), k=1)
        if len(one):
            losses = trajectory_loss(path[one], path[other]), representation_loss(path[one, -1], path[other, -1])
            found.append([max(loss.mean(), 0.0) for loss in losses])  # equal orders may be −10⁻¹⁶ apart
    return Ceiling(*np.array(found).reshape(-1, 2).T)


def _thinned(record: xr.Dataset) -> xr.Dataset:
    """Every fifth snapshot, and the last."""
    last = record.sizes["step"] - 1
    return record.isel(step=np.union1d(np.arange(0, last, _SPACING), [last]))
