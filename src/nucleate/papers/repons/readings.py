"""What the records of the fleets say: which runs are fitted, which tested, and how they end."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.record import Outcome
from nucleate.theories.pairs import representation_loss, trajectory_loss

LINE = "repons/line"
SMALL = "repons/small"
DECODERS = "repons/decoders"
PLANE = "repons/plane"
HELD_OUT = "repons/held-out"
NARROW = "repons/narrow"

_FITTED, _CHOSEN = 0.6, 0.8  # up to these shares of the runs: fitted, then used to choose a fit; the rest is tested
_SPACING = 5  # trajectories are compared at every fifth snapshot


def whole(record: xr.Dataset) -> xr.Dataset:
    """The networks that stayed finite."""
    return record.isel(member=np.flatnonzero(record.outcome.values != Outcome.DIVERGED))


def final(record: xr.Dataset) -> np.ndarray:
    """Each network's last embedding, [member, token, dim]."""
    return record.embedding.values[:, -1].astype(float)


def first(record: xr.Dataset) -> np.ndarray:
    """Each network's first embedding, [member, token, dim]."""
    return record.embedding.values[:, 0].astype(float)


def thinned(record: xr.Dataset) -> xr.Dataset:
    """Every fifth snapshot, and the last."""
    last = record.sizes["step"] - 1
    return record.isel(step=np.union1d(np.arange(0, last, _SPACING), [last]))


@dataclass(frozen=True)
class Parts:
    """A fleet's runs in three parts: a fit is made on one, the best of ten is chosen on another, and what is said of it
    is measured on the third."""

    fitted: xr.Dataset
    chosen: xr.Dataset
    tested: xr.Dataset


def parts(record: xr.Dataset, most: int) -> Parts:
    """Split by run, never by snapshot; at most `most` runs to test with, and a quarter of that to choose with."""
    record = whole(record)
    count = record.sizes["member"]
    edges = int(_FITTED * count), int(_CHOSEN * count)
    thin = thinned(record)
    return Parts(
        record.isel(member=slice(0, edges[0])),
        thin.isel(member=slice(edges[0], min(edges[0] + -(-most // 4), edges[1]))),
        thin.isel(member=slice(edges[1], min(edges[1] + most, count))),
    )


@dataclass(frozen=True)
class Ceiling:
    """How far two networks end up from each other that started from one embedding: no law of the embedding alone can
    predict a run better. Means over pairs of networks, one for each embedding."""

    trajectory: np.ndarray
    representation: np.ndarray


def ceiling(record: xr.Dataset) -> Ceiling:
    """The losses that one network has as a prediction of another with the same R(0) and another decoder."""
    record = thinned(whole(record))
    seeds = record.seed_embedding.values
    found = []
    for seed in np.unique(seeds):
        path = record.embedding.values[seeds == seed].astype(float)
        one, other = np.triu_indices(len(path), k=1)
        if len(one):
            apart = trajectory_loss(path[one], path[other]), representation_loss(path[one, -1], path[other, -1])
            found.append([part.mean() for part in apart])
    return Ceiling(*np.array(found).reshape(-1, 2).T)
