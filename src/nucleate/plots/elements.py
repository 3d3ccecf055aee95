"""The elements of a group in a plane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from nucleate.plots.circles import name_points, reach
from nucleate.plots.style import MUTED, PALETTE

_DOT = 60.0


def elements(
    ax: Axes,
    points: ArrayLike,
    names: Sequence[str],
    orders: ArrayLike,
    *,
    outline: bool = False,
    legend: bool = True,
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
) -> None:
    """The elements `points[token, 2]` with their names, coloured by the order of each; both axes on one scale.

    With `outline`, a line joins them in the order of their angles, as the corners of a polygon; with `legend`, the
    orders' colours are named to the right of the axes. Source: [liu2022grokking], Figure 17.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     elements(ax, [[1, 0], [-1, 1], [-1, -1]], ["e", "a", "b"], [1, 3, 3], outline=True)
    >>> [text.get_text() for text in ax.texts], [text.get_text() for text in ax.get_legend().get_texts()]
    (['e', 'a', 'b'], ['1', '3'])
    """
    points, orders = np.asarray(points, float), np.asarray(orders, int)
    if points.shape != (len(names), 2) or orders.shape != (len(names),):
        raise ValueError(
            f"elements: points must be [token={len(names)}, 2] with an order for each; "
            f"got {points.shape} and {orders.shape}."
        )
    if outline:
        offset = points - points.mean(axis=0)
        corners = np.argsort(np.arctan2(offset[:, 1], offset[:, 0]))
        ax.fill(*points[corners].T, facecolor=PALETTE[0], edgecolor=MUTED, alpha=0.12, lw=0, zorder=1)
        ax.plot(*points[np.append(corners, corners[0])].T, color=MUTED, lw=1.2, zorder=2)
    for place, order in enumerate(np.unique(orders).tolist()):
        here = points[orders == order]
        color = PALETTE[place % len(PALETTE)]
        ax.scatter(here[:, 0], here[:, 1], s=_DOT, color=color, edgecolors="white", zorder=3, label=str(order))
    name_points(ax, points, names, size=_DOT)
    limit = (1.15 + 0.04 * max(map(len, names))) * reach(points)  # longer names need more room
    ax.set(xlim=(-limit, limit), ylim=(-limit, limit), xlabel=xlabel, ylabel=ylabel)
    ax.set_aspect("equal")
    ax.set_title(title, pad=8)
    if legend:
        ax.legend(title="order", loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
