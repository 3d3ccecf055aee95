"""Shortest paths in graphs that are given as lists of their edges, as sequences of tokens."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from nucleate.checking import AtLeast, AtMost, Checked, Count, refuse_unless_connected

_SPECIAL = ("<pad>", "<bos>", "<e>", "<q>", "<p>")


class PathBatch(NamedTuple):
    """Sequences with the graphs that they are about, in the names that the sequences use.

    `weight`: 1 where a place of the path, after the source, holds a vertex, and 0 after its end.
    """

    tokens: Int[Array, "sample place"]
    adjacency: Bool[Array, "sample vertex vertex"]
    distance: Int[Array, "sample vertex vertex"]
    weight: Float[Array, "sample step"]


class Judged(NamedTuple):
    """Of each answer, whether it is a path from source to target along edges, and whether no path is shorter."""

    legal: Bool[Array, " sample"]
    optimal: Bool[Array, " sample"]


@final
@dataclass(frozen=True)
class PathTask(Checked):
    """Say a shortest path between two vertices of a graph that is told edge by edge.

        <bos> u v <e> u v <e> … <q> s t <p> s n₁ n₂ … t

    `vertices`: the most vertices of a graph, which are the first tokens; `edges`: the most edges of a graph. The names
    of the vertices, the order of the edges, the direction in which each is written and the query (s, t), s ≠ t, are
    drawn afresh for every sequence. Of several shortest paths one is drawn: at each vertex, all neighbours that are
    nearer to the target are equally likely. In an answer, any shortest path is right (`judge`). Graphs with fewer edges
    are padded before <bos>, so that the query is always at the same places. Source: [cohen2025spectral].

    >>> task = PathTask(vertices=3, edges=2)
    >>> line = jnp.array([[[0, 1, 0], [1, 0, 1], [0, 1, 0]]], bool)
    >>> task.written(task.sample(jax.random.key(3), line).tokens[0])
    '<bos> 1 0 <e> 2 1 <e> <q> 0 2 <p> 0 1 2'
    >>> PathTask(vertices=4, edges=7)
    Traceback (most recent call last):
    ValueError: PathTask.edges must be between 3, those of a tree, and 6 for 4 vertices; got 7.
    """

    vertices: Annotated[int, AtLeast(2), AtMost(100)]
    edges: Count

    def check(self) -> None:
        least, most = self.vertices - 1, self.vertices * (self.vertices - 1) // 2
        if not least <= self.edges <= most:
            self.refuse(
                "edges",
                f"must be between {least}, those of a tree, and {most} for {self.vertices} vertices; got {self.edges}",
            )

    @property
    def tokens(self) -> int:
        """Different tokens: the vertices, then <pad>, <bos>, <e>, <q> and <p>."""
        return self.vertices + len(_SPECIAL)

    @property
    def context(self) -> int:
        """How many places there are before the source that begins the path."""
        return 1 + 3 * self.edges + 4

    @property
    def length(self) -> int:
        """Places of a sequence."""
        return self.context + self.vertices

    @property
    def edge_places(self) -> Int[np.ndarray, " edge"]:
        """Where the <e> of each edge is: the first place from which both its ends have been seen."""
        return 3 + 3 * np.arange(self.edges)

    def special(self, word: str) -> int:
        """The token of <pad>, <bos>, <e>, <q> or <p>."""
        return self.vertices + _SPECIAL.index(word)

    def written(self, tokens: Int[Array | np.ndarray, " place"]) -> str:
        """A sequence in words, without padding."""
        words = [*map(str, range(self.vertices)), *_SPECIAL]
        return " ".join(words[token] for token in np.asarray(tokens) if token != self.special("<pad>"))

    def library(self, graphs: list[np.ndarray]) -> Bool[np.ndarray, "graph vertex vertex"]:
        """The adjacencies of connected graphs of any sizes as one array, filled up with vertices that have no edge.

        >>> PathTask(vertices=4, edges=3).library([np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])])
        Traceback (most recent call last):
        ValueError: PathTask.library: graph 0 must be that of a connected graph; no path joins vertices 0 and 2.
        """
        filled = np.zeros((len(graphs), self.vertices, self.vertices), bool)
        for number, graph in enumerate(map(np.asarray, graphs)):
            refuse_unless_connected(f"PathTask.library: graph {number}", graph)
            vertices, edges = len(graph), int(graph.sum()) // 2
            if not 2 <= vertices <= self.vertices or edges > self.edges:
                raise ValueError(
                    f"PathTask.library: graph {number} must have 2 to {self.vertices} vertices and up to {self.edges} "
                    f"edges; got {vertices} and {edges}."
                )
            filled[number, :vertices, :vertices] = graph
        return filled

    # --- making sequences ---------------------------------------------------------------------------------------------

    def sample(self, key: Array, adjacency: Bool[Array | np.ndarray, "sample vertex vertex"]) -> PathBatch:
        """A sequence about each of these graphs, which `library` has checked."""
        names, edges, query, steps = jax.random.split(key, 4)
        graphs = _renamed(names, jnp.asarray(adjacency))
        distance = _distances(graphs)
        source, target = self._queries(query, distance)
        path = self._paths(steps, graphs, distance, (source, target))
        ask = [jnp.full_like(source, self.special("<q>")), source, target, jnp.full_like(source, self.special("<p>"))]
        tokens = jnp.concatenate([self.edge_list(edges, graphs), jnp.stack(ask, axis=1), path], axis=1)
        return PathBatch(tokens, graphs, distance, (path[:, 1:] < self.vertices).astype(jnp.float32))

    def edge_list(
        self, key: Array, adjacency: Bool[Array | np.ndarray, "sample vertex vertex"]
    ) -> Int[Array, "sample place"]:
        """Padding, <bos> and the edges of each graph in random order, each in a random direction."""
        number = jnp.asarray(self.edge_numbers(key, adjacency))
        ends = jnp.asarray(self._pairs)[jnp.maximum(number, 0)]
        swapped = jax.random.bernoulli(jax.random.fold_in(key, 1), 0.5, number.shape)
        u, v = jnp.where(swapped, ends[..., 1], ends[..., 0]), jnp.where(swapped, ends[..., 0], ends[..., 1])
        pad, begin, end = (self.special(word) for word in ("<pad>", "<bos>", "<e>"))
        told = number >= 0
        body = jnp.where(told[..., None], jnp.stack([u, v, jnp.full_like(u, end)], axis=-1), pad)
        placed = jnp.concatenate([jnp.full((len(number), 1), pad), body.reshape(len(number), -1)], axis=1)
        empty = 3 * jnp.sum(~told, axis=1, keepdims=True)
        return jnp.where(jnp.arange(placed.shape[1]) == empty, begin, placed)

    def edge_numbers(
        self, key: Array, adjacency: Bool[Array | np.ndarray, "sample vertex vertex"]
    ) -> Int[Array, "sample edge"]:
        """Which edge `edge_list` tells at each place, in the order of `numpy.triu_indices`; −1 for padding."""
        rows, columns = self._pairs.T
        there = jnp.asarray(adjacency)[:, rows, columns]
        lot = jnp.where(there, jax.random.uniform(key, there.shape), -1.0)
        last = jnp.argsort(lot, axis=1)[:, -self.edges :]
        return jnp.where(jnp.take_along_axis(there, last, axis=1), last, -1)

    @cached_property
    def _pairs(self) -> Int[np.ndarray, "pair 2"]:
        return np.stack(np.triu_indices(self.vertices, 1), axis=1)

    def _queries(self, key: Array, distance: Int[Array, "sample vertex vertex"]) -> tuple[Array, Array]:
        """Two different vertices that a path joins, all such pairs equally likely."""
        lot = jnp.where(distance > 0, jax.random.uniform(key, distance.shape), -1.0)
        return jnp.divmod(jnp.argmax(lot.reshape(len(lot), -1), axis=1), self.vertices)

    def _paths(self, key: Array, graphs: Array, distance: Array, query: tuple[Array, Array]) -> Array:
        """Source, vertices on the way, target, then padding."""
        here, target = query
        rows, pad = jnp.arange(len(here)), self.special("<pad>")
        lots = jax.random.uniform(key, (self.vertices - 1, len(here), self.vertices))
        path, arrived = [here], jnp.zeros(len(here), bool)
        for lot in lots:
            arrived = arrived | (here == target)
            nearer = distance[rows, :, target] == (distance[rows, here, target] - 1)[:, None]
            here = jnp.where(arrived, here, jnp.argmax(jnp.where(graphs[rows, here] & nearer, lot, -1.0), axis=1))
            path.append(jnp.where(arrived, pad, here))
        return jnp.stack(path, axis=1)

    # --- judging answers ----------------------------------------------------------------------------------------------

    def judge(self, batch: PathBatch, answer: Int[Array, "sample step"]) -> Judged:
        """What answers are worth, the tokens after the source, of which those after the target do not count."""
        rows = jnp.arange(len(answer))
        here, target = batch.tokens[:, self.context], batch.tokens[:, self.context - 2]
        legal, moves = jnp.ones(len(here), bool), jnp.zeros(len(here), int)
        shortest = batch.distance[rows, here, target]
        for token in jnp.moveaxis(answer, 1, 0):
            arrived = here == target
            vertex = jnp.minimum(token, self.vertices - 1)
            fine = (token < self.vertices) & batch.adjacency[rows, here, vertex]
            legal, moves = legal & (arrived | fine), moves + ~arrived
            here = jnp.where(arrived, here, vertex)
        legal = legal & (here == target)
        return Judged(legal, legal & (moves == shortest))


def _renamed(key: Array, graphs: Bool[Array, "sample vertex vertex"]) -> Bool[Array, "sample vertex vertex"]:
    """Each graph with its vertices in a random order."""
    order = jnp.argsort(jax.random.uniform(key, graphs.shape[:2]), axis=1)
    return jax.vmap(lambda graph, new: graph[new][:, new])(graphs, order)


def _distances(graphs: Bool[Array, "sample vertex vertex"]) -> Int[Array, "sample vertex vertex"]:
    """Edges of the shortest path between two vertices; −1 if there is none."""
    step = graphs.astype(jnp.float32)
    reached = jnp.broadcast_to(jnp.eye(graphs.shape[1], dtype=bool), graphs.shape)
    found = jnp.where(reached, 0, -1)
    for length in range(1, graphs.shape[1]):
        further = reached | (reached.astype(jnp.float32) @ step > 0)
        found = jnp.where(further & ~reached, length, found)
        reached = further
    return found
