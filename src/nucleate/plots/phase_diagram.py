"""The phase in which each pair of hyperparameters ends, by vote of its seeds."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch, Rectangle
from numpy.typing import ArrayLike

from nucleate.plots.style import INK, MUTED, PHASE_COLORS

UNDECIDED = -1
_HATCH = {"facecolor": "white", "edgecolor": "#A9A9A9", "hatch": "/////", "linewidth": 0.0}
_SEPARATOR = {"facecolor": "none", "edgecolor": "white", "linewidth": 1.6}  # a hatch runs up to the edge of its cell
_PALEST = 0.3
"""How much colour a cell would keep if its winner had no votes."""


def phase_diagram(
    ax: Axes,
    winner: ArrayLike,
    share: ArrayLike,
    x: ArrayLike,
    y: ArrayLike,
    *,
    xlabel: str = "",
    ylabel: str = "",
    xlog: bool = False,
    ylog: bool = False,
    title: str = "",
    legend: bool = True,
) -> QuadMesh:
    """Cells coloured by the phase in which most seeds end; a split vote is paler and labelled with its share.

    `winner[row, col]` is the phase code (0 comprehension, 1 grokking, 2 memorization, 3 confusion, −1 no
    majority) and `share[row, col]` the winner's share of the votes, at y[row] and x[col], both ascending. Evenly
    spaced values and those of a log axis are drawn to scale; unevenly spaced ones get cells of equal size, each
    labelled with its value.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     mesh = phase_diagram(ax, [[0, 1], [2, 3]], [[1, 1], [1, 2 / 3]], [1e-3, 1e-2], [0, 5], xlog=True)
    >>> [text.get_text() for text in ax.texts]
    ['67%']
    """
    winner, share = np.asarray(winner, int), np.asarray(share, float)
    x, y = np.asarray(x, float), np.asarray(y, float)
    if winner.shape != (y.size, x.size) or share.shape != winner.shape:
        raise ValueError(
            f"phase_diagram: winner and share must be [y, x] = {(y.size, x.size)}; "
            f"got {winner.shape} and {share.shape}."
        )
    if winner.min() < UNDECIDED or winner.max() >= len(PHASE_COLORS):
        raise ValueError(f"phase_diagram: phase codes must be −1 … 3; got {np.unique(winner).tolist()}.")
    x_edges, x_centres = _lay_out(ax, "x", x, xlog)
    y_edges, y_centres = _lay_out(ax, "y", y, ylog)

    colors = _tints(winner, share)
    mesh = ax.pcolormesh(x_edges, y_edges, colors, edgecolors="white", linewidth=0.8)
    widths, heights = np.diff(x_edges), np.diff(y_edges)
    for row, col in np.argwhere(winner == UNDECIDED).tolist():
        cell = (x_edges[col], y_edges[row]), widths[col], heights[row]
        ax.add_patch(Rectangle(*cell, zorder=2, **_HATCH))
        ax.add_patch(Rectangle(*cell, zorder=2, **_SEPARATOR))
    centred = {"ha": "center", "va": "center", "fontsize": _text_size(ax, *winner.shape)}
    for row, col in np.argwhere((winner != UNDECIDED) & (share < 1 - 1e-9)).tolist():
        ink = INK if _lightness(colors[row, col]) > 0.5 else "white"
        ax.text(x_centres[col], y_centres[row], f"{share[row, col]:.0%}", color=ink, **centred)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.set_title(title, pad=8)
    ax.tick_params(length=3)
    for spine in ax.spines.values():
        spine.set_visible(False)
    if legend:
        phase_legend(ax, undecided=bool((winner == UNDECIDED).any()))
    return mesh


def phase_legend(ax: Axes, *, undecided: bool = False, single: bool = False) -> None:
    """The four phases' names and colours, to the right of the axes. `single`: no vote, each cell is one network.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     phase_legend(ax)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['comprehension', 'grokking', 'memorization', 'confusion']
    """
    handles = [Patch(facecolor=color, label=name) for name, color in PHASE_COLORS.items()]
    if undecided:
        handles.append(Patch(**_HATCH, label="diverged" if single else "no majority"))
    legend = ax.legend(
        handles=handles,
        title="one network ends in" if single else "most end in\n(paler: split vote)",
        alignment="left",
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        handlelength=1.2,
        handleheight=1.2,
    )
    legend.get_title().set(fontsize=8.5, color=MUTED)


def _lay_out(ax: Axes, name: str, values: np.ndarray, log: bool) -> tuple[np.ndarray, np.ndarray]:
    """Set up one axis; return the cells' edges and centres on it."""
    if values.size == 0 or np.any(np.diff(values) <= 0) or (log and values[0] <= 0):
        needed = "positive and ascending (log axis)" if log else "ascending"
        raise ValueError(f"phase_diagram: {name} must be {needed}; got {values.tolist()}.")
    set_ticks = getattr(ax, f"set_{name}ticks")
    gaps = np.diff(values)
    if log:
        getattr(ax, f"set_{name}scale")("log")
        exponents = _edges(np.log10(values))
        edges, centres = 10**exponents, values
        set_ticks([], minor=True)
        if np.floor(exponents[-1]) - np.ceil(exponents[0]) >= 1:  # matplotlib labels at least two powers of ten
            return edges, centres
    elif gaps.size and gaps.max() > 1.01 * gaps.min():
        centres = np.arange(values.size, dtype=float)
        edges = _edges(centres)
    else:
        edges, centres = _edges(values), values
    labels = [f"{value:.3g}" if abs(value) < 100 else f"{value:g}" for value in values]
    width, height = _size_in_points(ax)
    room = width / (8 + 6 * max(map(len, labels))) if name == "x" else height / 15
    if values.size > room and centres is values and not log:
        return edges, centres  # matplotlib chooses round numbers
    stride = int(np.ceil(values.size / room))
    set_ticks(centres[::stride], labels=labels[::stride])
    return edges, centres


def _edges(centres: np.ndarray) -> np.ndarray:
    """Boundaries halfway between neighbours; the outer cells are symmetric about their centres."""
    if centres.size == 1:
        return centres[0] + np.array([-0.5, 0.5])
    middles = (centres[1:] + centres[:-1]) / 2
    return np.concatenate([[2 * centres[0] - middles[0]], middles, [2 * centres[-1] - middles[-1]]])


def _tints(winner: np.ndarray, share: np.ndarray) -> np.ndarray:
    """RGB of each cell: its phase's colour, mixed with white the more the vote is split."""
    full = np.array([to_rgb(color) for color in PHASE_COLORS.values()] + [(1.0, 1.0, 1.0)])[winner]
    strength = (_PALEST + (1 - _PALEST) * np.clip(np.nan_to_num(share), 0.0, 1.0))[..., None]
    return strength * full + (1 - strength)


def _lightness(rgb: np.ndarray) -> float:
    return float(np.dot(rgb, (0.299, 0.587, 0.114)))


def _text_size(ax: Axes, rows: int, columns: int) -> float:
    """The largest font size, up to 8 points, at which a percentage fits a cell."""
    width, height = _size_in_points(ax)
    return float(np.clip(min(0.4 * width / columns, 0.6 * height / rows), 3.5, 8.0))


def _size_in_points(ax: Axes) -> tuple[float, float]:
    """Somewhat less than the present size of the axes, which the legend is yet to shrink."""
    points = 0.85 * 72 / ax.figure.dpi
    return ax.bbox.width * points, ax.bbox.height * points
