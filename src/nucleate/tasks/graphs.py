"""Connected graphs: all small ones, and random ones of any size."""

from dataclasses import dataclass
from functools import cache
from typing import Annotated, final

import numpy as np
from jaxtyping import Bool, Int

from nucleate.checking import Above, AtLeast, AtMost, Checked, Count, Seed, checked
from nucleate.machine import require_memory

_MOST_DRAWS = 10_000  # of graphs that are not connected, for each one that is


@checked
def connected_graphs(vertices: Annotated[int, AtLeast(1), AtMost(7)]) -> Bool[np.ndarray, "graph vertex vertex"]:
    """Every connected graph of N vertices once, up to renaming: the adjacencies of networkx's atlas.

    There are 1, 1, 2, 6, 21, 112 and 853 of them. Source: [read1998atlas].

    >>> [len(connected_graphs(vertices)) for vertices in (3, 4, 5, 6)]
    [2, 6, 21, 112]
    """
    return _atlas()[vertices]


@cache
def _atlas() -> dict[int, np.ndarray]:
    # Inside, since networkx is slow to import: only those who ask for graphs should pay.
    import networkx as nx
    from networkx.generators.atlas import graph_atlas_g

    found: dict[int, list[np.ndarray]] = {}
    for graph in graph_atlas_g()[1:]:
        if nx.is_connected(graph):
            found.setdefault(len(graph), []).append(nx.to_numpy_array(graph).astype(bool))
    stacks = {vertices: np.stack(graphs) for vertices, graphs in found.items()}
    for stack in stacks.values():
        stack.flags.writeable = False  # all who ask share it
    return stacks


@final
@dataclass(frozen=True)
class RandomGraphs(Checked):
    """Random connected graphs: each edge is there with probability `chance`, and graphs in pieces are drawn again.

        P(G) ∝ q^|E| (1 − q)^(n(n−1)/2 − |E|) for connected G of n vertices,    n uniform in least … most

    q: `chance`; with ½, all connected graphs of n named vertices are equally likely. Source: [erdos1959random].

    >>> graphs = RandomGraphs(least=3, most=9).draw(seed=0, count=4)
    >>> [len(graph) for graph in graphs]
    [8, 7, 6, 4]
    >>> RandomGraphs(least=5, most=4)
    Traceback (most recent call last):
    ValueError: RandomGraphs.most must be at least least = 5; got 4.
    """

    least: Annotated[int, AtLeast(2)] = 3
    most: Annotated[int, AtLeast(2)] = 9
    chance: Annotated[float, Above(0), AtMost(1)] = 0.5

    def check(self) -> None:
        if self.most < self.least:
            self.refuse("most", f"must be at least least = {self.least}; got {self.most}")
        require_memory(10 * self.most**2, f"{self}", "Choose fewer vertices.")

    @checked
    def draw(self, seed: Seed, count: Count) -> list[Bool[np.ndarray, "vertex vertex"]]:
        """`count` independent graphs."""
        rng = np.random.default_rng(seed)
        return [self._one(rng, int(vertices)) for vertices in rng.integers(self.least, self.most + 1, count)]

    def _one(self, rng: np.random.Generator, vertices: int) -> Bool[np.ndarray, "vertex vertex"]:
        for _ in range(_MOST_DRAWS):
            upper = np.triu(rng.random((vertices, vertices)) < self.chance, 1)
            if is_connected(graph := upper | upper.T):
                return graph
        none = f"of {_MOST_DRAWS:,} graphs of {vertices} vertices none was connected; got {self.chance}"
        return self.refuse("chance", f"must be higher: {none}")


def is_connected(adjacency: Bool[np.ndarray, "vertex vertex"]) -> bool:
    """Whether a path joins any two vertices.

    >>> is_connected(np.array([[False, True], [True, False]])), is_connected(np.zeros((2, 2), bool))
    (True, False)
    """
    return bool((distances_of(adjacency[None])[0] >= 0).all())


def distances_of(adjacency: Bool[np.ndarray, "graph vertex vertex"]) -> Int[np.ndarray, "graph vertex vertex"]:
    """How many edges the shortest path between two vertices has; −1 if there is none."""
    reached = np.broadcast_to(np.eye(adjacency.shape[-1], dtype=bool), adjacency.shape)
    found = np.where(reached, 0, -1)
    step = adjacency.astype(np.float32)
    for length in range(1, adjacency.shape[-1]):
        further = reached | (reached.astype(np.float32) @ step > 0)
        found[further & ~reached] = length
        if (further == reached).all():
            break
        reached = further
    return found
