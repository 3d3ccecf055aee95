"""Particles in their box, and the attention between them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from nucleate.plots.animation import animate
from nucleate.plots.style import MUTED, PALETTE, Number, style

_ATTENTION, _QUERY, _OTHER = PALETTE[1], PALETTE[2], "#D9DDE3"
_FAINTEST = 0.01
"""Attention below this is not drawn: it would be invisible, and most pairs have less."""
_WIDTH = 8.0


def particles(
    ax: Axes,
    position: ArrayLike,
    box: tuple[Number, Number],
    *,
    diameter: Number = 1.0,
    query: int | None = None,
    title: str = "",
) -> EllipseCollection:
    """Particles at `position[particle, 2]` as circles in their `box`, which extends from the origin to (width, height).

    `query`: a particle to highlight. Particles that have left the box are not drawn.
    Source: [hitchcock2025emergence], Figure 3.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     circles = particles(ax, [[1.0, 1.0], [2.0, 1.0]], (6.0, 4.0))
    >>> circles.get_offsets().tolist(), [round(float(x), 2) for x in ax.get_xlim()]
    ([[1.0, 1.0], [2.0, 1.0]], [-0.12, 6.12])
    """
    position = np.asarray(position, float)
    if position.ndim != 2 or position.shape[1] != 2:
        raise ValueError(f"particles: position must be [particle, 2]; got {position.shape}.")
    width, height = map(float, box)
    if not min(width, height) > 0:
        raise ValueError(f"particles: box must be (width, height), both positive; got {box}.")
    if query is not None and not 0 <= query < len(position):
        raise ValueError(f"particles: query must be between 0 and {len(position) - 1}; got {query}.")
    size = np.full(len(position), float(diameter))
    last = np.arange(len(position)) == (-1 if query is None else query)
    order = np.argsort(last, kind="stable")  # the query is drawn on top
    circles = EllipseCollection(
        size,
        size,
        np.zeros(len(position)),
        units="xy",
        offsets=position[order],
        offset_transform=ax.transData,
        facecolors=[_QUERY if chosen else _OTHER for chosen in last[order]],
        edgecolors="white",
        linewidths=0.6,
        zorder=2,
    )
    ax.add_collection(circles, autolim=False)
    walls = ax.add_patch(Rectangle((0, 0), width, height, fill=False, ec=MUTED, lw=0.9, zorder=1, clip_on=False))
    circles.set_clip_path(walls)
    margin = 0.02 * max(width, height)
    ax.set(xlim=(-margin, width + margin), ylim=(-margin, height + margin), xticks=[], yticks=[])
    ax.set_aspect("equal")
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_title(title, pad=5, fontsize=10)
    return circles


def attention_map(
    ax: Axes,
    position: ArrayLike,
    attention: ArrayLike,
    box: tuple[Number, Number],
    *,
    diameter: Number = 1.0,
    query: int | None = None,
    title: str = "",
) -> LineCollection:
    """Attention between particles in their box: a line from i to j with opacity `attention[i, j]`.

    `query`: draw only the attention of this particle. Source: [hitchcock2025emergence], Figures 3 and 13 to 15.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     lines = attention_map(ax, [[1, 1], [2, 1], [3, 3]], [[0, 0.9, 0], [0.5, 0, 0], [0, 0, 0]], (4, 4))
    >>> lines.get_colors()[:, 3].tolist()
    [0.5, 0.9]
    """
    position, attention = np.asarray(position, float), np.asarray(attention, float)
    if attention.shape != (len(position), len(position)):
        raise ValueError(
            f"attention_map: attention must be [particle={len(position)}, particle]; got {attention.shape}."
        )
    particles(ax, position, box, diameter=diameter, query=query, title=title)
    lines = _no_lines(ax, box, diameter)
    _connect(lines, position, attention, query)
    return lines


def _no_lines(ax: Axes, box: tuple[Number, Number], diameter: Number) -> LineCollection:
    """An empty collection of lines, thinner where particles are small and clipped at the walls."""
    width = float(np.clip(12 * float(diameter) / float(box[0]), 0.8, 1.5))
    lines = LineCollection([], linewidths=width, zorder=3, capstyle="butt")
    ax.add_collection(lines, autolim=False)
    lines.set_clip_path(ax.patches[-1])
    return lines


def _connect(lines: LineCollection, position: np.ndarray, attention: np.ndarray, query: int | None = None) -> None:
    """Set the lines of attention, the most opaque on top."""
    alpha = np.clip(np.nan_to_num(attention), 0, 1)
    if query is not None:
        alpha = alpha * (np.arange(len(alpha)) == query)[:, None]
    there = np.asarray(np.isfinite(position).all(1))
    alpha = alpha * np.outer(there, there)
    start, end = np.nonzero(alpha >= _FAINTEST)
    order = np.argsort(alpha[start, end], kind="stable")
    start, end = start[order], end[order]
    lines.set_segments(list(np.stack([position[start], position[end]], axis=1)))
    lines.set_color([(*to_rgb(_ATTENTION), float(a)) for a in alpha[start, end]])


def animate_attention(
    path: Path | str,
    motions: Mapping[str, ArrayLike],
    attention: Mapping[str, ArrayLike],
    box: tuple[Number, Number],
    times: ArrayLike,
    *,
    diameter: Number = 1.0,
    seconds: Number = 0.06,
) -> Path:
    """Animate particles side by side, with the attention between them.

    `motions` maps title to [frame, particle, 2]; `attention` maps some or all of these titles to [frame, particle,
    particle]; `times` is the time of each frame. Source: an animation of [hitchcock2025emergence], Figure 3.

    >>> import tempfile
    >>> falling = np.array([[[1.0, 3.0]], [[1.0, 2.0]]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "fall.gif"
    ...     _ = animate_attention(path, {"truth": falling}, {"truth": np.zeros((2, 1, 1))}, (4.0, 4.0), [0.0, 0.5])
    ...     path.read_bytes()[:4]
    b'GIF8'
    """
    times = np.asarray(times, float)
    moving = {title: np.asarray(values, float) for title, values in motions.items()}
    looking = {title: np.asarray(values, float) for title, values in attention.items()}
    _check_film(moving, looking, times)
    width, height = map(float, box)
    with style():
        side = _WIDTH / len(moving)
        figure = Figure(figsize=(_WIDTH, max(1.0, side * height / width) + 0.55))
        axes = figure.subplots(1, len(moving), squeeze=False)[0]
        drawn = {}
        for ax, (title, here) in zip(axes, moving.items(), strict=True):
            circles = particles(ax, here[0], box, diameter=diameter, title=title)
            drawn[title] = circles, _no_lines(ax, box, diameter)
        clock = figure.supxlabel("t = 0", fontsize=10)

    def draw(frame: int) -> Figure:
        for title, (circles, lines) in drawn.items():
            circles.set_offsets(moving[title][frame])
            if title in looking:
                _connect(lines, moving[title][frame], looking[title][frame])
        clock.set_text(f"t = {times[frame]:.2f}")
        return figure

    return animate(path, times.size, draw, seconds=seconds)


def _check_film(motions: Mapping[str, np.ndarray], attention: Mapping[str, np.ndarray], times: np.ndarray) -> None:
    if not motions or not times.size:
        raise ValueError(f"animate_attention: needs at least 1 motion and frame; got {len(motions)} and {times.size}.")
    for title, here in motions.items():
        if here.ndim != 3 or here.shape[::2] != (times.size, 2):
            raise ValueError(
                f"animate_attention: motions of {title!r} must be [frame={times.size}, particle, 2]; got {here.shape}."
            )
    for title, here in attention.items():
        if title not in motions:
            raise ValueError(f"animate_attention: attention must have titles from {sorted(motions)}; got {title!r}.")
        count = motions[title].shape[1]
        if here.shape != (times.size, count, count):
            raise ValueError(
                f"animate_attention: attention of {title!r} must be [frame={times.size}, particle={count}, "
                f"particle={count}]; got {here.shape}."
            )
