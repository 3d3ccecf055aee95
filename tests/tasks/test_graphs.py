"""All small graphs, and random ones."""

import networkx as nx
import numpy as np
import pytest

from nucleate.tasks import RandomGraphs, connected_graphs
from nucleate.tasks.graphs import distances_of, is_connected


def test_every_connected_graph_is_there_once():
    assert [len(connected_graphs(vertices)) for vertices in range(1, 8)] == [1, 1, 2, 6, 21, 112, 853]
    for one, adjacency in enumerate(five := connected_graphs(5)):
        graph = nx.from_numpy_array(adjacency)
        assert nx.is_connected(graph)
        assert not any(nx.is_isomorphic(graph, nx.from_numpy_array(other)) for other in five[:one])


def test_what_all_share_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        connected_graphs(4)[0, 0, 0] = True


def test_more_vertices_than_the_atlas_has_are_refused():
    with pytest.raises(ValueError, match="connected_graphs: vertices must be >= 1 and <= 7; got 8"):
        connected_graphs(8)


@pytest.mark.parametrize("kind", [RandomGraphs(), RandomGraphs(12, 14, 0.3)])
def test_random_graphs_are_simple_and_connected(kind):
    graphs = kind.draw(seed=1, count=40)
    assert {len(graph) for graph in graphs} == set(range(kind.least, kind.most + 1))
    for graph in graphs:
        assert nx.is_connected(nx.from_numpy_array(graph))
        assert np.array_equal(graph, graph.T)
        assert not graph.diagonal().any()


def test_all_connected_graphs_of_named_vertices_are_equally_likely():
    """Of three vertices there are three paths and one triangle."""
    edges = np.array([graph.sum() // 2 for graph in RandomGraphs(3, 3).draw(seed=2, count=800)])
    assert np.mean(edges == 3) == pytest.approx(1 / 4, abs=0.05)


def test_draws_are_reproducible_and_differ_by_seed():
    one, again, other = (RandomGraphs(6, 6).draw(seed, 5) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_a_chance_with_which_no_graph_is_connected_is_refused(monkeypatch):
    monkeypatch.setattr("nucleate.tasks.graphs._MOST_DRAWS", 100)
    with pytest.raises(ValueError, match=r"RandomGraphs\.chance must be higher: of 100 graphs of 20 vertices none was"):
        RandomGraphs(20, 20, 0.001).draw(seed=0, count=1)


def test_distances_are_those_of_networkx():
    (graph,) = RandomGraphs(9, 9, 0.25).draw(seed=3, count=1)
    found = dict(nx.all_pairs_shortest_path_length(nx.from_numpy_array(graph)))
    assert distances_of(graph[None])[0].tolist() == [[found[u][v] for v in range(9)] for u in range(9)]
    assert distances_of(np.zeros((1, 2, 2), bool))[0].tolist() == [[0, -1], [-1, 0]]
    assert not is_connected(np.zeros((2, 2), bool))
