"""A first look at any record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nucleate.plots.style import FRACTION_MAP, PALETTE, panels
from nucleate.plots.value_map import value_map
from nucleate.record import Cell, cells, ends, histories, swept

_MOST_LINES = 100
_MOST_NAMES = 6
_SPREAD = 100  # from the smallest to the largest, beyond which an axis is logarithmic
_NAMED = 0.42  # inches that a number takes in a map
_ENTRY = 1.2  # and that an entry of a legend takes
_FAINT = 6  # thin lines that together are as strong as a bold one

Look = Mapping[str, Any]


def overview(record: xr.Dataset) -> Figure:
    """Every recorded scalar against its step: a thin line for each member, a bold one for the median over seeds.

    There is a median for each combination of swept hyperparameters, coloured by the one with the most values. If there
    is no scalar, the root mean square of every array is drawn.

    >>> from nucleate.plots import style
    >>> loss = (("member", "step"), np.exp(-np.arange(5.0)) * np.ones((4, 1)))
    >>> coords = {"step": np.arange(5), "eta": ("member", [0.1, 0.1, 0.2, 0.2])}
    >>> with style():
    ...     figure = overview(xr.Dataset({"loss": loss}, coords))
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['0.1', '0.2']
    """
    shown = histories(record)
    if not shown:
        raise ValueError("overview needs a variable over (member, step); the record has none.")
    axes = swept(record)
    groups = cells(record, axes)
    shades = _shades([cell.values[0] for cell in groups]) if axes else {}
    columns = min(3, len(shown))
    figure, panes = panels(-(-len(shown) // columns), columns, size=(4.2, 3.0))
    for ax, value in zip(panes, shown.values(), strict=False):
        _history(ax, value, groups, shades)
    for ax in panes[len(shown) :]:
        ax.set_axis_off()
    if axes:
        _name_shades(figure, axes[0], shades)
    return figure


def end_maps(record: xr.Dataset) -> Figure | None:
    """Where two hyperparameters are swept: for each scalar, the median over seeds of its last value, in every cell.

    Members that diverged are left out; a cell that has no others is empty.

    >>> from nucleate.plots import style
    >>> loss = (("member", "step"), [[1.0, 0.5], [1.0, 0.1], [1.0, 0.2], [1.0, 0.3]])
    >>> coords = {"step": [0, 9], "eta": ("member", [0.1, 0.1, 0.2, 0.2]), "decay": ("member", [0, 1, 0, 1])}
    >>> with style():
    ...     figure = end_maps(xr.Dataset({"loss": loss}, coords))
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['0.5', '0.2', '0.1', '0.3']
    """
    shown, axes = histories(record), swept(record)
    if len(axes) != 2 or not shown:
        return None
    x, y = (np.unique(record[name].values) for name in axes)
    columns = min(3, len(shown))
    size = (max(4.2, _NAMED * len(x) + 1.2), max(3.0, 0.3 * len(y) + 1.2))
    figure, panes = panels(-(-len(shown) // columns), columns, size=size)
    for ax, value in zip(panes, shown.values(), strict=False):
        last, found = ends(record, value), np.full((len(y), len(x)), np.nan)
        for cell in cells(record, axes):
            known = last[cell.members][np.isfinite(last[cell.members])]
            row, column = np.searchsorted(y, cell.values[1]), np.searchsorted(x, cell.values[0])
            found[row, column] = np.median(known) if known.size else np.nan
        _map(ax, found, x, y)
        ax.set_xlabel(axes[0], parse_math=False)
        ax.set_ylabel(axes[1], parse_math=False)
        ax.set_title(title_of(value), parse_math=False)
    for ax in panes[len(shown) :]:
        ax.set_axis_off()
    return figure


def title_of(value: xr.DataArray) -> str:
    """What a variable is called above its panel."""
    return str(value.attrs.get("long_name", str(value.name).replace("_", " ")))


def wide_range(values: np.ndarray) -> bool:
    """Whether values are best seen on a logarithmic axis: all are positive, and they differ by orders of magnitude."""
    known = values[np.isfinite(values)]
    return bool(known.size and known.min() > 0 and known.max() > _SPREAD * known.min())


def draw_median(ax: Axes, steps: np.ndarray, lines: np.ndarray, look: Look) -> None:
    """Draw the median of `lines[member, step]`, as far as there is a member."""
    alive = np.isfinite(lines).any(0)
    ax.plot(steps[alive], np.nanmedian(lines[:, alive], axis=0), **look)


def _history(ax: Axes, value: xr.DataArray, groups: Sequence[Cell], shades: Mapping[float, tuple]) -> None:
    steps, lines = value[value.dims[1]].values, np.asarray(value.values, float)
    every = max(1, len(lines) // _MOST_LINES)
    faint = min(0.6, max(0.15, _FAINT / len(lines[::every])))
    for cell in groups[:: max(1, len(groups) // _MOST_LINES)]:
        color = shades[cell.values[0]] if shades else PALETTE[0]
        ax.plot(steps, lines[cell.members][::every].T, color=color, alpha=faint, lw=0.7)
        bold = {"color": color, "lw": 1.4} if shades else {"color": PALETTE[1], "lw": 2.0}
        draw_median(ax, steps, lines[cell.members], bold)
    if wide_range(lines):
        ax.set_yscale("log")
    ax.set_title(title_of(value), parse_math=False)  # a dollar in a name is a dollar
    ax.set_xlabel("training step")


def _shades(values: Sequence[float]) -> dict[float, tuple]:
    """A colour for each value, by its rank."""
    unique = np.unique(values)
    return dict(zip(unique.tolist(), map(tuple, FRACTION_MAP(np.linspace(0, 1, len(unique)))), strict=True))


def _name_shades(figure: Figure, axis: str, shades: Mapping[float, tuple]) -> None:
    """Name some values of a swept axis by their colours, with the first and the last of many."""
    values = list(shades)
    named = sorted({round(at) for at in np.linspace(0, len(values) - 1, min(_MOST_NAMES, len(values)))})
    handles = [Line2D([], [], color=shades[values[at]], lw=2, label=f"{values[at]:.4g}") for at in named]
    across = max(1, int(figure.get_figwidth() / _ENTRY))
    look = {"title": axis, "loc": "outside lower center", "ncols": min(across, len(handles))}
    figure.legend(handles=handles, **look).get_title().set_parse_math(False)


def _map(ax: Axes, found: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    known = found[np.isfinite(found)]
    span = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    names = [[f"{value:.3g}" for value in values.tolist()] for values in (x, y)]
    value_map(ax, found, *names, span=span, log=wide_range(found), form=".2g")
    if len(x) > 6:  # or their names would touch
        ax.tick_params(axis="x", labelrotation=90)
