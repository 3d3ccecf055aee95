"""Line graphs and their spectra, against closed forms and networkx."""

import networkx as nx
import numpy as np
import pytest

from nucleate.observables import (
    Plain,
    Weighted,
    edge_embedding,
    line_graph,
    line_spectrum,
    normalised_laplacian,
)

GRAPHS = {
    "path": nx.path_graph(6),
    "cycle": nx.cycle_graph(7),
    "complete": nx.complete_graph(6),
    "bull": nx.bull_graph(),
    "house": nx.house_x_graph(),
    "edge": nx.path_graph(2),
}


def adjacency(name: str) -> np.ndarray:
    return nx.to_numpy_array(GRAPHS[name], dtype=int)


@pytest.mark.parametrize("name", GRAPHS)
def test_line_graph_and_laplacian_are_those_of_networkx(name):
    found = line_graph(adjacency(name))
    edges = [tuple(sorted(edge)) for edge in GRAPHS[name].edges]
    assert sorted(edges) == list(map(tuple, found.edges.tolist()))
    line = nx.relabel_nodes(nx.line_graph(GRAPHS[name]), lambda edge: tuple(sorted(edge)))
    assert np.array_equal(found.adjacency, nx.to_numpy_array(line, nodelist=sorted(line), dtype=bool))
    laplacian = nx.normalized_laplacian_matrix(line, nodelist=sorted(line)).toarray()
    assert normalised_laplacian(found.adjacency) == pytest.approx(laplacian)


CLOSED = {
    "path": 1 - np.cos(np.pi * np.arange(5) / 4),  # its line graph is a path of 5
    "cycle": 1 - np.cos(2 * np.pi * np.arange(7) / 7),  # its own line graph
    "complete": 1 - np.repeat([8, 2, -2], [1, 5, 9]) / 8,  # the triangular graph: 2(n − 2), n − 4 and −2
}


@pytest.mark.parametrize("name", CLOSED)
def test_closed_forms(name):
    values, vectors, degree = line_spectrum(adjacency(name))
    assert values == pytest.approx(np.sort(CLOSED[name]), abs=1e-12)
    assert vectors.T @ vectors == pytest.approx(np.eye(len(values)), abs=1e-12)
    assert degree.tolist() == line_graph(adjacency(name)).adjacency.sum(1).tolist()


def test_weighted_distances_are_those_of_the_inverse_squared():
    """‖v_e − v_f‖² is a quadratic form in D^{−1/2} (L⁺)² D^{−1/2}, whatever the basis of equal eigenvalues."""
    graph = adjacency("house")
    points = edge_embedding(graph, Weighted())
    line = line_graph(graph).adjacency
    scale = np.diag(line.sum(1) ** -0.5)
    inverse = np.linalg.pinv(normalised_laplacian(line))
    assert points @ points.T == pytest.approx(scale @ inverse @ inverse @ scale)


def test_all_plain_rows_are_orthonormal_and_counts_cut_columns():
    points = edge_embedding(adjacency("bull"), Plain())
    assert points @ points.T == pytest.approx(np.eye(5), abs=1e-12)
    assert edge_embedding(adjacency("bull"), Plain(3)) == pytest.approx(points[:, :3])
    assert edge_embedding(adjacency("bull"), Weighted(1)).tolist() == [[0.0]] * 5


@pytest.mark.parametrize("kind", [Plain, Weighted])
def test_more_eigenvectors_than_edges_are_refused(kind):
    with pytest.raises(ValueError, match=rf"{kind.__name__}\.count must be at most the number of edges, 5; got 6"):
        edge_embedding(adjacency("bull"), kind(6))
    with pytest.raises(ValueError, match=rf"{kind.__name__}\.count must be >= 1"):
        kind(0)


@pytest.mark.parametrize("function", [line_graph, line_spectrum])
def test_graphs_in_pieces_are_refused(function):
    with pytest.raises(ValueError, match=f"{function.__name__}: adjacency .* no path joins vertices 0 and 2"):
        function(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]]))
