"""Circles in the embedding: the strength of each frequency and its shape.

Column k − 1 of every `freq` axis is frequency k.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation, Text
from numpy.typing import ArrayLike

from nucleate.plots.labels import end_labels
from nucleate.plots.scales import log_x, log_y
from nucleate.plots.style import INK, MUTED, PALETTE, Number, token_colors

DEAD = "#B4B8BE"
"""Colour of frequencies that did not survive."""

SURVIVED = PALETTE[1]
"""Colour of survivors where they need not be told apart."""

_WHEEL = LinearSegmentedColormap.from_list("nucleate_wheel", [PALETTE[i] for i in (0, 2, 4, 3, 0)], N=512)
_FEW = 31
"""Up to this many tokens, each is labelled with its number."""


def survivor_colors(alive: ArrayLike) -> list[str]:
    """A colour for each frequency: grey for the dead; survivors cycle through the palette in order of k.

    >>> survivor_colors([False, True, True])
    ['#B4B8BE', '#0072B2', '#D55E00']
    """
    alive = np.asarray(alive, bool)
    turns = len(PALETTE) - 1  # the last colour is a grey
    order = np.cumsum(alive) - 1
    return [PALETTE[order[k] % turns] if alive[k] else DEAD for k in range(alive.size)]


def signal_curves(
    ax: Axes,
    step: ArrayLike,
    signal: ArrayLike,
    alive: ArrayLike,
    *,
    xlog: bool = False,
    label_survivors: bool = True,
    xlabel: str = "training step",
    ylabel: str = "signal",
) -> list[Line2D]:
    """The `signal[step, freq]` of each frequency on a log axis: survivors coloured and labelled, the dead grey.

    A signal of 0 leaves the axes through the bottom, see `log_y`; a log x axis still shows step 0.
    Source: [ding2024survival], Figures 2 and 13.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     lines = signal_curves(ax, [0, 1, 2], [[9.0, 8.0], [5.0, 9.0], [0.0, 9.0]], [False, True])
    >>> [text.get_text() for text in ax.texts]
    ['$k$ = 2', '1 dead']
    """
    step, signal, alive = np.asarray(step, float), np.asarray(signal, float), np.asarray(alive, bool)
    if signal.ndim != 2 or signal.shape != (step.size, alive.size):
        raise ValueError(f"signal_curves: signal must be [step={step.size}, freq={alive.size}]; got {signal.shape}.")
    log_y(ax, signal)
    if xlog:
        log_x(ax, step)
    if step[0] < step[-1]:
        ax.set_xlim(step[0], step[-1])
    colors = survivor_colors(alive)
    lines = []
    for k, color in enumerate(colors):
        look: dict[str, Any] = {"lw": 2.0, "zorder": 3} if alive[k] else {"lw": 0.9, "zorder": 2, "alpha": 0.8}
        lines += ax.plot(step, signal[:, k], color=color, **look)
    if label_survivors:
        _name_survivors(ax, step[-1], signal, alive, colors)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    return lines


def _name_survivors(ax: Axes, x: Number, signal: np.ndarray, alive: np.ndarray, colors: Sequence[str]) -> None:
    ends = np.array([_last_positive(signal[:, k]) for k in range(alive.size)])
    named = np.flatnonzero(alive & np.isfinite(ends)).tolist()
    y, texts, inks = list(ends[named]), [f"$k$ = {k + 1}" for k in named], [colors[k] for k in named]
    if not alive.all():
        ended = np.where(np.isfinite(signal[-1, ~alive]), signal[-1, ~alive], np.nan)
        y.append(np.nanmedian(ended) if np.isfinite(ended).any() else 0.0)
        texts.append(f"{np.sum(~alive)} dead")
        inks.append(MUTED)
    end_labels(ax, np.clip(y, *ax.get_ylim()).tolist(), texts, inks, x=x)


def _last_positive(values: np.ndarray) -> float:
    shown = values[np.isfinite(values) & (values > 0)]
    return float(shown[-1]) if shown.size else np.nan


def circle(
    ax: Axes,
    points: ArrayLike,
    *,
    order: int | None = None,
    numbers: bool | None = None,
    limit: Number | None = None,
    title: str = "",
) -> None:
    """The tokens `points[token, 2]` in a plane, such as that of a frequency or of two principal components.

    With the spacing Δ = `order` of a circle, tokens n, n + Δ, n + 2Δ, … are joined by a line and coloured as
    on a colour wheel, so that neighbours on the circle look alike; without it, colours follow the token number.
    Tokens are numbered if they are few, or if `numbers`; a number that would overlap another is left out.
    The axes show ±`limit` in both directions. Source: [ding2024survival], Figures 2 and 3.

    >>> from nucleate.plots import panels, style
    >>> angle = 2 * np.pi * 2 * np.arange(5) / 5
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     circle(ax, np.stack([np.cos(angle), np.sin(angle)], axis=1), order=3, title="$k$ = 2")
    >>> [text.get_text() for text in ax.texts]
    ['0', '1', '2', '3', '4']
    """
    points = np.asarray(points, float)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise ValueError(f"circle: points must be [token, 2]; got {points.shape}.")
    tokens = len(points)
    colors = token_colors(tokens)
    size = 46 if tokens <= 13 else 26 if tokens <= _FEW else 16
    if order is not None:
        loops = _loops(tokens, order)
        colors = _wheel(loops, tokens)
        for loop in loops:
            segments = np.stack([points[loop], points[np.roll(loop, -1)]], axis=1)
            ax.add_collection(
                LineCollection(list(segments), colors=[colors[n] for n in loop], linewidths=0.9, alpha=0.55)
            )
    ax.scatter(points[:, 0], points[:, 1], s=size, c=colors, linewidths=0.4, edgecolors="white", zorder=3)
    numbered = tokens <= _FEW if numbers is None else numbers
    if numbered:
        name_points(ax, points, [str(n) for n in range(tokens)], size=size)
    _quiet(ax, limit if limit is not None else reach(points) * (1.12 if numbered else 1.0))
    ax.set_title(title, pad=6)


def snapshots(
    axes: Sequence[Axes],
    points: ArrayLike,
    steps: ArrayLike,
    *,
    order: int | None = None,
    limit: Number | None = None,
    label: str = "",
    titles: bool = True,
) -> None:
    """A row of `points[snapshot, token, 2]` on one scale, so that a collapsing circle visibly shrinks.

    `label` is written to the left of the row, and the step above each panel unless `titles` is False, as for a
    second row. To put several rows on one scale, give them the same `limit`, see `reach`.
    Source: [ding2024survival], Figure 2.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, axes = panels(1, 2, size=(2, 2))
    ...     snapshots(axes, np.random.default_rng(0).normal(size=(2, 59, 2)), [0, 1000], order=18)
    >>> [ax.get_title(loc="left") for ax in axes]
    ['step 0', 'step 1,000']
    """
    points, steps = np.asarray(points, float), np.asarray(steps)
    if points.ndim != 3 or points.shape[2] != 2 or not len(points) == steps.size == len(axes):
        raise ValueError(
            f"snapshots: points must be [snapshot, token, 2] with a step and axes for each snapshot; "
            f"got {points.shape}, {steps.size} steps and {len(axes)} axes."
        )
    limit = reach(points) if limit is None else limit
    for ax, here, step in zip(axes, points, steps, strict=True):
        circle(ax, here, order=order, numbers=False, limit=limit)
        if titles:
            ax.set_title(f"step {step:,.0f}", pad=5, fontsize=10)
    axes[0].set_ylabel(label)


def reach(*points: ArrayLike) -> float:
    """The limit that shows all `points[..., 2]`: 8 % more than the largest coordinate.

    >>> reach([[0.0, -2.0]], [[1.0, 1.0]])
    2.16
    """
    largest = max((np.abs(np.asarray(p, float)[np.isfinite(p)]).max(initial=0.0) for p in points), default=0.0)
    return float(1.08 * largest) or 1.0


def _loops(tokens: int, spacing: int) -> list[np.ndarray]:
    """The tokens n, n + Δ, n + 2Δ, … of each closed loop: one loop if Δ and the number of tokens are coprime."""
    if not 1 <= spacing < tokens:
        raise ValueError(f"circle: order must be between 1 and {tokens - 1}; got {spacing}.")
    loops = gcd(tokens, spacing)
    return [(start + spacing * np.arange(tokens // loops)) % tokens for start in range(loops)]


def _wheel(loops: Sequence[np.ndarray], tokens: int) -> list[tuple[float, float, float, float]]:
    place = np.empty(tokens)
    for loop in loops:
        place[loop] = np.arange(loop.size) / loop.size
    return [_WHEEL(float(turn)) for turn in place]


def name_points(ax: Axes, points: np.ndarray, names: Sequence[str], *, size: Number) -> None:
    """Write a name beside each of the points[token, 2], on the side facing away from the centre; one that would overlap
    another is left out. `size`: area of the dots in square points."""
    finite = np.isfinite(points).all(axis=1)
    outwards = points - points[finite].mean(axis=0, keepdims=True) if finite.any() else points
    length = np.linalg.norm(outwards, axis=1, keepdims=True)
    offset = (5.5 + size**0.5 / 2) * np.divide(outwards, length, out=np.zeros_like(points), where=length > 0)
    # Longer names need to be further away sideways.
    offset[:, 0] *= [1 + 0.22 * (len(name) - 1) for name in names]
    middle = {"textcoords": "offset points", "ha": "center", "va": "center", "fontsize": 8, "annotation_clip": False}
    halo = [withStroke(linewidth=1.8, foreground="white")]
    labels = [
        ax.annotate(names[n], xy=tuple(points[n]), xytext=tuple(offset[n]), color=INK, path_effects=halo, **middle)
        for n in np.flatnonzero(finite).tolist()
    ]
    ax.add_artist(HideCrowded(labels))


class HideCrowded(Artist):
    """An invisible artist, drawn first, that hides each label overlapping an earlier one."""

    def __init__(self, labels: Sequence[Annotation]) -> None:
        super().__init__()
        self._labels = labels
        self.set_zorder(-1000)
        self.set_in_layout(False)

    def draw(self, renderer) -> None:
        taken: list = []
        for label in self._labels:
            box = Text.get_window_extent(label, renderer)
            label.set_visible(not any(box.overlaps(other) for other in taken))
            if label.get_visible():
                taken.append(box)


def _quiet(ax: Axes, limit: Number) -> None:
    ax.axhline(0, color="#E3E5E8", lw=0.8, zorder=0)
    ax.axvline(0, color="#E3E5E8", lw=0.8, zorder=0)
    ax.set(xlim=(-limit, limit), ylim=(-limit, limit), xticks=[], yticks=[])
    ax.set_aspect("equal")
    for spine in ax.spines.values():
        spine.set_visible(False)
