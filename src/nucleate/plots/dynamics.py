"""Interacting signals: the matrix of their interactions, fits to their trajectories, and the loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from nucleate.plots.circles import survivor_colors
from nucleate.plots.scales import log_x, log_y
from nucleate.plots.style import INK, MUTED, PALETTE, Number

_MASK = "#CDD1D6"
_INKS = (INK, PALETTE[1], PALETTE[0], PALETTE[2])
_DASHES = ("-", (0, (4, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1, 2)))
_NEVER = 1e200


def interaction_matrix(
    ax: Axes,
    matrix: ArrayLike,
    alive: ArrayLike | None = None,
    *,
    mask_diagonal: bool = False,
    quantile: Number = 0.98,
    title: str = "",
    clabel: str = "interaction",
) -> QuadMesh:
    """The `matrix[to, from]` of interactions, blue where a circle helps another and red where it hurts.

    White is 0; the colour scale ends at the `quantile` of the non-zero off-diagonal |entries|, and larger ones take
    its end colour. A masked diagonal is grey. Survivors are numbered in their colours, see `survivor_colors`.
    Source: [ding2024survival], Figures 9 and 15.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     mesh = interaction_matrix(ax, [[-9, 1], [-2, -9]], [False, True], mask_diagonal=True, quantile=1)
    >>> mesh.norm.vmin, mesh.norm.vmax, [label.get_text() for label in ax.get_xticklabels()]
    (-2.0, 2.0, ['2'])
    """
    matrix = np.array(matrix, float)
    count = len(matrix)
    if matrix.shape != (count, count) or not count:
        raise ValueError(f"interaction_matrix: matrix must be [freq, freq]; got {matrix.shape}.")
    alive = np.zeros(count, bool) if alive is None else np.asarray(alive, bool)
    if alive.shape != (count,):
        raise ValueError(f"interaction_matrix: alive must be [freq={count}]; got {alive.shape}.")
    if mask_diagonal:
        np.fill_diagonal(matrix, np.nan)
    sizes = np.abs(matrix[np.isfinite(matrix) & (matrix != 0) & ~np.eye(count, dtype=bool)])
    limit = float(np.quantile(sizes, float(quantile))) if sizes.size else 1.0
    ax.set_facecolor(_MASK)
    edges = np.arange(count + 1) + 0.5
    norm = TwoSlopeNorm(0.0, -limit, limit)
    mesh = ax.pcolormesh(edges, edges, np.ma.masked_invalid(matrix), cmap=matplotlib.colormaps["RdBu"], norm=norm)
    ax.set(xlim=(0.5, count + 0.5), ylim=(count + 0.5, 0.5), xlabel="from frequency $k$", ylabel="to frequency $k$")
    ax.set_aspect("equal")
    ax.set_title(title, pad=8)
    _name_rows(ax, alive)
    _two_ended_bar(ax, mesh, clabel, beyond=bool(np.nanmax(np.abs(matrix), initial=0.0) > limit))
    return mesh


def _name_rows(ax: Axes, alive: np.ndarray) -> None:
    """Number the survivors on both axes, in their colours; without survivors, every fifth frequency."""
    named = np.flatnonzero(alive) + 1
    colors = [survivor_colors(alive)[k - 1] for k in named]
    if not named.size:
        named = np.arange(5, alive.size + 1, 5) if alive.size >= 10 else np.arange(1, alive.size + 1)
        colors = [INK] * named.size
    outer = _second_row(named, least=alive.size / 8)
    for axis, labels in ((ax.xaxis, ax.get_xticklabels), (ax.yaxis, ax.get_yticklabels)):
        for rows in (~outer, outer):
            minor = rows is outer
            axis.set_ticks(named[rows], labels=[str(k) for k in named[rows]], minor=minor)
            for label, color in zip(labels(minor=minor), np.array(colors)[rows], strict=True):
                label.set(color=str(color), fontsize=9, fontweight="bold" if alive.any() else "normal")
    ax.tick_params(axis="x", which="minor", length=15)
    ax.tick_params(axis="y", which="minor", length=19)
    for spine in ax.spines.values():
        spine.set_visible(False)


def _second_row(places: np.ndarray, least: float) -> np.ndarray:
    """Which of the ascending `places` need a label further out, being less than `least` after the previous one."""
    outer = np.zeros(places.size, bool)
    for index in range(1, places.size):
        outer[index] = not outer[index - 1] and places[index] - places[index - 1] < least
    return outer


def _two_ended_bar(ax: Axes, mesh: QuadMesh, label: str, beyond: bool) -> None:
    bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.8, aspect=22, extend="both" if beyond else "neither")
    bar.outline.set_visible(False)
    bar.set_label(label)
    beside = {"transform": bar.ax.transAxes, "ha": "center", "fontsize": 8.5, "fontweight": "bold"}
    pad = 0.06 if beyond else 0.02
    bar.ax.text(0.5, 1 + pad, "collaboration", va="bottom", color="#2166AC", **beside)
    bar.ax.text(0.5, -pad, "competition", va="top", color="#B2182B", **beside)


def fit_curve(
    ax: Axes,
    step: ArrayLike,
    observed: ArrayLike,
    predicted: Mapping[str, ArrayLike],
    *,
    color: str = PALETTE[0],
    title: str = "",
    legend: bool = True,
    xlabel: str = "training step",
    ylabel: str = "signal",
) -> None:
    """One frequency's `observed[step]` as a broad pale line, and each named prediction as a thin line.

    Source: [ding2024survival], Figure 9.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     fit_curve(ax, [0, 1, 2], [3.0, 2.0, 1.5], {"linear": [3.0, 2.1, 1.4]}, title="$k$ = 23")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['measured', 'linear']
    """
    step = np.asarray(step, float)
    for name, values in {"observed": observed, **predicted}.items():
        if np.shape(values) != step.shape:
            raise ValueError(f"fit_curve: {name} must be [step={step.size}]; got {np.shape(values)}.")
    ax.plot(step, np.asarray(observed, float), color=color, alpha=0.5, lw=6, label="measured", zorder=2)
    for turn, (name, values) in enumerate(predicted.items()):
        look = {"color": _INKS[turn % len(_INKS)], "ls": _DASHES[turn % len(_DASHES)]}
        ax.plot(step, np.asarray(values, float), lw=1.4, label=name, zorder=3, **look)
    if title:
        ax.set_title(title, pad=8)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    if legend:
        ax.legend(loc="best")


def fits_grid(
    axes: Sequence[Axes],
    step: ArrayLike,
    observed: ArrayLike,
    predicted: Mapping[str, ArrayLike],
    alive: ArrayLike,
    *,
    ylabel: str = "signal",
) -> None:
    """`fit_curve` of all frequencies of `observed[step, freq]` in small panels on one scale.

    Unused axes are switched off, and the first of them holds the legend.
    Source: [ding2024survival], Figure 16.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, axes = panels(1, 3, size=(2, 1.5))
    ...     fits_grid(axes, [0, 1], [[3.0, 3.0], [1.0, 5.0]], {"linear": [[3.0, 3.0], [1.1, 4.9]]}, [False, True])
    >>> [ax.texts[0].get_text() for ax in axes[:2]]
    ['$k$ = 1', '$k$ = 2']
    """
    step, observed, alive = np.asarray(step, float), np.asarray(observed, float), np.asarray(alive, bool)
    predicted = {name: np.asarray(values, float) for name, values in predicted.items()}
    for name, values in {"observed": observed, **predicted}.items():
        if values.shape != (step.size, alive.size):
            raise ValueError(f"fits_grid: {name} must be [step={step.size}, freq={alive.size}]; got {values.shape}.")
    if len(axes) < alive.size:
        raise ValueError(f"fits_grid: axes must be at least {alive.size}, one per frequency; got {len(axes)}.")
    colors = survivor_colors(alive)
    used, spare = axes[: alive.size], axes[alive.size :]
    high = float(np.nanmax(observed))
    for k, ax in enumerate(used):
        ours = {name: values[:, k] for name, values in predicted.items()}
        ink = colors[k] if alive[k] else MUTED
        fit_curve(ax, step, observed[:, k], ours, color=ink, legend=False, xlabel="", ylabel="")
        ax.set(xlim=(step[0], step[-1]), ylim=(-0.04 * high, 1.35 * high))
        bold = "bold" if alive[k] else "normal"
        ax.text(0.97, 1.0, f"$k$ = {k + 1}", transform=ax.transAxes, ha="right", va="top", color=ink, weight=bold)
        for line in ax.lines:
            line.set_linewidth(4 if line.get_label() == "measured" else 1.1)
        ax.locator_params(axis="both", nbins=3)
    _outer_labels(used, ylabel)
    handles, names = used[0].get_legend_handles_labels()
    figure = cast(Figure, used[0].figure)
    for ax in spare:
        ax.set_axis_off()
    if spare:
        spare[0].legend(handles, names, loc="center left", borderaxespad=0.0)
    else:
        figure.legend(handles, names, loc="outside upper left", ncols=len(names))


def _outer_labels(axes: Sequence[Axes], ylabel: str) -> None:
    """Keep tick labels only at the left of each row and below the last row."""
    places = [ax.get_subplotspec() for ax in axes]
    if any(place is None for place in places):
        return
    cells = [(place.rowspan.start, place.colspan.start) for place in places if place is not None]
    last = max(row for row, _ in cells)
    for ax, (row, column) in zip(axes, cells, strict=True):
        ax.tick_params(labelleft=column == 0, labelbottom=row == last, labelsize=8.5)
    figure = cast(Figure, axes[0].figure)
    figure.supxlabel("training step", fontsize=11)
    figure.supylabel(ylabel, fontsize=11)


def loss_curves(
    ax: Axes,
    step: ArrayLike,
    groups: Mapping[str, ArrayLike],
    *,
    xlog: bool = False,
    ylog: bool = True,
    xlabel: str = "training step",
    ylabel: str = "loss",
) -> None:
    """The median of each group's `loss[member, step]`, with a band between its quartiles.

    `step` may be any parameter on the x axis. A loss that is not finite counts as larger than all others.
    Source: [ding2024survival], Figures 4, 8 and 12.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     loss_curves(ax, [0, 1], {"one circle": [[4.0, 3.0], [4.2, np.nan], [4.1, 2.0]], "two": [[4.0, 1.0]]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()], ax.lines[0].get_ydata().tolist()
    (['one circle (3)', 'two (1)'], [4.1, 3.0])
    """
    step = np.asarray(step, float)
    shown = []
    for turn, (label, loss) in enumerate(groups.items()):
        loss = np.asarray(loss, float)
        if loss.ndim != 2 or loss.shape[1] != step.size or not len(loss):
            raise ValueError(f"loss_curves: {label!r} must be [member, step={step.size}]; got {loss.shape}.")
        color = PALETTE[turn % len(PALETTE)]
        quartiles = np.quantile(np.where(np.isfinite(loss), loss, _NEVER), (0.25, 0.5, 0.75), axis=0)
        low, median, high = np.where(quartiles < _NEVER / 1e10, quartiles, np.nan)
        shown += [low, median, high]
        top = np.where(np.isnan(high), np.nanmax(loss[np.isfinite(loss)], initial=0.0), high)
        ax.fill_between(step, low, top, color=color, alpha=0.18, lw=0)
        ax.plot(step, median, color=color, lw=1.6, label=f"{label} ({len(loss):,})")
    if ylog and shown:
        log_y(ax, np.concatenate(shown), decades=12)
    elif not ylog:
        ax.set_ylim(bottom=0)
    if xlog:
        log_x(ax, step)
    if step[0] < step[-1]:
        ax.set_xlim(step[0], step[-1])
    ax.set(xlabel=xlabel, ylabel=ylabel)
    if groups:
        ax.legend(loc="best")
