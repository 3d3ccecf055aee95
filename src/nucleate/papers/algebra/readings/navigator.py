"""How many routes of the spectral line navigator are shortest paths, by weighting, eigenvectors and kind of graph."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from nucleate.claims import Evidence
from nucleate.observables import EdgeEmbedding, Navigator, Plain, Routes, Weighted, optimal_routes
from nucleate.observables.navigation import graph_distances
from nucleate.tasks import RandomGraphs, connected_graphs

COUNTS = (2, 3, 4, 5, 6, 8, 10, 13, 16, 21)
"""Eigenvectors, from the first, whose eigenvalue is 0, to all that a graph of seven vertices can have."""

KINDS: dict[str, Callable[[int | None], EdgeEmbedding]] = {"plain": Plain, "weighted": Weighted}

ENSEMBLES = {
    "3 to 9 vertices, edges with chance 1/2": RandomGraphs(3, 9, 0.5),
    "3 to 9 vertices, edges with chance 1/4": RandomGraphs(3, 9, 0.25),
    "10 to 16 vertices, edges with chance 1/4": RandomGraphs(10, 16, 0.25),
}
"""Random connected graphs. In the first, which is judged, all graphs of as many named vertices are equally likely."""

_GRAPHS = (1500, 1500, 200)  # of each ensemble
SEED = 29


def small_graphs() -> list[np.ndarray]:
    """All connected graphs of 3 to 7 vertices, up to renaming."""
    return [graph for vertices in range(3, 8) for graph in connected_graphs(vertices)]


def routes(graphs: Sequence[np.ndarray], kind: str, count: int | None) -> Routes:
    """The routes of a navigator with `count` eigenvectors, or all that a graph has if it has fewer."""
    edges = np.array([int(graph.sum()) // 2 for graph in graphs])
    limits = edges if count is None else np.minimum(edges, count)
    found = np.zeros((4, len(graphs)))
    for limit in np.unique(limits).tolist():
        here = np.flatnonzero(limits == limit).tolist()
        navigator = Navigator(KINDS[kind](limit))
        found[:, here] = optimal_routes([graphs[number] for number in here], navigator)
    return Routes(found[0], found[1].astype(int), found[2], found[3].astype(int))


def distances(graph: np.ndarray) -> np.ndarray:
    """Edges of the shortest path between any two vertices."""
    return graph_distances(graph[None])[0]


@dataclass(frozen=True)
class Sweep:
    """Shares of optimal routes in all small graphs [kind, count], of all pairs and of those at distance 2 or more."""

    share: np.ndarray
    far: np.ndarray
    graphs: int

    def best(self, kind: str) -> int:
        """The number of eigenvectors with the most optimal routes; of several, the largest."""
        row = self.share[list(KINDS).index(kind)]
        return COUNTS[len(row) - 1 - int(np.argmax(row[::-1]))]

    @property
    def best_kind(self) -> str:
        """The kind whose best number of eigenvectors has the most optimal routes."""
        return list(KINDS)[int(np.argmax(self.share.max(1)))]


def sweep(evidence: Evidence) -> Sweep:
    """Every variant on all connected graphs of 3 to 7 vertices: what the others are chosen by."""
    graphs = small_graphs()
    found = [[routes(graphs, kind, count) for count in COUNTS] for kind in KINDS]
    share, far = (np.array([[getattr(one, name) for one in row] for row in found]) for name in ("share", "far_share"))
    return Sweep(share, far, len(graphs))


@dataclass(frozen=True)
class OnRandomGraphs:
    """Of each ensemble, for each variant [variant, 4, graph]: shortest routes and pairs, of all pairs and of those at
    distance 2 or more. Variants: `chosen` on the small graphs, the best plain one on them, and plain with all."""

    variants: list[str]
    routes: dict[str, np.ndarray] = field(default_factory=dict)

    def of(self, ensemble: str, variant: int) -> Routes:
        optimal, pairs, far_optimal, far_pairs = self.routes[ensemble][variant]
        return Routes(optimal, pairs.astype(int), far_optimal, far_pairs.astype(int))


def on_random_graphs(evidence: Evidence) -> OnRandomGraphs:
    """The variant that is best on the small graphs, and the slide's formula, on random graphs."""
    tried = evidence.once(sweep)
    variants = [(tried.best_kind, tried.best(tried.best_kind)), ("plain", tried.best("plain")), ("plain", COUNTS[-1])]
    found = {}
    for (name, kind), count in zip(ENSEMBLES.items(), _GRAPHS, strict=True):
        graphs = kind.draw(SEED, count)
        # The largest count means all eigenvectors, of which larger graphs have more.
        limits = [(name, None if limit == COUNTS[-1] else limit) for name, limit in variants]
        found[name] = np.stack([np.stack(routes(graphs, *limit)).astype(float) for limit in limits])
    return OnRandomGraphs([in_words(*variant) for variant in variants], found)


def in_words(kind: str, count: int) -> str:
    """Weighted, all eigenvectors."""
    return f"{kind}, {'all' if count == COUNTS[-1] else f'the first {count}'} eigenvectors"
