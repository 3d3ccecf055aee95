"""Graphs with routes through them, and edges as points beside where they should be."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch
from numpy.typing import ArrayLike

from nucleate.plots.style import INK, MUTED, PALETTE

_DOT = 190.0
_BEND = 0.18


def graph_route(
    ax: Axes,
    positions: ArrayLike,
    edges: ArrayLike,
    *,
    route: Sequence[int] = (),
    shortest: Sequence[int] = (),
    title: str = "",
) -> None:
    """A graph with its vertices at `positions[vertex, 2]`, joined by `edges[edge, 2]`, and routes through it.

    `route`: vertices in the order in which they are visited, as arrows; `shortest`: a shortest path beneath it, as a
    broad band. The source is filled dark and the target coloured, if there is either of both. A route that goes back
    and forth has an arrow on each side of the edge. Source: the routes of [cohen2025spectral].

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     graph_route(ax, [[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 2]], route=[0, 1, 0], shortest=[0, 1, 2])
    >>> len(ax.patches), [text.get_text() for text in ax.texts]
    (2, ['0', '1', '2'])
    """
    positions, edges = np.asarray(positions, float), np.asarray(edges, int)
    if positions.ndim != 2 or positions.shape[1] != 2 or edges.ndim != 2 or edges.shape[1] != 2:
        raise ValueError(
            f"graph_route: positions must be [vertex, 2] and edges [edge, 2]; got {positions.shape} and {edges.shape}."
        )
    for u, v in edges:
        ax.plot(*positions[[u, v]].T, color=MUTED, lw=1.2, alpha=0.7, zorder=1)
    if len(shortest):
        ax.plot(*positions[list(shortest)].T, color=PALETTE[5], lw=9, alpha=0.45, zorder=0.5, solid_joinstyle="round")
    for here, there in pairwise(route):
        arrow = FancyArrowPatch(
            (float(positions[here, 0]), float(positions[here, 1])),
            (float(positions[there, 0]), float(positions[there, 1])),
            connectionstyle=f"arc3,rad={_BEND}",
            arrowstyle="-|>",
            mutation_scale=13,
            shrinkA=8,
            shrinkB=8,
            color=PALETTE[1],
            lw=2,
            zorder=2,
        )
        ax.add_patch(arrow)
    ends = list(shortest or route)
    fill = ["white"] * len(positions)
    if ends:
        fill[ends[0]], fill[ends[-1]] = INK, PALETTE[5]
    ax.scatter(*positions.T, s=_DOT, c=fill, edgecolors=INK, linewidths=1.1, zorder=3)
    for vertex, (x, y) in enumerate(positions):
        color = "white" if fill[vertex] == INK else INK
        ax.text(x, y, str(vertex), ha="center", va="center", fontsize=8.5, color=color, zorder=4)
    ax.margins(0.12)
    ax.set_aspect("equal", adjustable="datalim")  # so that titles of neighbouring graphs are on one line
    ax.axis("off")
    ax.set_title(title, pad=6, fontsize=10.5)


def matched_points(
    ax: Axes, target: ArrayLike, found: ArrayLike, names: Sequence[str] = (), *, xlabel: str = "", title: str = ""
) -> None:
    """Points `target[point, 2]` as rings and what was `found` for each as dots, with a line from one to the other.

    Source: the edge embeddings of [cohen2025spectral].

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     matched_points(ax, [[0, 0], [1, 1]], [[0.1, 0], [1, 0.9]], ["0–1", "1–2"])
    >>> len(ax.lines), [text.get_text() for text in ax.texts]
    (2, ['0–1', '1–2'])
    """
    target, found = np.asarray(target, float), np.asarray(found, float)
    if target.shape != found.shape or target.ndim != 2 or target.shape[1] != 2:
        raise ValueError(f"matched_points: both must be [point, 2]; got {target.shape} and {found.shape}.")
    for pair in np.stack([target, found], axis=1):
        ax.plot(*pair.T, color=MUTED, lw=1, zorder=1)
    ax.scatter(*target.T, s=70, facecolors="none", edgecolors=PALETTE[0], linewidths=1.6, zorder=3, label="spectrum")
    ax.scatter(*found.T, s=26, color=PALETTE[1], zorder=2, label="embedding")
    # Points that share a place share a label.
    places: dict[tuple[float, float], list[str]] = {}
    for name, (x, y) in zip(names, target.round(6).tolist(), strict=False):
        places.setdefault((x, y), []).append(name)
    for place, here in places.items():
        ax.annotate(", ".join(here), place, xytext=(6, 5), textcoords="offset points", fontsize=7.5, color=INK)
    ax.margins(0.15)
    ax.set(xlabel=xlabel)
    ax.set_title(title, pad=8)
