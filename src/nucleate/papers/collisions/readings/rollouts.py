"""Networks as simulators: rollouts from fresh starts, beside the simulations they should follow."""

from dataclasses import dataclass

import equinox as eqx
import jax
import numpy as np
import xarray as xr
from jaxtyping import Float

from nucleate.claims import Evidence
from nucleate.models import ParticleTransformer
from nucleate.papers.collisions.experiments import Effort
from nucleate.papers.collisions.readings.fleets import network, networks, recipe
from nucleate.tasks import ParticleState

ROLLOUT = 1000
"""Steps, as in the paper's Figure 7."""


@dataclass(frozen=True, eq=False)
class Energies:
    """Total energy of boxes over time, simulated and as the networks predict it."""

    truth: Float[np.ndarray, "member start time"]
    network: Float[np.ndarray, "member start time"]


def energies(evidence: Evidence[Effort]) -> Energies | None:
    """Simulations and rollouts from the same fresh starts, for every network; None if there is none."""
    record = networks(evidence)
    return energies_of(record, evidence.effort.rollouts) if record.sizes["member"] else None


def energies_of(record: xr.Dataset, starts: int, steps: int = ROLLOUT) -> Energies:
    """The energies of a record's networks, all from the same starts."""
    made = recipe(record)
    start = made.task.start(jax.random.key(1), starts)
    truth = np.asarray(made.task.energy(made.task.trajectory(start, steps)).total).T
    found = []
    for row in range(record.sizes["member"]):
        path = rollout(network(record, row), *start, made.boundary, steps)
        found.append(np.asarray(made.task.energy(ParticleState(*path)).total).T)
    return Energies(np.broadcast_to(truth, (len(found), *truth.shape)), np.stack(found))


rollout = eqx.filter_jit(ParticleTransformer.rollout)
"""States of a network that is fed its own output: `rollout(network, position, velocity, boundary, steps)`."""
