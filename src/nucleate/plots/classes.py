"""Points of several classes in the plane."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike

from nucleate.plots.style import INK

_COLORS = matplotlib.colormaps["tab10"].colors  # type: ignore[attr-defined]


def class_points(ax: Axes, points: ArrayLike, label: ArrayLike, *, title: str = "") -> None:
    """Each of the `points[point, 2]` in the colour of its class, and the number of each class at its mean.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     class_points(ax, [[0.0, 0.0], [2.0, 0.0], [5.0, 5.0]], [3, 3, 7])
    >>> [(text.get_text(), text.get_position()) for text in ax.texts]
    [('3', (1.0, 0.0)), ('7', (5.0, 5.0))]
    """
    points, label = np.asarray(points, float), np.asarray(label, int)
    if points.shape != (label.size, 2):
        raise ValueError(f"class_points: points must be [point={label.size}, 2]; got {points.shape}.")
    ax.scatter(*points.T, c=[_COLORS[number % len(_COLORS)] for number in label], s=5, lw=0, alpha=0.6)
    halo = [withStroke(linewidth=2.5, foreground="white")]
    for number in np.unique(label).tolist():
        x, y = points[label == number].mean(0).tolist()
        name = ax.text(x, y, str(number), ha="center", va="center", fontsize=10, fontweight="bold", color=INK)
        name.set(path_effects=halo)
    ax.set_aspect("equal", adjustable="datalim")
    ax.locator_params(nbins=4)
    ax.tick_params(labelsize=8.5)
    ax.set_title(title)
