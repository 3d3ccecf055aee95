"""Curves against a control parameter, and measured against predicted values."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PathCollection
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike

from nucleate.plots.labels import mark
from nucleate.plots.style import FRACTION_MAP, INK, MUTED, PALETTE, Number

_DOT = {"s": 34, "linewidths": 0.6, "edgecolors": "white"}


def transition(
    ax: Axes,
    x: ArrayLike,
    y: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    *,
    threshold: Number | None = None,
    marks: Mapping[str, Number] | None = None,
    xlabel: str = "",
    ylabel: str = "",
    color: str = PALETTE[0],
    label: str | None = None,
) -> None:
    """A quantity y(x) with its band [low, high], a level it crosses and where it does so.

    `threshold` is a level of y (dotted); `marks` maps labels to x positions, such as r_c.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     transition(ax, [0, 1], [0, 1], [0, 0.9], [0.1, 1], threshold=0.5, marks={"$r_c$ = 0.4": 0.4})
    >>> [text.get_text() for text in ax.texts]
    ['$r_c$ = 0.4']
    """
    x, y, low, high = (np.asarray(values, float) for values in (x, y, low, high))
    ax.fill_between(x, low, high, color=color, alpha=0.2, lw=0)
    ax.plot(x, y, color=color, marker="o", ms=4, mec="white", mew=0.5, label=label)
    if threshold is not None:
        ax.axhline(float(threshold), color=MUTED, lw=1, ls=":", zorder=1)
    if marks:
        mark(ax, marks)
    ax.set(xlabel=xlabel, ylabel=ylabel)


def agreement(
    ax: Axes,
    x: ArrayLike,
    y: ArrayLike,
    color: ArrayLike,
    *,
    diagonal: bool = True,
    xlabel: str = "",
    ylabel: str = "",
    clabel: str = "",
) -> PathCollection:
    """Measured against predicted values, coloured by a third quantity, with Pearson's r and the number of points.

    With `diagonal`, both axes share one range and the line of perfect agreement is drawn. Points that are not
    finite in both coordinates are left out and not counted.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     dots = agreement(ax, [0.2, 0.5, 1.0], [0.3, 0.5, 1.0], [0.1, 0.5, 0.9])
    >>> ax.texts[0].get_text()
    '$r$ = 0.995\\n$n$ = 3'
    """
    x, y, color = (np.asarray(values, float).ravel() for values in (x, y, color))
    finite = np.isfinite(x) & np.isfinite(y)
    x, y, color = x[finite], y[finite], color[finite]
    if diagonal:
        low, high = _range(np.concatenate([x, y]))
        ax.plot([low, high], [low, high], color=MUTED, lw=1.1, ls=(0, (4, 3)), zorder=1)
        ax.set(xlim=(low, high), ylim=(low, high))
    dots = ax.scatter(x, y, c=color, cmap=FRACTION_MAP, alpha=0.8, zorder=3, **_DOT)
    opaque = ScalarMappable(dots.norm, dots.cmap)
    bar = ax.figure.colorbar(opaque, ax=ax, label=clabel, shrink=0.9, aspect=24)
    bar.outline.set_visible(False)
    _corner_note(ax, x, y, f"{_pearson(x, y)}\n$n$ = {x.size}")
    ax.set(xlabel=xlabel, ylabel=ylabel)
    return dots


def above_diagonal(
    ax: Axes,
    fraction: ArrayLike,
    value: ArrayLike,
    *,
    xlabel: str = "training fraction",
    ylabel: str = "",
    color: str = PALETTE[0],
    note: str = "memorization",
) -> PathCollection:
    """A dot for each seed, with the dashed diagonal of networks that know only their training set.

    `value` is [point] like `fraction`, or [fraction, seed]. Seeds above the diagonal and on it are counted.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     dots = above_diagonal(ax, [0.2, 0.8], [[0.3, 0.1], [0.8, 1.0]], ylabel="accuracy")
    >>> ax.texts[-1].get_text()
    '2 of 4 above, 1 on the diagonal'
    """
    fraction, value = _points(fraction, value)
    ax.fill_between([0, 1], [0, 1], [1, 1], color=color, alpha=0.07, lw=0)
    ax.plot([0, 1], [0, 1], color=PALETTE[1], lw=1.4, ls=(0, (4, 3)), zorder=1)
    ax.set(xlim=(0, 1.03), ylim=(0, 1.03), xlabel=xlabel, ylabel=ylabel)
    along = {"rotation": 45, "rotation_mode": "anchor", "transform_rotates_text": True}
    ax.text(0.7, 0.685, note, ha="center", va="top", color=PALETTE[1], fontsize=9, **along)
    dots = ax.scatter(fraction, value, color=color, alpha=0.65, zorder=3, **_DOT)
    on = np.abs(value - fraction) <= 1e-6  # recorded accuracies are single precision
    above = f"{np.sum((value > fraction) & ~on)} of {value.size} above"
    said = f"{above}, {on.sum()} on the diagonal" if on.any() else above
    ax.text(1.0, 0.03, said, ha="right", fontsize=9.5, color=INK)
    return dots


def median_line(
    ax: Axes,
    x: ArrayLike,
    y: ArrayLike,
    *,
    budget: Number | None = None,
    ylog: bool = False,
    xlabel: str = "",
    ylabel: str = "",
    color: str = PALETTE[0],
    label: str = "one seed",
) -> None:
    """A dot for each seed and a line through the medians; seeds that never arrived are triangles at the top.

    `y` is [point] like `x`, or [x, seed]; a value that is not finite means not reached within `budget`. In the
    median it counts as larger than all others; a median that was not reached is drawn dashed, at the budget. The
    small number above a triangle counts the seeds it stands for.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     median_line(ax, [0.3, 0.6], [[900, np.inf, np.nan], [300, 400, 450]], budget=1000)
    >>> ax.get_legend().get_texts()[-1].get_text()
    'not within 1,000 steps (2 of 6)'
    """
    x, y = _points(x, y)
    late = ~np.isfinite(y)
    ax.scatter(x[~late], y[~late], color=color, alpha=0.5, zorder=3, label=label, **_DOT)
    where = np.unique(x)
    median = np.array([np.median(np.where(late, np.inf, y)[x == position]) for position in where])
    arrived = np.isfinite(median)
    ax.plot(where, np.where(arrived, median, np.nan), color=color, lw=2.2, zorder=4, label="median")
    if ylog:
        ax.set_yscale("log")
    if late.any():
        if budget is not None:
            ax.axhline(float(budget), color=MUTED, lw=0.8, ls=":", zorder=1)
            _at_least(ax, where, np.where(arrived, median, budget), ~arrived, color)
        _leave_room_above(ax)
        _never_arrived(ax, x[late], y.size, budget, color)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend(loc="best")


def _at_least(ax: Axes, x: np.ndarray, y: np.ndarray, unknown: np.ndarray, color: str) -> None:
    """Draw the part of the median line known only as a lower bound, joined to the rest."""
    joined = unknown.copy()
    joined[1:] |= unknown[:-1]
    joined[:-1] |= unknown[1:]
    ax.plot(x, np.where(joined, y, np.nan), color=color, lw=1.6, ls=(0, (2, 2)), zorder=2)


def _leave_room_above(ax: Axes) -> None:
    """Stretch the y axis so that everything drawn so far lies below 88 % of its height."""
    bottom, top = ax.dataLim.intervaly
    if not np.isfinite(top):  # nothing arrived, and no budget was given
        return
    if ax.get_yscale() == "log":
        bottom = min(ax.dataLim.minposy / 1.4, top / 10)
        ax.set_ylim(bottom, bottom * (top / bottom) ** (1 / 0.88))
    else:
        ax.set_ylim(min(0.0, bottom), top / 0.88)


def _never_arrived(ax: Axes, x: np.ndarray, seeds: int, budget: Number | None, color: str) -> None:
    limit = f"within {budget:,.0f} steps" if budget is not None else "reached"
    note = f"not {limit} ({x.size} of {seeds})"
    above = ax.get_xaxis_transform()
    look = {"marker": "^", "color": color, "s": 42, "alpha": 0.6, "lw": 0, "zorder": 3}
    ax.scatter(x, np.full(x.size, 0.935), transform=above, label=note, **look)
    halo = [withStroke(linewidth=2.5, foreground="white")]
    for position, count in zip(*np.unique(x, return_counts=True), strict=True):
        if count > 1:
            number = ax.text(position, 0.965, str(count), transform=above, ha="center", fontsize=7.5)
            number.set(color=MUTED, path_effects=halo)


def _points(x: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Flat x and y of equal length, from y[point] or y[x, seed]."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    if y.ndim == 2 and x.ndim == 1:
        x = np.broadcast_to(x[:, None], y.shape)
    if x.shape != y.shape:
        raise ValueError(f"y must be [point] like x, or [x, seed]; got x {x.shape} and y {y.shape}.")
    return x.ravel(), y.ravel()


def _range(values: np.ndarray) -> tuple[float, float]:
    low, high = (values.min(), values.max()) if values.size else (0.0, 1.0)
    margin = 0.05 * (high - low) or 0.5
    return low - margin, high + margin


def _pearson(x: np.ndarray, y: np.ndarray) -> str:
    if x.size < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return "$r$ undefined"
    return f"$r$ = {np.corrcoef(x, y)[0, 1]:z.3f}".replace("-", "−")


def _corner_note(ax: Axes, x: np.ndarray, y: np.ndarray, text: str) -> None:
    """Write in the upper left or lower right corner, whichever holds fewer points."""
    left, right, bottom, top = *ax.get_xlim(), *ax.get_ylim()
    across, up = (x - left) / (right - left), (y - bottom) / (top - bottom)
    upper_left = np.sum((across < 0.35) & (up > 0.75))
    lower_right = np.sum((across > 0.65) & (up < 0.25))
    place = {"x": 0.04, "y": 0.96, "ha": "left", "va": "top"}
    if lower_right < upper_left:
        place = {"x": 0.96, "y": 0.04, "ha": "right", "va": "bottom"}
    paper = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.5}
    ax.text(s=text, transform=ax.transAxes, linespacing=1.35, bbox=paper, zorder=4, **place)
