"""Routes of the spectral line navigator on graphs, and how many of them are optimal by number of eigenvectors."""

from pathlib import Path

import numpy as np

from nucleate.claims import Evidence
from nucleate.observables import Navigator, Ties, line_graph
from nucleate.papers.algebra.readings import navigator as readings
from nucleate.plots import PALETTE, Picture, graph_route, panels, save
from nucleate.plots.style import MUTED
from nucleate.tasks import connected_graphs

_NAMES = ("without weights", r"weighted, $D^{-1/2}\,U/\lambda$")
_EDGES = 8  # of the graphs of seven vertices whose routes are drawn: few enough for paths to be long
_SHOWN = 3


def routes_on_graphs(evidence: Evidence, folder: Path) -> Picture:
    tried = evidence.once(readings.sweep)
    count = tried.best("plain")
    figure, axes = panels(2, _SHOWN, size=(3.6, 3.1))
    shown = _failures(count)
    for ax, graph in zip(axes[:_SHOWN], shown, strict=False):
        _draw(ax, graph, "plain", count, f"without weights, {count} eigenvectors")
    for ax, graph in zip(axes[_SHOWN:-1], shown, strict=False):
        _draw(ax, graph, "weighted", None, "weighted, all eigenvectors", shown=_pair(graph, "plain", count))
    failure = _weighted_failure(evidence)
    if failure is None:
        axes[-1].axis("off")
    else:
        _draw(axes[-1], failure, "weighted", None, "weighted: a failure")
    return Picture(
        save(figure, folder / "routes.png"),
        "The spectral line navigator: routes on graphs",
        f"Dark: source; blue: target. Band: a shortest path; arrows: the navigator's route, which ends where it comes "
        f"back to. Top: failures without weights, at the best number of eigenvectors, on graphs of seven vertices and "
        f"{_EDGES} edges. Bottom: the same queries with eigenvectors weighted by D^(−1/2)/λ, and the smallest random "
        "graph of fewer than 10 vertices on which that fails, if there is one. Of equally near neighbours the first is "
        "taken.",
    )


def _failures(count: int) -> list[np.ndarray]:
    """Graphs in which some route at distance 3 or more is not optimal without weights, evenly spread."""
    graphs = [graph for graph in connected_graphs(7) if graph.sum() // 2 == _EDGES]
    failed = [graph for graph in graphs if _pair(graph, "plain", count) is not None]
    return [failed[place] for place in np.linspace(0, len(failed) - 1, min(_SHOWN, len(failed))).astype(int)]


def _weighted_failure(evidence: Evidence) -> np.ndarray | None:
    """The smallest judged random graph with a route that is not optimal, by number of edges."""
    name, kind = next(iter(readings.ENSEMBLES.items()))
    found = evidence.once(readings.on_random_graphs).of(name, 0)
    graphs = kind.draw(readings.SEED, len(found.pairs))
    wrong = [graphs[number] for number in np.flatnonzero(found.optimal < found.pairs - 1e-6)]
    failed = [graph for graph in wrong if _pair(graph, "weighted", None, least=2) is not None]
    return min(failed, key=lambda graph: (len(graph), graph.sum()), default=None)


def _pair(graph: np.ndarray, kind: str, count: int | None, least: int = 3) -> tuple[int, int] | None:
    """The first pair, of those farthest apart, whose route is not optimal."""
    navigator = Navigator(readings.KINDS[kind](count), Ties.FIRST)
    distance = readings.distances(graph)
    wrong = np.argwhere((navigator.optimal(graph[None])[0] < 0.5) & (distance >= least))
    return max([(i, t) for i, t in wrong.tolist()], key=lambda pair: distance[pair], default=None)


def _draw(ax, graph: np.ndarray, kind: str, count: int | None, title: str, shown: tuple[int, int] | None = None):
    import networkx as nx

    pair = shown or _pair(graph, kind, count, least=2)
    assert pair is not None
    drawn = nx.from_numpy_array(graph)
    layout = nx.kamada_kawai_layout(drawn)
    graph_route(
        ax,
        [layout[vertex] for vertex in range(len(graph))],
        line_graph(graph).edges,
        route=Navigator(readings.KINDS[kind](count), Ties.FIRST).route(graph, *pair),
        shortest=nx.shortest_path(drawn, *pair),
        title=title,
    )


def shares_by_count(evidence: Evidence, folder: Path) -> Picture:
    tried = evidence.once(readings.sweep)
    figure, axes = panels(1, 2, size=(4.6, 3.7))
    titles = ("all pairs", "pairs at distance 2 or more")
    for ax, shares, title in zip(axes, (tried.share, tried.far), titles, strict=True):
        for row, name, color in zip(shares, _NAMES, PALETTE, strict=False):
            ax.plot(readings.COUNTS, row, "o-", ms=4, color=color, label=name)
        ax.axhline(0.99, color=MUTED, lw=1, ls=":", zorder=1)
        ax.set(xlabel="number of eigenvectors", ylabel="share of optimal routes", ylim=(0.5, 1.02))
        ax.set_xticks(readings.COUNTS[::2])
        ax.set_title(title, pad=8)
    axes[0].legend(loc="lower right")
    return Picture(
        save(figure, folder / "navigator.png"),
        "The spectral line navigator: optimal routes by number of eigenvectors",
        f"Shares of routes that are shortest paths in all {tried.graphs} connected graphs of 3 to 7 vertices; ties are "
        "broken by chance. A graph with fewer edges has all its eigenvectors. Dotted: the talk's 99 %. With all "
        "eigenvectors and no weights any two edges are equally far apart.",
    )


FIGURES = (routes_on_graphs, shares_by_count)
