"""Labels that do not overlap: at the ends of lines, and above vertical marks.

Their positions are only known once the layout is final, so they are moved apart while the figure is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Transform
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression

from nucleate.plots.style import INK, MUTED, Number

_HAIRLINE = {"arrowstyle": "-", "lw": 0.7, "shrinkA": 0}


def spread(
    centres: ArrayLike, sizes: ArrayLike, *, gap: Number = 0.0, within: tuple[Number, Number] | None = None
) -> np.ndarray:
    """The centres nearest to `centres` (least squares) at which intervals of these `sizes` do not overlap.

    With d_i the least distance between neighbours i and i+1, x_i − Σ_{j<i} d_j must not decrease: an isotonic
    regression. `within` keeps the intervals inside a range if they fit.

    >>> spread([0.0, 0.0, 5.0], [1.0, 1.0, 1.0]).tolist()
    [-0.5, 0.5, 5.0]
    """
    centres, sizes = np.asarray(centres, float), np.asarray(sizes, float)
    if not centres.size:
        return centres
    order = np.argsort(centres, kind="stable")
    half = sizes[order] / 2
    shift = np.concatenate([[0.0], np.cumsum(half[1:] + half[:-1] + gap)])
    placed = isotonic_regression(centres[order] - shift).x
    if within is not None:
        low, high = within[0] + half[0], within[1] - half[-1] - shift[-1]
        if low <= high:
            placed = np.clip(placed, low, high)
    result = np.empty_like(centres)
    result[order] = placed + shift
    return result


class KeepApart(Artist):
    """An invisible artist, drawn first, that slides its labels apart along one direction (0: x, 1: y)."""

    def __init__(self, labels: Sequence[Annotation], transform: Transform, direction: int, gap: Number) -> None:
        super().__init__()
        self._labels, self._anchors, self._direction, self._gap = labels, transform, direction, gap
        self.set_zorder(-1000)
        self.set_in_layout(False)

    def draw(self, renderer) -> None:
        axes, direction = cast(Axes, self.axes), self._direction
        anchors = np.array([self._anchors.transform(label.xy)[direction] for label in self._labels])
        # The extent of an annotation includes its leader, whose length is being decided here.
        extents = [Text.get_window_extent(label, renderer) for label in self._labels]
        sizes = [(extent.width, extent.height)[direction] for extent in extents]
        within = tuple(axes.bbox.get_points()[:, direction])
        pixels_per_point = axes.figure.dpi / 72
        places = spread(anchors, sizes, gap=self._gap * pixels_per_point, within=within)
        for label, offset in zip(self._labels, (places - anchors) / pixels_per_point, strict=True):
            x, y = label.xyann
            label.xyann = (offset, y) if direction == 0 else (x, offset)


def end_labels(ax: Axes, y: Sequence[Number], texts: Sequence[str], colors: Sequence, *, x: Number) -> list[Annotation]:
    """Write each text to the right of its line's end (x, y), joined to it by a hairline, without overlaps.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     labels = end_labels(ax, [0.50, 0.51], ["a", "b"], ["k", "r"], x=1.0)
    >>> [label.get_text() for label in labels]
    ['a', 'b']
    """
    labels = [
        ax.annotate(
            text,
            xy=(x, value),
            xytext=(13, 0),
            textcoords="offset points",
            va="center",
            color=color,
            fontsize=9.5,
            fontweight="bold",
            annotation_clip=False,
            arrowprops={**_HAIRLINE, "color": color, "shrinkB": 1, "relpos": (0, 0.5)},
        )
        for value, text, color in zip(y, texts, colors, strict=True)
    ]
    if labels:
        ax.add_artist(KeepApart(labels, ax.transData, direction=1, gap=1))
    return labels


def mark(ax: Axes, marks: Mapping[str, Number], *, color: str = INK) -> list[Annotation]:
    """Vertical dashed lines at the given x, each with its label above the axes.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     labels = mark(ax, {"$r_c$ = 0.4": 0.4})
    >>> labels[0].xy
    (0.4, 1.0)
    """
    above = ax.get_xaxis_transform()
    for x in marks.values():
        ax.axvline(float(x), color=color, lw=1.1, ls=(0, (4, 3)), zorder=1.5)
    labels = [
        ax.annotate(
            text,
            xy=(x, 1.0),
            xytext=(0, 5),
            xycoords=above,
            textcoords="offset points",
            ha="center",
            va="bottom",
            color=color,
            fontsize=9,
            annotation_clip=False,
            arrowprops={**_HAIRLINE, "color": MUTED, "shrinkB": 0, "relpos": (0.5, 0)},
        )
        for text, x in marks.items()
    ]
    if labels:
        ax.add_artist(KeepApart(labels, above, direction=0, gap=7))
    return labels
