"""The spectral line navigator: from vertex to vertex, towards the edge that looks nearest to the target."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped

from nucleate.checking import Checked, checked, refuse_unless_connected
from nucleate.observables.line_graphs import EdgeEmbedding, Weighted, line_graphs_of, line_spectra_of

_SAME = 1e-9
"""Squares of distances are equal if they differ by less, as a share of the largest in a graph."""

_AT_ONCE = 4_000_000  # numbers in an array


class Ties(Enum):
    """What a navigator does where several neighbours are equally near: `CHANCE` lets all of them be equally likely,
    so that what it finds is an exact expectation; `FIRST` takes the one with the lowest number.

    Source: ours; [cohen2025spectral] does not say.

    >>> Ties.CHANCE.shares(np.array([[True, False, True]])).tolist()
    [[0.5, 0.0, 0.5]]
    """

    CHANCE = "chance"
    FIRST = "first"

    def shares(self, nearest: Bool[np.ndarray, "*pair vertex"]) -> Float[np.ndarray, "*pair vertex"]:
        """How likely each of the nearest is to be the next."""
        chosen = nearest & (np.cumsum(nearest, axis=-1) == 1) if self is Ties.FIRST else nearest
        return chosen / np.maximum(chosen.sum(-1, keepdims=True), 1)


@final
@dataclass(frozen=True)
class Navigator(Checked):
    """Walk to the neighbour whose edge is nearest, in an embedding of edges, to some edge that ends at the target.

        next(i, t) = argmin_{j ∈ N(i)} min_{k ∈ N(t)} ‖v_ij − v_kt‖

    v: `embedding`. `ties`: what happens where the minimum is not unique, up to rounding. What is next depends on where
    the navigator is and not on where it was: if it comes back to a vertex, it would go round for ever. It is stopped
    there, and has not arrived (the guard against loops). A shortest path never comes back, so no other guard would
    find more of them. Source: the Spectral Line Navigator of [cohen2025spectral].

    >>> path = np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]])
    >>> Navigator().route(path, 0, 3)
    [0, 1, 2, 3]
    >>> Navigator().route(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]]), 0, 2)
    Traceback (most recent call last):
    ValueError: Navigator.route: adjacency must be that of a connected graph; no path joins vertices 0 and 2.
    """

    embedding: EdgeEmbedding = field(default_factory=Weighted)
    ties: Ties = Ties.CHANCE

    @checked
    def route(self, adjacency: Shaped[np.ndarray, "vertex vertex"], source: int, target: int) -> list[int]:
        """The vertices that it visits, of equally near ones always the first; it ends where it comes back to, if it
        does not arrive."""
        adjacency = np.asarray(adjacency)
        refuse_unless_connected("Navigator.route: adjacency", adjacency)
        for name, vertex in (("source", source), ("target", target)):
            if not 0 <= vertex < len(adjacency):
                raise ValueError(f"Navigator.route: {name} must be a vertex, 0 to {len(adjacency) - 1}; got {vertex}.")
        step = self._nearest(adjacency[None].astype(bool))[0].argmax(-1)
        route = [source]
        while route[-1] != target and route[-1] not in route[:-1]:
            route.append(int(step[route[-1], target]))
        return route

    def optimal(self, adjacency: Bool[np.ndarray, "graph vertex vertex"]) -> Float[np.ndarray, "graph vertex vertex"]:
        """How likely the route from each vertex to each other is to be a shortest path, for connected graphs with
        equally many edges; 1 on the diagonal.

            p(t, t) = 1,    p(i, t) = Σ_j P(next(i, t) = j) 1[d(j, t) = d(i, t) − 1] p(j, t)
        """
        distance = graph_distances(adjacency)
        shares = self.ties.shares(self._nearest(adjacency))
        nearer = distance[:, :, :, None] == distance.swapaxes(1, 2)[:, None] + 1  # graph, i, t, j
        shares = shares * nearer
        found = np.broadcast_to(np.eye(adjacency.shape[-1]), adjacency.shape).copy()
        for length in range(1, int(distance.max()) + 1):
            found = np.where(distance == length, np.einsum("gitj,gjt->git", shares, found), found)
        return found

    def _nearest(self, adjacency: Bool[np.ndarray, "graph vertex vertex"]) -> Bool[np.ndarray, "graph i target j"]:
        """Which neighbours j of i have the edge that is nearest to the target's."""
        points = self.embedding.points(line_spectra_of(adjacency))
        edges = line_graphs_of(adjacency).edges
        graphs, vertices, _ = adjacency.shape
        norm = np.square(points).sum(-1)
        apart = norm[:, :, None] + norm[:, None] - 2 * points @ points.swapaxes(1, 2)  # squares of distances
        row = np.arange(graphs)[:, None]
        # To the nearest edge at each target: over the two ends of every edge.
        to_target = np.full((graphs, edges.shape[1], vertices), np.inf)
        for end in (0, 1):
            for vertex in range(vertices):
                ends_there = edges[:, None, :, end] == vertex
                nearest = np.where(ends_there, apart, np.inf).min(-1)
                to_target[:, :, vertex] = np.minimum(to_target[:, :, vertex], nearest)
        along = np.full((graphs, vertices, vertices, vertices), np.inf)  # graph, i, j, target
        u, v = edges[..., 0], edges[..., 1]
        along[row, u, v], along[row, v, u] = to_target, to_target
        along = along.swapaxes(2, 3)
        slack = _SAME * apart.max((1, 2))[:, None, None, None]
        return along <= along.min(-1, keepdims=True) + slack


class Routes(NamedTuple):
    """Of each graph: the expected number of shortest routes and the number of pairs (source, target), over all pairs
    and over those that no edge joins, whose distance is 2 or more.

    Source: the shares of optimal routes of [cohen2025spectral].

    >>> counted = optimal_routes([np.ones((3, 3), bool) & ~np.eye(3, dtype=bool)], Navigator())
    >>> counted.pairs.tolist(), counted.far_pairs.tolist()
    ([6], [0])
    """

    optimal: Float[np.ndarray, " graph"]
    pairs: Int[np.ndarray, " graph"]
    far_optimal: Float[np.ndarray, " graph"]
    far_pairs: Int[np.ndarray, " graph"]

    @property
    def share(self) -> float:
        """Of all pairs of all graphs."""
        return float(self.optimal.sum() / self.pairs.sum())

    @property
    def far_share(self) -> float:
        """Of the pairs at distance 2 or more; NaN if there are none."""
        return float(self.far_optimal.sum() / self.far_pairs.sum()) if self.far_pairs.any() else float("nan")


@checked
def optimal_routes(graphs: Sequence[np.ndarray], navigator: Navigator) -> Routes:
    """How many routes of a navigator are shortest paths, in each of many connected graphs of any sizes.

    Source: the shares of optimal routes of [cohen2025spectral].

    >>> cycle = np.roll(np.eye(5, dtype=bool), 1, axis=0)
    >>> optimal_routes([cycle | cycle.T], Navigator()).share
    1.0
    """
    found = np.zeros((4, len(graphs)))
    for numbers, adjacency in _of_equal_size(graphs):
        optimal = navigator.optimal(adjacency)
        off = ~np.eye(adjacency.shape[-1], dtype=bool)
        for row, pairs in ((0, off), (2, off & ~adjacency)):
            pairs = np.broadcast_to(pairs, adjacency.shape)
            found[row, numbers] = np.where(pairs, optimal, 0).sum((1, 2))
            found[row + 1, numbers] = pairs.sum((1, 2))
    return Routes(found[0], found[1].astype(int), found[2], found[3].astype(int))


def _of_equal_size(graphs: Sequence[np.ndarray]) -> Iterator[tuple[list[int], Bool[np.ndarray, "graph vertex vertex"]]]:
    """Graphs of equally many vertices and edges together, as many as memory lets be looked at at once."""
    sizes: dict[tuple[int, int], list[int]] = {}
    for number, graph in enumerate(map(np.asarray, graphs)):
        refuse_unless_connected(f"optimal_routes: graph {number}", graph)
        if len(graph) < 2:
            raise ValueError(f"optimal_routes: graph {number} must have two vertices or more; got 1.")
        sizes.setdefault((len(graph), int(graph.sum()) // 2), []).append(number)
    for (vertices, _), numbers in sizes.items():
        most = max(_AT_ONCE // vertices**4, 1)
        for start in range(0, len(numbers), most):
            some = numbers[start : start + most]
            yield some, np.stack([np.asarray(graphs[number], bool) for number in some])


def graph_distances(adjacency: Bool[np.ndarray, "graph vertex vertex"]) -> Int[np.ndarray, "graph vertex vertex"]:
    """How many edges the shortest path between any two vertices has, in connected graphs."""
    reached = np.broadcast_to(np.eye(adjacency.shape[-1], dtype=bool), adjacency.shape)
    found, step = np.zeros(adjacency.shape, int), adjacency.astype(np.float32)
    while not reached.all():
        found += ~reached
        reached = reached | (reached.astype(np.float32) @ step > 0)
    return found
