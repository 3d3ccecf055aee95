"""What a figure shows, as a table: read from its axes when it is saved, so that no figure need write its numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import Collection, LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle, StepPatch
from matplotlib.quiver import Quiver
from matplotlib.ticker import FixedLocator


@dataclass(frozen=True)
class _Part:
    """Points of one kind and, where colour or height stands for something, its value."""

    kind: str
    x: np.ndarray
    y: np.ndarray
    value: np.ndarray | None = None
    color: str = ""


@dataclass(frozen=True)
class _Row:
    """A number that is drawn: in which panel, as part of what, where, and in which colour."""

    panel: str
    series: str
    kind: str
    x: str
    y: str
    value: str
    color: str
    x_label: str = ""
    y_label: str = ""


def figure_data(figure: Figure) -> str:
    """Everything with a place in the data's own coordinates, as CSV: a row for each point of each line, dot, cell, bar
    or segment. Empty if there is nothing.

    `series` is the name in the legend or, of what has none, its number. Where an axis has names for places, they are
    in `x_label` and `y_label`.

    >>> from nucleate.plots import panels
    >>> figure, (ax,) = panels()
    >>> _ = ax.plot([0, 1], [2.0, 0.5], color="black", label="loss")
    >>> _ = ax.axhline(0.1, color="red")
    >>> print(figure_data(figure))
    panel,series,kind,x,y,value,color
    1,loss,line,0,2,,#000000
    1,loss,line,1,0.5,,#000000
    1,level 2,level,,0.1,,#ff0000
    <BLANKLINE>
    """
    axes = [ax for ax in figure.axes if ax.get_visible() and not hasattr(ax, "_colorbar")]
    rows = [row for number, ax in enumerate(axes, 1) for row in _rows(ax, f"{number} {_title(ax)}".strip())]
    if not rows:
        return ""
    names = [field.name for field in fields(_Row)]
    shown = names[:7] + [name for name in names[7:] if any(getattr(row, name) for row in rows)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(shown)
    writer.writerows([getattr(row, name) for name in shown] for row in rows)
    return text.getvalue()


def _title(ax: Axes) -> str:
    return ax.get_title(loc="left") or ax.get_title() or ax.get_ylabel()


def _rows(ax: Axes, panel: str) -> Iterator[_Row]:
    x_names, y_names = _names(ax.xaxis), _names(ax.yaxis)
    for number, artists in enumerate(_series(ax), 1):
        labels = [label for each in artists if (label := str(each.get_label())) and not label.startswith("_")]
        for part in (part for artist in artists for part in _drawn(artist, ax)):
            series = labels[0] if labels else f"{part.kind} {number}"
            values = np.full(len(part.x), np.nan) if part.value is None else part.value
            for x, y, value in zip(part.x.tolist(), part.y.tolist(), values.tolist(), strict=True):
                names = x_names.get(x, ""), y_names.get(y, "")
                yield _Row(panel, series, part.kind, _number(x), _number(y), _number(value), part.color, *names)


def _series(ax: Axes) -> list[list[Any]]:
    """Artists that are one series: bars that were drawn together, with what they are called, and each of the others."""
    bars: dict[Any, Any] = {bar: group for group in ax.containers if isinstance(group, BarContainer) for bar in group}
    found: dict[Any, list[Any]] = {}
    for artist in (*ax.lines, *ax.collections, *ax.images, *ax.patches):
        if artist.get_visible():
            found.setdefault(bars.get(artist, artist), []).append(artist)
    return [[*artists, key] if isinstance(key, BarContainer) else artists for key, artists in found.items()]


def _drawn(artist: Artist | BarContainer, ax: Axes) -> Iterator[_Part]:
    """What an artist draws in the coordinates of the data."""
    if isinstance(artist, Line2D):
        yield from _of_line(artist, ax)
    elif isinstance(artist, QuadMesh):
        yield from _of_mesh(artist)
    elif isinstance(artist, Collection) and not isinstance(artist, ContourSet):
        yield from _of_collection(artist, ax)
    elif isinstance(artist, AxesImage):
        yield from _of_image(artist)
    elif isinstance(artist, StepPatch):
        heights, edges, _ = artist.get_data()
        yield _Part("step", _middles(_floats(edges)), _floats(heights), None, to_hex(artist.get_edgecolor()))
    elif isinstance(artist, Rectangle) and artist.get_data_transform().contains_branch(ax.transData):
        x, y, height = artist.get_x() + artist.get_width() / 2, artist.get_y(), artist.get_height()
        yield _Part("bar", _floats([x]), _floats([y + height]), _floats([height]), to_hex(artist.get_facecolor()))


def _of_line(artist: Line2D, ax: Axes) -> Iterator[_Part]:
    x, y = map(_floats, artist.get_data(orig=False))
    across, up = artist.get_transform().contains_branch_seperately(ax.transData)
    if across and up:
        yield _Part("points" if artist.get_linestyle() == "None" else "line", x, y, None, to_hex(artist.get_color()))
    elif across or up:  # a level, which goes from edge to edge
        nowhere = np.full(1, np.nan)
        yield _Part("level", x[:1] if across else nowhere, y[:1] if up else nowhere, None, to_hex(artist.get_color()))


def _of_mesh(artist: QuadMesh) -> Iterator[_Part]:
    corners = _floats(artist.get_coordinates())
    x, y = ((corners[1:, 1:, axis] + corners[:-1, :-1, axis]).ravel() / 2 for axis in (0, 1))
    values = _floats(artist.get_array())
    if values.size == x.size:
        yield _Part("cell", x, y, values.ravel())
    else:  # colours that stand for themselves
        for at, rgba in enumerate(values.reshape(x.size, -1)):
            yield _Part("cell", x[at : at + 1], y[at : at + 1], None, to_hex(tuple(rgba.tolist())))


def _of_collection(artist: Collection, ax: Axes) -> Iterator[_Part]:
    color = _color(artist)
    if isinstance(artist, Quiver):
        for x, y, u, v in zip(*map(_floats, (artist.X, artist.Y, artist.U, artist.V)), strict=True):
            yield _Part("arrow", np.array([x, x + u]), np.array([y, y + v]), None, color)
    elif isinstance(artist, PathCollection):
        if artist.get_offset_transform().contains_branch(ax.transData):
            x, y = _floats(artist.get_offsets()).T
            values = artist.get_array()
            yield _Part("points", x, y, None if values is None else _floats(values), color)
    elif isinstance(artist, LineCollection | PolyCollection) and artist.get_transform().contains_branch(ax.transData):
        for path in artist.get_paths():
            x, y = _floats(path.vertices).T
            yield _Part("segment" if isinstance(artist, LineCollection) else "area", x, y, None, color)


def _of_image(artist: AxesImage) -> Iterator[_Part]:
    values = _floats(artist.get_array())
    if values.ndim == 2:  # else colours, which stand for nothing
        left, right, bottom, top = artist.get_extent()
        rows, columns = values.shape
        y = _middles(np.linspace(bottom, top, rows + 1))
        x, y = np.meshgrid(_middles(np.linspace(left, right, columns + 1)), y[::-1] if artist.origin == "upper" else y)
        yield _Part("cell", x.ravel(), y.ravel(), values.ravel())


def _color(artist: Collection) -> str:
    """The one colour of a collection; none if it has several."""
    faces, edges = artist.get_facecolor(), artist.get_edgecolor()
    colors = np.unique(_floats(faces if len(faces) else edges), axis=0)
    return to_hex(colors[0]) if len(colors) == 1 else ""


def _names(axis: Axis) -> dict[float, str]:
    """What an axis calls its places, unless by their numbers."""
    if not isinstance(locator := axis.get_major_locator(), FixedLocator):
        return {}
    places = _floats(locator()).tolist()
    names = axis.get_major_formatter().format_ticks(places)
    return {at: name for at, name in zip(places, names, strict=True) if name and not _is_number(name, at)}


def _is_number(name: str, at: float) -> bool:
    try:
        return float(name) == at
    except ValueError:
        return name.startswith("$") and "10^" in name


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.7g}"


def _floats(values: Any) -> np.ndarray:
    return np.ma.filled(np.ma.asarray(values, float), np.nan)


def _middles(edges: np.ndarray) -> np.ndarray:
    return (edges[1:] + edges[:-1]) / 2
