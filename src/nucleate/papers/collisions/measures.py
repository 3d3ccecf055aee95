"""What is measured on finished networks: power laws of heads, their learning coefficients, energies of simulations."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from jaxtyping import Bool, Float, Int

from nucleate.claims import Evidence
from nucleate.papers.collisions import readings
from nucleate.theories import PowerLaw


@dataclass(frozen=True, eq=False)
class HeadCoefficients:
    """Local learning coefficients of heads over checkpoints; NaN where unknown."""

    experiment: str
    member: Int[np.ndarray, " unit"]
    block: Int[np.ndarray, " unit"]
    head: Int[np.ndarray, " unit"]
    collision: Bool[np.ndarray, " unit"]
    step: Int[np.ndarray, " checkpoint"]
    value: Float[np.ndarray, "unit checkpoint"]
    error: Float[np.ndarray, "unit checkpoint"]
    doubt: Float[np.ndarray, "unit checkpoint"]


@dataclass(frozen=True, eq=False)
class Energies:
    """Total energy of simulations and of rollouts from the same starts."""

    truth: Float[np.ndarray, "member start time"]
    network: Float[np.ndarray, "member start time"]


def laws(evidence: Evidence) -> dict[str, xr.Dataset]:
    """The power laws of |c| of every head, by experiment."""
    records = {name: readings.whole(evidence.record(name)) for name in (readings.SMALL, readings.LARGE)}
    return {name: PowerLaw("correlation").fit(record).laws for name, record in records.items()}


def coefficients(evidence: Evidence) -> HeadCoefficients | None:
    """The local learning coefficients of some heads."""
    return None


def energies(evidence: Evidence) -> dict[str, Energies]:
    """The energies of simulations and rollouts, by experiment."""
    return {}
