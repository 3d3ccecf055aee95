"""How runs and flows end, seen in the potentials: in the well or out of it, with how much energy, in what lattice."""

import numpy as np

from nucleate.claims import Evidence
from nucleate.observables import in_well_fraction, is_line, lattice_regularity
from nucleate.papers.repons.experiments import LINE, PLANE
from nucleate.papers.repons.readings.fits import line_potentials
from nucleate.papers.repons.readings.flows import rotation_flows
from nucleate.papers.repons.readings.runs import (
    displacement_maps,
    final_embedding,
    first_embedding,
    line_parts,
    networks,
)

_ORDERED = 0.75  # quantile of the regularity from which a configuration counts as an ordered lattice


def line_wells(evidence: Evidence) -> tuple[np.ndarray, np.ndarray]:
    """Share of same-label pairs within the quadratic region in d = 1, per network: at its start and at its end."""
    record = networks(evidence, LINE)
    radius, (same, _) = evidence.once(line_potentials).well, displacement_maps(record)
    start, end = first_embedding(record), final_embedding(record)
    return in_well_fraction(start, same, radius), in_well_fraction(end, same, radius)


def line_energies(evidence: Evidence) -> np.ndarray:
    """U of the best potential in d = 1 at the end of each tested run."""
    return evidence.once(line_potentials).best.energy(final_embedding(line_parts(evidence).tested))


def flow_lattices(evidence: Evidence) -> np.ndarray:
    """Lengths of same-label displacements in the most ordered lattices that flows in d = 2 end in: [lattice, term]."""
    return _lattice_lengths(evidence, evidence.once(rotation_flows).ends)


def network_lattices(evidence: Evidence) -> np.ndarray:
    """The same of networks."""
    return _lattice_lengths(evidence, final_embedding(networks(evidence, PLANE)))


def _lattice_lengths(evidence: Evidence, ends: np.ndarray) -> np.ndarray:
    order = lattice_regularity(ends)
    known = np.isfinite(order) & ~is_line(ends)
    if known.any():
        known &= order >= np.quantile(order[known], _ORDERED)
    same, _ = displacement_maps(networks(evidence, PLANE))
    return np.linalg.norm(same @ ends[known], axis=-1)
