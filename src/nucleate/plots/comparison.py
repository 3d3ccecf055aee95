"""Runs beside each other: their curves with the spread over seeds, and where they ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from nucleate.plots.overview import draw_median, title_of, wide_range
from nucleate.plots.style import MUTED, PALETTE, panels
from nucleate.record import histories

_STYLES = ("-", (0, (4, 2)), (0, (1, 1.5)))  # for more runs than there are colours
_ROW, _LETTER = 0.24, 0.09  # inches

Groups = Mapping[str, Mapping[str, np.ndarray]]
"""The members of each run, by its name, at each of several places, which have titles."""


def compared_curves(records: Mapping[str, xr.Dataset], quantities: Sequence[str], places: Groups) -> Figure:
    """A row of panels for each scalar, with one for each place, such as a learning rate: the median over the members
    that each run has there, and the range of their middle half.

    >>> from nucleate.plots import style
    >>> loss = (("member", "step"), np.exp(-np.arange(5.0)) * np.ones((4, 1)))
    >>> record = xr.Dataset({"loss": loss}, {"step": np.arange(5)})
    >>> places = {"eta = 0.1": {"here": np.arange(4)}, "eta = 0.2": {"here": np.arange(2), "there": np.arange(4)}}
    >>> with style():
    ...     figure = compared_curves({"here": record, "there": 2 * record}, ["loss"], places)
    >>> [ax.get_title(loc="left") for ax in figure.axes], [len(ax.lines) for ax in figure.axes]
    (['loss, eta = 0.1', 'loss, eta = 0.2'], [1, 2])
    """
    figure, axes = panels(len(quantities), len(places), size=(4.4, 3.2))
    every = {name: histories(record) for name, record in records.items()}
    for row, quantity in enumerate(quantities):
        values = {name: shown[quantity] for name, shown in every.items()}
        logarithmic = all(wide_range(np.asarray(value.values, float)) for value in values.values())
        for ax, (place, members) in zip(axes[row * len(places) :], places.items(), strict=False):
            for number, (name, value) in enumerate(values.items()):
                if name in members:
                    _curve(ax, value.isel(member=members[name]), number)
            title = title_of(next(iter(values.values())))
            ax.set_title(f"{title}, {place}" if place else title, parse_math=False)
            ax.set(
                xlabel="training step" if row == len(quantities) - 1 else "", yscale="log" if logarithmic else "linear"
            )
    _name_runs(figure, list(records))
    return figure


def compared_ends(names: Sequence[str], quantities: Mapping[str, Mapping[str, ArrayLike]]) -> Figure:
    """A panel for each quantity with a row for each place: the estimates [run, (value, low, high)] of all `names`, one
    below the other. NaN where a run has none; an end that is not finite is drawn to the edge.

    >>> from nucleate.plots import style
    >>> with style():
    ...     figure = compared_ends(["here", "there"], {"loss": {"eta = 0.1": [[2, 1, 3], [5, 4, np.inf]]}})
    >>> [line.get_xdata().tolist() for line in figure.axes[0].lines]
    [[2.0], [5.0]]
    """
    most = max(map(len, quantities.values())) * len(names)
    columns = min(3, len(quantities))
    figure, axes = panels(-(-len(quantities) // columns), columns, size=(5.0, 1.3 + _ROW * most))
    for ax, (quantity, places) in zip(axes, quantities.items(), strict=False):
        estimates = np.array([np.asarray(found, float) for found in places.values()])
        if estimates.shape != (len(places), len(names), 3):
            raise ValueError(
                f"compared_ends: each place of {quantity!r} must have [run={len(names)}, 3]; got {estimates.shape[1:]}."
            )
        _rows(ax, list(places), estimates)
        ax.set_title(quantity, parse_math=False)
    for ax in axes[len(quantities) :]:
        ax.set_axis_off()
    _name_runs(figure, names)
    return figure


def _curve(ax: Axes, value: xr.DataArray, number: int) -> None:
    steps, lines = value[value.dims[1]].values, np.asarray(value.values, float)
    draw_median(ax, steps, lines, _look(number) | {"lw": 1.8})
    lines = np.where(np.isfinite(lines), lines, np.nan)
    alive = np.isfinite(lines).any(0)
    if len(lines) > 1 and alive.any():
        low, high = np.nanpercentile(lines[:, alive], (25, 75), axis=0)
        ax.fill_between(steps[alive], low, high, color=_look(number)["color"], alpha=0.18, lw=0)


def _rows(ax: Axes, places: Sequence[str], estimates: np.ndarray) -> None:
    row = np.arange(len(places), dtype=float)
    known = estimates[np.isfinite(estimates)]
    low, high = (known.min(), known.max()) if known.size else (0.0, 1.0)
    margin = 0.05 * (high - low) or 0.5
    logarithmic = wide_range(estimates)
    left, right = (low / 1.3, high * 1.3) if logarithmic else (low - margin, high + margin)
    for number, found in enumerate(estimates.swapaxes(0, 1)):
        at = row + 0.7 * ((number + 0.5) / estimates.shape[1] - 0.5)
        there = np.isfinite(found[:, 0])
        color = _look(number)["color"]
        ax.hlines(at[there], *np.clip(found[there, 1:], left, right).T, color=color, lw=1.6, alpha=0.7)
        ax.plot(found[there, 0], at[there], color=color, marker="o", ms=5, ls="")
    for border in row[1:] - 0.5:
        ax.axhspan(border, border, color=MUTED, lw=0.5, alpha=0.5)
    ax.set(ylim=(len(places) - 0.5, -0.5), xlim=(left, right), xscale="log" if logarithmic else "linear")
    ax.set_yticks(row, labels=list(places), parse_math=False)
    ax.tick_params(axis="y", length=0)


def _look(number: int) -> dict:
    return {"color": PALETTE[number % len(PALETTE)], "ls": _STYLES[number // len(PALETTE) % len(_STYLES)]}


def _name_runs(figure: Figure, names: Sequence[str]) -> None:
    handles = [Line2D([], [], lw=2, label=name, **_look(number)) for number, name in enumerate(names)]
    entry = 0.5 + _LETTER * max(map(len, names))
    across = max(1, min(len(names), int(figure.get_figwidth() / entry)))
    for text in figure.legend(handles=handles, loc="outside lower center", ncols=across).get_texts():
        text.set_parse_math(False)
