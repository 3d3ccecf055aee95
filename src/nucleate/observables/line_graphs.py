"""The line graph of a graph, whose vertices are edges, and its spectrum: edges as points."""

import abc
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from nucleate.checking import Checked, Count, checked, refuse_unless_connected

_ZERO = 1e-9  # eigenvalues of the normalised Laplacian are between 0 and 2


class LineGraph(NamedTuple):
    """The edges u < v of a graph in the order of `numpy.triu_indices`, and which of them share a vertex.

    Source: the line graph of [cohen2025spectral].

    >>> line_graph(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]))._fields
    ('edges', 'adjacency')
    """

    edges: Int[np.ndarray, "*graph edge 2"]
    adjacency: Bool[np.ndarray, "*graph edge edge"]


@checked
def line_graph(adjacency: Shaped[np.ndarray, "vertex vertex"]) -> LineGraph:
    """The line graph of a connected graph: one vertex for each edge; two are joined if the edges share a vertex.

    Source: [cohen2025spectral].

    >>> edges, adjacency = line_graph(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]))  # a path, 1 – 0 – 2
    >>> edges.tolist(), adjacency.astype(int).tolist()
    ([[0, 1], [0, 2]], [[0, 1], [1, 0]])
    """
    adjacency = np.asarray(adjacency)
    refuse_unless_connected("line_graph: adjacency", adjacency)
    lines = line_graphs_of(adjacency[None].astype(bool))
    return LineGraph(lines.edges[0], lines.adjacency[0])


def line_graphs_of(adjacency: Bool[np.ndarray, "graph vertex vertex"]) -> LineGraph:
    """The line graphs of graphs with equally many edges."""
    graphs, vertices, _ = adjacency.shape
    _, u, v = np.nonzero(adjacency & np.triu(np.ones((vertices, vertices), bool), 1))
    edges = np.stack([u, v], axis=1).reshape(graphs, -1, 2)
    shared = (edges[:, :, None, :, None] == edges[:, None, :, None, :]).any((-1, -2))
    return LineGraph(edges, shared & ~np.eye(edges.shape[1], dtype=bool))


@checked
def normalised_laplacian(
    adjacency: Shaped[np.ndarray, "*graph vertex vertex"],
) -> Float[np.ndarray, "*graph vertex vertex"]:
    """The normalised Laplacian of a graph, or of each of several.

        L = I − D^{−1/2} A D^{−1/2}

    A: `adjacency`; D: the degrees. A vertex without edges has a row of zeros. Source: [chung1997spectral].

    >>> normalised_laplacian(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])).round(3).tolist()
    [[1.0, -0.707, 0.0], [-0.707, 1.0, -0.707], [0.0, -0.707, 1.0]]
    """
    adjacency = np.asarray(adjacency, float)
    degree = adjacency.sum(-1)
    root = np.where(degree > 0, np.sqrt(np.maximum(degree, 1)), np.inf)
    return np.eye(adjacency.shape[-1]) * (degree > 0)[..., None] - adjacency / root[..., :, None] / root[..., None, :]


class LineSpectrum(NamedTuple):
    """The spectrum of the normalised Laplacian of a line graph; column m of `vectors` belongs to `values[m]`.

    Values ascend from 0. `degree`: of each edge in the line graph. Source: [cohen2025spectral].

    >>> line_spectrum(np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])).values.round(6).tolist()
    [0.0, 1.5, 1.5]
    """

    values: Float[np.ndarray, "*graph edge"]
    vectors: Float[np.ndarray, "*graph edge edge"]
    degree: Float[np.ndarray, "*graph edge"]


@checked
def line_spectrum(adjacency: Shaped[np.ndarray, "vertex vertex"]) -> LineSpectrum:
    """Eigenvalues and eigenvectors of the normalised Laplacian of the line graph of a connected graph.

        L(G̃) u_m = λ_m u_m,    0 = λ_1 ≤ λ_2 ≤ …

    Where eigenvalues coincide, their eigenvectors are any orthonormal basis. Source: [cohen2025spectral].

    >>> spectrum = line_spectrum(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]))
    >>> spectrum.values.round(6).tolist(), np.abs(spectrum.vectors).round(3).tolist()
    ([0.0, 2.0], [[0.707, 0.707], [0.707, 0.707]])
    """
    adjacency = np.asarray(adjacency)
    refuse_unless_connected("line_spectrum: adjacency", adjacency)
    return LineSpectrum(*(part[0] for part in line_spectra_of(adjacency[None].astype(bool))))


def line_spectra_of(adjacency: Bool[np.ndarray, "graph vertex vertex"]) -> LineSpectrum:
    """The spectra of the line graphs of graphs with equally many edges."""
    lines = line_graphs_of(adjacency).adjacency
    values, vectors = np.linalg.eigh(normalised_laplacian(lines))
    return LineSpectrum(values, vectors, lines.sum(-1).astype(float))


class EdgeEmbedding(Checked, abc.ABC):
    """How the eigenvectors of a line graph make a point of each edge: `Plain` or `Weighted`.

    Source: [cohen2025spectral].

    >>> isinstance(Plain(2), EdgeEmbedding)
    True
    """

    count: Count | None

    @abc.abstractmethod
    def scaled(self, spectrum: LineSpectrum) -> Float[np.ndarray, "*graph edge coordinate"]:
        """All eigenvectors as coordinates, one column for each."""

    @final
    def points(self, spectrum: LineSpectrum) -> Float[np.ndarray, "*graph edge coordinate"]:
        """One row of the first `count` coordinates for each edge."""
        edges = spectrum.values.shape[-1]
        if self.count is not None and self.count > edges:
            self.refuse("count", f"must be at most the number of edges, {edges}; got {self.count}")
        return self.scaled(spectrum)[..., : self.count]


@final
@dataclass(frozen=True)
class Plain(EdgeEmbedding):
    """The first `count` eigenvectors as they are, from the smallest eigenvalue on; all of them if left out.

        v_e = (u_1(e), u_2(e), …, u_count(e))

    With all of them, rows are orthonormal: any two edges are equally far apart. Where the last eigenvalue equals the
    next, the points depend on the basis that the solver picks. Source: [cohen2025spectral].

    >>> star = np.array([[0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]])
    >>> points = edge_embedding(star, Plain())
    >>> np.linalg.norm(points[:, None] - points, axis=-1).round(6).tolist()[0]
    [0.0, 1.414214, 1.414214]
    >>> edge_embedding(star, Plain(count=4))
    Traceback (most recent call last):
    ValueError: Plain.count must be at most the number of edges, 3; got 4.
    """

    count: Count | None = None

    def scaled(self, spectrum: LineSpectrum) -> Float[np.ndarray, "*graph edge coordinate"]:
        return spectrum.vectors


@final
@dataclass(frozen=True)
class Weighted(EdgeEmbedding):
    """The first `count` eigenvectors, over the root of the degree of each edge and over their eigenvalues.

        v_e = D_e^{−1/2} (u_2(e)/λ_2, …, u_count(e)/λ_count)

    The coordinate of the first eigenvector, whose eigenvalue is 0, would be the same for all edges and changes no
    distance: it is 0 here, and counts. All eigenvectors if `count` is left out. Source: [cohen2025spectral], for the
    algorithm; the weights are ours.

    >>> path = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    >>> np.abs(edge_embedding(path, Weighted(2))).round(4).tolist()
    [[0.0, 0.3536], [0.0, 0.3536]]
    """

    count: Count | None = None

    def scaled(self, spectrum: LineSpectrum) -> Float[np.ndarray, "*graph edge coordinate"]:
        values, vectors, degree = spectrum
        weight = np.where(values > _ZERO, 1 / np.maximum(values, _ZERO), 0)
        return vectors * weight[..., None, :] / np.sqrt(np.maximum(degree, 1))[..., :, None]


@checked
def edge_embedding(
    adjacency: Shaped[np.ndarray, "vertex vertex"], embedding: EdgeEmbedding
) -> Float[np.ndarray, "edge coordinate"]:
    """A point for each edge of a connected graph, from the spectrum of its line graph.

    Edges are in the order of `line_graph`. Source: [cohen2025spectral].

    >>> square = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]])
    >>> edge_embedding(square, Plain(3)).shape
    (4, 3)
    """
    return embedding.points(line_spectrum(adjacency))
