"""The graph transformer: how it learns paths, and its edge embeddings beside the spectrum of the line graph."""

from pathlib import Path

import numpy as np

from nucleate.claims import Evidence
from nucleate.observables import line_graph, spectral_correlation
from nucleate.papers.algebra.experiments.paths import PATHS
from nucleate.papers.algebra.readings import paths as readings
from nucleate.plots import PALETTE, Picture, graph_route, matched_points, member_curves, panels, save
from nucleate.plots.scales import log_x
from nucleate.plots.style import MUTED
from nucleate.record import stayed_finite


def learning(evidence: Evidence, folder: Path) -> Picture | None:
    record, found = stayed_finite(evidence.record(PATHS)), evidence.once(readings.correlations)
    if not len(found.trained):
        return None
    figure, (left, right) = panels(1, 2)
    accuracy = record.accuracy.values
    member_curves(left, record.step.values, {"legal": accuracy[..., 0], "optimal": accuracy[..., 1]})
    left.set(ylabel="share of answers")
    left.set_title("paths in held-out graphs", pad=8)
    for place, (dimension, color) in enumerate(zip(readings.DIMENSIONS, PALETTE, strict=False)):
        name = f"{dimension} eigenvector{'s' if dimension > 1 else ''}"
        right.plot(found.step, np.median(found.trained[..., place], axis=0), "o-", ms=4, color=color, label=name)
        right.axhline(float(np.median(found.chance[:, place])), color=color, lw=1, ls="--", zorder=1)
    right.axhline(0.9, color=MUTED, lw=1, ls=":", zorder=1)
    log_x(right, found.step)
    right.set_xlim(found.step.min(), found.step.max())
    right.set(xlabel="training step", ylabel="normalised correlation", ylim=(0, 1.03))
    right.set_title("edges and the line graph's spectrum", pad=8)
    right.legend(loc="lower left", ncols=2)
    return Picture(
        save(figure, folder / "graph_transformer.png"),
        "The graph transformer: paths and spectra over training",
        f"Left: answers of {len(found.trained)} networks by greedy decoding, that follow edges to the target and that "
        "are shortest. Right: medians over networks of the correlation of edge embeddings with the first eigenvectors "
        "of the line graph; dashed: a random matrix; dotted: the talk's 0.9.",
    )


def embedding_and_spectrum(evidence: Evidence, folder: Path) -> Picture | None:
    import networkx as nx

    record, found = stayed_finite(evidence.record(PATHS)), evidence.once(readings.correlations)
    if not len(found.trained):
        return None
    network = int(np.argsort(found.end)[len(found.end) // 2])
    graphs = [readings.small(graph) for graph in record.held_out.values[network]]
    shown = [number for number, graph in enumerate(graphs) if 2 in readings.first_eigenvectors(graph)]
    figure, (drawn, before, after, bars) = panels(1, 4, size=(3.9, 3.7))
    if shown:
        number = max(shown, key=lambda number: graphs[number].sum())  # chance explains least where edges are many
        graph = graphs[number]
        edges, target = line_graph(graph).edges, readings.first_eigenvectors(graph)[2]
        layout = nx.kamada_kawai_layout(nx.from_numpy_array(graph))
        graph_route(drawn, [layout[vertex] for vertex in range(len(graph))], edges, title="a held-out graph")
        for ax, row, title in ((before, 0, "at initialisation"), (after, -1, "after training")):
            points = record.embedding.values[network, row, number, : len(edges)].astype(float)
            rho = spectral_correlation(points, target)
            names = [f"{u}–{v}" for u, v in edges]
            matched_points(ax, target, _predicted(points, target), names, title=f"{title}: {rho:.2f}")
            ax.set(xlabel="second eigenvector", ylabel="third eigenvector")
        after.legend(loc="best")
    _by_dimension(bars, found)
    return Picture(
        save(figure, folder / "edge_embeddings.png"),
        "Edge embeddings beside the spectrum of the line graph",
        "A held-out graph; its edges in the plane of the second and third eigenvector of the line graph (rings), and "
        "their best linear prediction from the two strongest directions of the embedding of the median network (dots), "
        "with its normalised correlation. Right: medians over networks, of the mean over held-out graphs. An edge that "
        "is no more than the sum of vectors for its two ends has this spectrum, too.",
    )


def _predicted(points: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The projection of the target on the strongest directions of the points, around its mean."""
    basis = np.linalg.svd(points - points.mean(0), full_matrices=False)[0][:, : target.shape[1]]
    return target.mean(0) + basis @ (basis.T @ (target - target.mean(0)))


def _by_dimension(ax, found: readings.Correlations) -> None:
    lines = {
        "after training": (found.trained[:, -1], "o-"),
        "at initialisation": (found.trained[:, 0], "o-"),
        "sum of ends": (found.ends, "s--"),
        "random matrix": (found.chance, "s:"),
    }
    for (name, (values, look)), color in zip(lines.items(), PALETTE, strict=False):
        ax.plot(readings.DIMENSIONS, np.median(values, axis=0), look, ms=5, color=color, label=name)
    ax.axhline(0.9, color=MUTED, lw=1, ls=":", zorder=1)
    ax.set(xlabel="eigenvectors", ylabel="normalised correlation", ylim=(0, 1.03), xticks=readings.DIMENSIONS)
    ax.set_title("all networks", pad=8)
    ax.legend(loc="lower right")


FIGURES = (learning, embedding_and_spectrum)
