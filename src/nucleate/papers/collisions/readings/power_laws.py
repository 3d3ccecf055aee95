"""Power laws in the history of every head."""

import numpy as np
import xarray as xr

from nucleate.claims import Evidence
from nucleate.papers.collisions.readings.fleets import networks
from nucleate.theories import KnownLimit, PowerLaw, RecordedLimit, Regimes
from nucleate.theories.power_laws import Limit

SLOWEST, STEEPEST = 0.049, 0.846
"""The smallest and the largest exponent of the paper's Table 5."""

LEAST_R2 = 0.7
"""Of a power law: all but one of the 45 in Table 5 have more."""

_PIECE = 0.23  # octaves: the shortest window of that table


def of_correlation(evidence: Evidence) -> xr.Dataset:
    """Power laws of |c|, as in the paper: `PowerLawFit.laws`."""
    return _laws(evidence, KnownLimit())


def of_distance_to_limit(evidence: Evidence) -> xr.Dataset:
    """Power laws of |c − c*|, the quantity of Corollary A.4."""
    return _laws(evidence, RecordedLimit("contact_limit"))


def of_score(evidence: Evidence) -> xr.Dataset:
    """Power laws of 1 − `frac`."""
    return _laws(evidence, KnownLimit(1.0), "frac")


def _laws(evidence: Evidence, limit: Limit, variable: str = "correlation") -> xr.Dataset:
    return PowerLaw(variable, limit, Regimes(octaves=_PIECE)).fit(networks(evidence)).laws


def decays(laws: xr.Dataset) -> np.ndarray:
    """Which laws are power laws in the paper's sense: straight on a log-log plot, and falling."""
    return ((laws.r2 >= LEAST_R2) & (laws.exponent > 0)).values


def closing(laws: xr.Dataset) -> xr.Dataset:
    """The last law of each head before it comes to rest: a regime whose exponent is below any of the paper's is rest.

    As in Section 3.2: "at the end of training or before the correlation function stops changing". Of a head that is at
    rest in all regimes, the last one.
    """
    there, moving = laws.start.notnull().values, np.abs(laws.exponent.values) >= SLOWEST
    number = np.arange(there.shape[-1])
    last = np.where(there & moving, number, -1).max(axis=-1)
    last = np.where(last >= 0, last, np.maximum(np.where(there, number, -1).max(axis=-1), 0))
    return laws.isel(regime=xr.DataArray(last, dims=laws.start.dims[:-1]))
