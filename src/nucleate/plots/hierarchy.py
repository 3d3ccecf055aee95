"""Which equations a representation satisfies: their hierarchy, and the networks found at each of its places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from numpy.typing import ArrayLike

from nucleate.plots.labels import KeepApart, spread
from nucleate.plots.style import INK, MUTED, token_colors

_WIDTH, _HEIGHT = 1.0, 0.62
_COLUMN, _ROW = 1.5, 0.82


def hierarchy(
    ax: Axes,
    levels: Sequence[Sequence[tuple[str, str, ArrayLike]]],
    edges: Sequence[tuple[str, str]],
) -> None:
    """Sets of equations as boxes, one column per level, with arrows from parent to child.

    A box is (name, description of its freedom, positions of the tokens on a line). Names are unique; edges join them.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     hierarchy(ax, [[("all", "2 dof", [0, 1, 2])], [("none", "3 dof", [0, 1, 5])]], [("all", "none")])
    >>> len(ax.patches)
    3
    """
    centres: dict[str, tuple[float, float]] = {}
    for column, level in enumerate(levels):
        for row, (name, freedom, positions) in enumerate(level):
            if name in centres:
                raise ValueError(f"hierarchy: names must be unique; got {name!r} twice.")
            centres[name] = (column * _COLUMN, ((len(level) - 1) / 2 - row) * _ROW)
            _box(ax, centres[name], name, freedom, np.asarray(positions, float))
    for parent, child in edges:
        if unknown := {parent, child} - centres.keys():
            raise ValueError(f"hierarchy: edges must join boxes {sorted(centres)}; got {sorted(unknown)}.")
        (x0, y0), (x1, y1) = centres[parent], centres[child]
        tail, head = (x0 + _WIDTH / 2, y0), (x1 - _WIDTH / 2, y1)
        ax.add_patch(FancyArrowPatch(tail, head, arrowstyle="-|>", mutation_scale=11, color=MUTED, lw=1.1))
    tallest = max((len(level) for level in levels), default=1)
    ax.set_xlim(-_WIDTH / 2 - 0.1, (len(levels) - 1) * _COLUMN + _WIDTH / 2 + 0.1)
    ax.set_ylim(-(tallest - 1) / 2 * _ROW - _HEIGHT / 2 - 0.1, (tallest - 1) / 2 * _ROW + _HEIGHT / 2 + 0.1)
    ax.set_axis_off()


def _box(ax: Axes, centre: tuple[float, float], name: str, freedom: str, positions: np.ndarray) -> None:
    x, y = centre
    corner, rounded = (x - _WIDTH / 2, y - _HEIGHT / 2), "round,pad=0,rounding_size=0.05"
    ax.add_patch(FancyBboxPatch(corner, _WIDTH, _HEIGHT, boxstyle=rounded, fc="#F6F7F9", ec=MUTED, lw=1))
    ax.text(x, y + 0.185, name, ha="center", va="center", fontsize=9.5, fontweight="bold", color=INK)
    ax.text(x, y - 0.215, freedom, ha="center", va="center", fontsize=8.5, color=MUTED)
    span = np.ptp(positions) or 1.0
    dots = x + 0.72 * _WIDTH * ((positions - positions.min()) / span - 0.5 * bool(np.ptp(positions)))
    line = y - 0.045
    ax.plot([x - 0.43 * _WIDTH, x + 0.43 * _WIDTH], [line, line], color=MUTED, lw=0.8)
    colors = token_colors(dots.size)
    ax.scatter(dots, np.full(dots.size, line), color=colors, s=34, ec="white", lw=0.5, zorder=3)
    places = spread(dots, np.full(dots.size, 0.085 * _WIDTH))
    for token, (place, color) in enumerate(zip(places, colors, strict=True)):
        ax.text(place, line + 0.075, str(token), ha="center", va="center", fontsize=7.5, color=color)


def strips(ax: Axes, embeddings: ArrayLike, groups: ArrayLike, names: Sequence[str], *, xlabel: str = "") -> None:
    """Each network's one-dimensional representation as a thin row of dots, with rows gathered by group.

    `embeddings` is [network, token]; `groups[network]` indexes `names`. Rows are centred, scaled to unit
    variance, flipped so that the last token lies to the right of the first, and sorted within their group by the
    position of the second token. An empty group keeps its place, with a count of 0.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     strips(ax, [[0, 1, 2], [2, 1, 0], [0, 0.2, 2]], [0, 0, 1], ["linear", "free"])
    >>> [text.get_text() for text in ax.texts]
    ['linear\\n2 (67%)', 'free\\n1 (33%)']
    """
    embeddings, groups = np.asarray(embeddings, float), np.asarray(groups, int)
    if embeddings.ndim != 2 or not embeddings.size or groups.shape != embeddings.shape[:1]:
        raise ValueError(
            "strips: embeddings must be [network, token] and groups [network]; "
            f"got {embeddings.shape} and {groups.shape}."
        )
    if not 0 <= groups.min() <= groups.max() < len(names):
        raise ValueError(f"strips: groups must be 0 … {len(names) - 1}; got {np.unique(groups).tolist()}.")
    networks, tokens = embeddings.shape
    rows = _normalised(embeddings)
    least, gap = 0.065 * networks, 0.02 * networks + 0.5
    top, labels, beside = 0.0, [], ax.get_yaxis_transform()
    for code, name in enumerate(names):
        members = rows[groups == code]
        members = members[np.argsort(members[:, min(1, tokens - 1)], kind="stable")]
        height = max(len(members), least)
        heights = top + (height - len(members)) / 2 + np.arange(len(members)) + 0.5
        ax.axhspan(top, top + height, color="#F3F4F6", lw=0, zorder=0)
        for token, color in enumerate(token_colors(tokens)):
            ax.scatter(members[:, token], heights, s=9, color=color, lw=0, zorder=3)
        text = f"{name}\n{len(members)} ({len(members) / networks:.0%})"
        middle = (1.0, top + height / 2)
        offset = {"xycoords": beside, "xytext": (7, 0), "textcoords": "offset points"}
        labels.append(ax.annotate(text, middle, **offset, va="center", fontsize=8.5, linespacing=1.25))
        top += height + gap
    ax.add_artist(KeepApart(labels, beside, direction=1, gap=1))
    ax.set_ylim(top - gap, 0)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(xlabel)
    ax.legend(
        handles=[Line2D([], [], color=color, marker="o", ls="", ms=5) for color in token_colors(tokens)],
        labels=[f"token {token}" if token == 0 else str(token) for token in range(tokens)],
        ncols=tokens,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        borderaxespad=0.0,
        handletextpad=0.0,
        columnspacing=0.7,
    )


def _normalised(embeddings: np.ndarray) -> np.ndarray:
    centred = embeddings - embeddings.mean(axis=1, keepdims=True)
    size = centred.std(axis=1, keepdims=True)
    turned = np.where(centred[:, -1:] < centred[:, :1], -1.0, 1.0)
    return turned * centred / np.where(size > 0, size, 1.0)
