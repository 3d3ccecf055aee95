"""Sequences about graphs: what they tell, and what answers are worth."""

import jax
import networkx as nx
import numpy as np
import pytest

from nucleate.tasks import PathTask, connected_graphs

TASK = PathTask(vertices=6, edges=8)
GRAPHS = [graph for n in (4, 5, 6) for graph in connected_graphs(n) if graph.sum() // 2 <= 8][::2]

# One program each for all tests: they have as many graphs, or answers, as there are in GRAPHS.
SAMPLE, JUDGE = jax.jit(TASK.sample), jax.jit(TASK.judge)


def sampled(seed: int, graphs: np.ndarray):
    return jax.tree.map(np.asarray, SAMPLE(jax.random.key(seed), graphs))


@pytest.fixture(scope="module")
def batch():
    return sampled(0, TASK.library(GRAPHS))


def test_sequences_tell_the_graph_and_a_shortest_path(batch):
    for tokens, graph in zip(batch.tokens, GRAPHS, strict=True):
        words = TASK.written(tokens).split()
        assert words[0] == "<bos>"
        query = words.index("<q>")
        edges = [(int(u), int(v)) for u, v in zip(words[1:query:3], words[2:query:3], strict=True)]
        assert set(words[3:query:3]) == {"<e>"}
        told = nx.Graph(edges)
        assert len(edges) == graph.sum() // 2
        assert nx.is_isomorphic(told, nx.from_numpy_array(graph))
        source, target = (int(word) for word in words[query + 1 : query + 3])
        assert words[query + 3] == "<p>"
        path = [int(word) for word in words[query + 4 :]]
        assert (path[0], path[-1]) == (source, target)
        assert source != target
        assert nx.is_path(told, path)
        assert len(path) == nx.shortest_path_length(told, source, target) + 1


def test_places_are_the_same_in_all_sequences(batch):
    assert batch.tokens.shape == (len(GRAPHS), TASK.length)
    assert np.all(batch.tokens[:, TASK.context - 4] == TASK.special("<q>"))
    assert np.all(batch.tokens[:, TASK.context - 1] == TASK.special("<p>"))
    ends = batch.tokens[:, TASK.edge_places]
    assert np.array_equal((ends == TASK.special("<e>")).sum(1), [graph.sum() // 2 for graph in GRAPHS])
    after = batch.tokens[:, TASK.context + 1 :]
    assert np.array_equal(batch.weight, after < TASK.vertices)


def test_orders_directions_and_queries_are_drawn_afresh():
    square = TASK.library([np.roll(np.eye(4, dtype=bool), 1, 0) | np.roll(np.eye(4, dtype=bool), -1, 0)] * len(GRAPHS))
    tokens = np.concatenate([sampled(seed, square).tokens for seed in range(12)])
    assert len({TASK.written(row) for row in tokens}) > 0.97 * len(tokens)
    last = tokens[:, TASK.edge_places[-1] - 2], tokens[:, TASK.edge_places[-1] - 1]
    assert np.mean(last[0] < last[1]) == pytest.approx(0.5, abs=0.1)  # either direction
    # Of two shortest paths between opposite corners, both occur.
    far = tokens[:, TASK.context + 2] < TASK.vertices
    assert np.mean(far) == pytest.approx(1 / 3, abs=0.1)
    chosen = tokens[far, TASK.context + 1]
    others = np.array([other_corner(TASK.written(row), int(one)) for row, one in zip(tokens[far], chosen, strict=True)])
    assert np.mean(chosen < others) == pytest.approx(0.5, abs=0.15)


def other_corner(text: str, chosen: int) -> int:
    """The vertex of a square that is neither source, target nor the one that was chosen."""
    words = text.split()
    query = words.index("<q>")
    vertices = {int(word) for word in words[1:query] if word != "<e>"}
    (other,) = vertices - {chosen, int(words[query + 1]), int(words[query + 2])}
    return other


def test_edge_numbers_are_those_of_the_list():
    key, graphs = jax.random.key(2), TASK.library(GRAPHS)
    numbers, tokens = (np.asarray(f(key, graphs)) for f in (TASK.edge_numbers, TASK.edge_list))
    pairs = np.stack(np.triu_indices(6, 1), axis=1)
    for row, number in zip(tokens, numbers, strict=True):
        told = number >= 0
        here = np.sort(np.stack([row[TASK.edge_places - 2], row[TASK.edge_places - 1]], axis=1), axis=1)
        assert np.array_equal(here[told], pairs[number[told]])
        assert np.all(row[TASK.edge_places[~told]] != TASK.special("<e>"))


def test_answers_are_judged_by_the_graph(batch):
    """0 – 1 – 2 – 3 and 0 – 2: from 0 to 3, one shortest path, a detour, and what is no path."""
    graph = np.zeros((6, 6), bool)
    for u, v in ((0, 1), (1, 2), (2, 3), (0, 2)):
        graph[u, v] = graph[v, u] = True
    tokens, distance = batch.tokens.copy(), np.zeros_like(batch.distance)
    tokens[:, [TASK.context - 3, TASK.context - 2, TASK.context]] = [0, 3, 0]
    distance[:, 0, 3] = 2
    asked = batch._replace(tokens=tokens, adjacency=np.broadcast_to(graph, batch.adjacency.shape), distance=distance)
    pad = TASK.special("<pad>")
    answers = {
        (2, 3, pad, pad, pad): (True, True),
        (2, 3, 5, 5, 5): (True, True),  # what follows the target does not count
        (1, 2, 3, pad, pad): (True, False),
        (3, pad, pad, pad, pad): (False, False),
        (2, pad, 3, pad, pad): (False, False),
        (2, 0, 2, 0, 2): (False, False),
    }
    given = np.full((len(GRAPHS), TASK.vertices - 1), pad)
    given[: len(answers)] = list(answers)
    found = JUDGE(asked, given)
    for number, judged in enumerate(answers.values()):
        assert (bool(found.legal[number]), bool(found.optimal[number])) == judged


def test_labels_are_optimal_answers(batch):
    found = JUDGE(batch, batch.tokens[:, TASK.context + 1 :])
    assert found.legal.all()
    assert found.optimal.all()


@pytest.mark.parametrize(
    ("graph", "why"),
    [
        (np.zeros((2, 2)), "no path joins vertices 0 and 1"),
        (np.ones((6, 6)) - np.eye(6), "2 to 6 vertices and up to 8 edges; got 6 and 15"),
        (np.zeros((1, 1)), "2 to 6 vertices and up to 8 edges; got 1 and 0"),
    ],
)
def test_graphs_that_do_not_fit_are_refused(graph, why):
    with pytest.raises(ValueError, match=f"PathTask.library: graph 1 .*{why}"):
        TASK.library([GRAPHS[0], graph])
