"""The navigator, against networkx and loops, and in graphs where all is known."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nucleate.observables import Navigator, Plain, Ties, Weighted, line_spectrum, optimal_routes
from nucleate.observables.navigation import graph_distances


def random_graph(seed: int, vertices: int = 7, edges: int = 9) -> nx.Graph:
    """The first connected random graph of this size from a seed on."""
    while not nx.is_connected(graph := nx.gnm_random_graph(vertices, edges, seed)):
        seed += 1000
    return graph


def brute_force(graph: nx.Graph, count: int, weighted: bool) -> dict[tuple[int, int], bool]:
    """Whether the slide's loop finds a shortest path, for each pair: one vertex and one edge at a time."""
    line = nx.relabel_nodes(nx.line_graph(graph), lambda edge: tuple(sorted(edge)))
    nodes = sorted(line)
    values, vectors = np.linalg.eigh(nx.normalized_laplacian_matrix(line, nodelist=nodes).toarray())
    points = {}
    for row, edge in enumerate(nodes):
        point = vectors[row, :count]
        if weighted:
            point = point[1:] / values[1:count] / np.sqrt(line.degree[edge])
        points[edge] = points[edge[::-1]] = point
    found = {}
    for source in graph:
        for target in set(graph) - {source}:
            here, visited = source, [source]
            while here != target and visited.count(here) == 1:
                nearest = {
                    j: min(np.sum((points[here, j] - points[k, target]) ** 2) for k in graph[target])
                    for j in sorted(graph[here])
                }
                lowest = min(nearest.values())
                here = next(j for j, apart in nearest.items() if apart <= lowest + 1e-9)
                visited.append(here)
            shortest = nx.shortest_path_length(graph, source, target)
            found[source, target] = here == target and len(visited) == shortest + 1
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weighted", [False, True])
def test_routes_are_those_of_loops_over_networkx(seed, weighted):
    graph = random_graph(seed)
    adjacency = nx.to_numpy_array(graph, dtype=bool)
    gaps = np.diff(line_spectrum(adjacency).values)
    # Only where an eigenvalue is not cut from an equal one; with all eigenvectors, weights do not depend on the basis.
    count = 9 if weighted else next(k for k in (4, 3, 5) if gaps[k - 1] > 1e-3)
    navigator = Navigator(Weighted(count) if weighted else Plain(count), Ties.FIRST)
    found, expected = navigator.optimal(adjacency[None])[0], brute_force(graph, count, weighted)
    assert all(bool(found[pair]) == optimal for pair, optimal in expected.items())


@pytest.mark.parametrize("graph", [nx.path_graph(7), nx.cycle_graph(8), nx.complete_graph(6), nx.star_graph(5)])
def test_paths_cycles_stars_and_complete_graphs_have_optimal_routes_only(graph):
    adjacency = nx.to_numpy_array(graph, dtype=bool)
    assert optimal_routes([adjacency], Navigator()).share == pytest.approx(1)
    assert optimal_routes([adjacency], Navigator(ties=Ties.FIRST)).share == 1


def test_with_all_plain_eigenvectors_neighbours_are_found_and_nothing_else_is_known():
    """In a path of four, every edge looks the same unless it ends at the target: from 0 to 2 the only way is right,
    and from 1 it is seen; from 0 to 3 it is a matter of chance at 1."""
    path = nx.to_numpy_array(nx.path_graph(4), dtype=bool)
    found = Navigator(Plain()).optimal(path[None])[0]
    assert found[0] == pytest.approx([1, 1, 1, 0.5])
    assert Navigator(Plain(), Ties.FIRST).optimal(path[None])[0, 0].tolist() == [1, 1, 1, 0]
    assert Navigator(Plain(), Ties.FIRST).route(path, 0, 3) == [0, 1, 0]  # and would go on for ever


@settings(max_examples=15)
@given(st.integers(0, 500), st.randoms(use_true_random=False))
def test_names_do_not_matter(seed, random):
    adjacency = nx.to_numpy_array(random_graph(seed), dtype=bool)
    order = list(range(len(adjacency)))
    random.shuffle(order)
    one, other = (Navigator().optimal(graph[None])[0] for graph in (adjacency, adjacency[order][:, order]))
    assert one[order][:, order] == pytest.approx(other)


def test_graphs_of_all_sizes_are_counted_together_as_alone(monkeypatch):
    graphs = [nx.to_numpy_array(random_graph(s, n, n + 1), dtype=bool) for s, n in enumerate((5, 7, 5, 6, 7))]
    together = optimal_routes(graphs, Navigator(Plain(3)))
    alone = [optimal_routes([graph], Navigator(Plain(3))) for graph in graphs]
    for name in together._fields:
        assert getattr(together, name) == pytest.approx([getattr(one, name)[0] for one in alone])
    assert together.pairs.tolist() == [20, 42, 20, 30, 42]
    assert together.far_pairs.tolist() == [20 - 12, 42 - 16, 20 - 12, 30 - 14, 42 - 16]
    assert 0 < together.far_share < together.share < 1
    monkeypatch.setattr("nucleate.observables.navigation._AT_ONCE", 1)  # one graph after the other
    assert optimal_routes(graphs, Navigator(Plain(3))).share == pytest.approx(together.share)


def test_distances():
    graph = random_graph(3, 9, 12)
    known = dict(nx.all_pairs_shortest_path_length(graph))
    found = graph_distances(nx.to_numpy_array(graph, dtype=bool)[None])[0]
    assert found.tolist() == [[known[u][v] for v in range(9)] for u in range(9)]


def test_what_cannot_be_navigated_is_refused():
    pieces = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    with pytest.raises(ValueError, match=r"optimal_routes: graph 1 .* no path joins vertices 0 and 2"):
        optimal_routes([np.array([[0, 1], [1, 0]]), pieces], Navigator())
    with pytest.raises(ValueError, match="optimal_routes: graph 0 must have two vertices or more"):
        optimal_routes([np.zeros((1, 1))], Navigator())
    with pytest.raises(ValueError, match=r"Navigator\.route: target must be a vertex, 0 to 1; got 2"):
        Navigator().route(np.array([[0, 1], [1, 0]]), 0, 2)
    with pytest.raises(ValueError, match=r"Plain\.count must be at most the number of edges, 1; got 2"):
        optimal_routes([np.array([[0, 1], [1, 0]])], Navigator(Plain(2)))
    assert np.isnan(optimal_routes([np.array([[0, 1], [1, 0]])], Navigator()).far_share)
