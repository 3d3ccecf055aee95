"""The graph transformer: what it answers, and how near its edge embeddings are to the spectrum of the line graph."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.claims import Evidence
from nucleate.observables import chance_correlation, line_graph, line_spectrum, spectral_correlation
from nucleate.papers.algebra.experiments.paths import PATHS
from nucleate.record import at_the_end, stayed_finite

DIMENSIONS = (1, 2, 3, 4)
"""Eigenvectors, and directions of the embedding, that are compared."""

LEARNED = 0.95
"""Share of optimal answers from which on a network counts as one that has learned its task."""

_GAP = 1e-6  # between eigenvalues that are different


def learned(accuracy: np.ndarray) -> np.ndarray:
    """Which networks have learned their task; `accuracy`: legal, optimal and far optimal answers [network, 3]."""
    return accuracy[:, 1] >= LEARNED


def has_learned(record: xr.Dataset) -> bool:
    """Whether most networks answer with a shortest path to nearly all queries about held-out graphs."""
    finite = stayed_finite(record)
    return finite.sizes["member"] > 0 and bool(np.median(learned(at_the_end(finite, "accuracy"))) == 1)


@dataclass(frozen=True)
class Correlations:
    """Normalised correlations of edge embeddings with the first eigenvectors of line graphs, the mean over held-out
    graphs [network, step, dimension]; `chance`: of a random matrix, and `ends`: of an embedding in which an edge is the
    sum of orthonormal vectors for its two ends [network, dimension]. `accuracy`: legal, optimal and far optimal
    answers at the end [network, 3]. All of the networks that did not diverge."""

    step: np.ndarray
    trained: np.ndarray
    chance: np.ndarray
    ends: np.ndarray
    accuracy: np.ndarray

    @property
    def start(self) -> np.ndarray:
        """Of each network at initialisation, the mean over dimensions."""
        return self.trained[:, 0].mean(-1)

    @property
    def end(self) -> np.ndarray:
        """Of each network after training, the mean over dimensions."""
        return self.trained[:, -1].mean(-1)

    @property
    def learned(self) -> "Correlations":
        """The networks that have learned their task."""
        kept = learned(self.accuracy)
        parts = (self.trained[kept], self.chance[kept], self.ends[kept], self.accuracy[kept])
        return Correlations(self.step, *parts)


def correlations(evidence: Evidence) -> Correlations:
    """Every network at every step at which edges were embedded."""
    record = stayed_finite(evidence.record(PATHS))
    steps, members = record.step_map.values, record.sizes["member"]
    trained = np.full((members, len(steps), len(DIMENSIONS)), np.nan)
    chance, ends = np.full((2, members, len(DIMENSIONS)), np.nan)
    for network in range(members):
        graphs = [small(graph) for graph in record.held_out.values[network]]
        spectra = [first_eigenvectors(graph) for graph in graphs]
        points = record.embedding.values[network].astype(float)
        told = [sums_of_ends(graph) for graph in graphs]
        for place, dimension in enumerate(DIMENSIONS):
            here = [number for number, found in enumerate(spectra) if dimension in found]
            if not here:
                continue
            edges = {number: len(told[number]) for number in here}
            vectors = {number: spectra[number][dimension] for number in here}
            trained[network, :, place] = [
                np.mean([spectral_correlation(at[number, : edges[number]], vectors[number]) for number in here])
                for at in points
            ]
            chance[network, place] = np.mean([chance_correlation(count, dimension) for count in edges.values()])
            ends[network, place] = np.mean([spectral_correlation(told[number], vectors[number]) for number in here])
    accuracy = at_the_end(record, "accuracy").astype(float) if members else np.zeros((0, 3))
    return Correlations(steps, trained, chance, ends, accuracy)


def small(adjacency: np.ndarray) -> np.ndarray:
    """A graph without the vertices that fill it up."""
    there = adjacency.any(0)
    return adjacency[there][:, there]


def first_eigenvectors(graph: np.ndarray) -> dict[int, np.ndarray]:
    """The eigenvectors of the smallest eigenvalues but the first, by their number; without numbers at which an
    eigenvalue is cut from one that is equal, where the eigenvectors are not defined."""
    values, vectors, _ = line_spectrum(graph)
    defined = [k for k in DIMENSIONS if k + 1 < len(values) and values[k + 1] - values[k] > _GAP]
    return {k: vectors[:, 1 : k + 1] for k in defined}


def sums_of_ends(graph: np.ndarray) -> np.ndarray:
    """An embedding that knows the two ends of each edge and nothing else: the incidence of edges and vertices.

    Its products are 2 I + A, with A the adjacency of the line graph.
    """
    return np.eye(len(graph))[line_graph(graph).edges].sum(1)
