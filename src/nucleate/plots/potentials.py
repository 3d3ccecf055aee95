"""Potentials between pairs, and the repons that move in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import CenteredNorm
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from numpy.typing import ArrayLike

from nucleate.plots.animation import animate
from nucleate.plots.style import INK, MUTED, PALETTE, Number, style, token_colors

_BEST, _QUADRATIC = PALETTE[1], PALETTE[4]
_SEEN = (PALETTE[0], PALETTE[2])
_HALO = [withStroke(linewidth=2.2, foreground="white")]


def potential_curves(
    ax: Axes,
    r: ArrayLike,
    curves: ArrayLike,
    *,
    best: int | None = None,
    quadratic: Number | None = None,
    seen: Mapping[str, ArrayLike] | None = None,
    title: str = "",
    ylabel: str = "potential",
) -> None:
    """Fitted potentials `curves[fit, point]` over r: thin lines, with their average black and the `best` coloured.

    `quadratic`: half-width of the region in which they are quadratic. `seen`: displacements of pairs of pairs, each
    kind as a row of dots under the curves, showing where in the potential they lie.
    Source: [mehta2024repons], Figures 1a and 1b.

    >>> from nucleate.plots import panels, style
    >>> r = np.linspace(-1, 1, 5)
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     potential_curves(ax, r, [r**2, 2 * r**2], best=1, quadratic=0.5, seen={"canonical": [0.2]})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['one fit', 'lowest representation loss', 'average', 'quadratic: |$r$| ≤ 0.50', 'canonical']
    """
    r, curves = np.asarray(r, float), np.asarray(curves, float)
    if curves.ndim != 2 or curves.shape[1] != r.size:
        raise ValueError(f"potential_curves: curves must be [fit, point={r.size}]; got {curves.shape}.")
    for row, curve in enumerate(curves):
        ax.plot(r, curve, color="0.72", lw=0.8, label="one fit" if row == 0 else None)
    if best is not None:
        ax.plot(r, curves[best], color=_BEST, lw=1.6, label="lowest representation loss")
    average = curves.mean(0)
    ax.plot(r, average, color=INK, lw=1.8, label="average")
    if quadratic is not None:
        inside = np.abs(r) <= float(quadratic)
        label = f"quadratic: |$r$| ≤ {float(quadratic):.2f}"
        ax.plot(r[inside], average[inside], color=_QUADRATIC, lw=5, alpha=0.55, label=label, zorder=1)
    low, high = curves.min(), curves.max()
    for row, ((name, values), color) in enumerate(zip((seen or {}).items(), _SEEN, strict=False)):
        values = np.asarray(values, float).ravel()
        level = low - (0.06 + 0.05 * row) * (high - low)
        ax.scatter(values, np.full(values.size, level), s=9, color=color, alpha=0.35, lw=0, label=name, zorder=3)
    ax.set(xlim=(r[0], r[-1]), xlabel="displacement $r$", ylabel=ylabel)
    ax.set_title(title, pad=8)
    legend = ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=3, fontsize=8)
    for handle in legend.legend_handles:
        if handle is not None:
            handle.set_alpha(1)


def surface(
    ax: Axes,
    x: ArrayLike,
    values: ArrayLike,
    *,
    points: Mapping[str, ArrayLike] | None = None,
    title: str = "",
    labels: tuple[str, str] = ("$r_x$", "$r_y$"),
    bar: str = "",
) -> QuadMesh:
    """A potential `values[x, y]` on a square as colour with contours, and displacements on it as dots.

    A potential of both signs has colours that diverge from white at 0, red above and blue below.
    Source: [mehta2024repons], Figures 2a, 2b and 3.

    >>> from nucleate.plots import panels, style
    >>> x = np.linspace(-1, 1, 5)
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     mesh = surface(ax, x, x[:, None] ** 2 + x**2, points={"line": [[0.1, 0.1]]})
    >>> mesh.get_array().shape
    (5, 5)
    """
    x, values = np.asarray(x, float), np.asarray(values, float)
    if values.shape != (x.size, x.size):
        raise ValueError(f"surface: values must be [x={x.size}, y={x.size}]; got {values.shape}.")
    signed = np.nanmin(values) < 0 < np.nanmax(values)
    cmap, norm, ink = ("RdBu_r", CenteredNorm(), INK) if signed else ("cividis", None, "white")
    colors = matplotlib.colormaps[cmap]
    mesh = ax.pcolormesh(x, x, values.T, cmap=colors, norm=norm, shading="nearest", rasterized=True)
    ax.contour(x, x, values.T, levels=10, colors=ink, linewidths=0.5, alpha=0.7, negative_linestyles="solid")
    for (name, dots), color in zip((points or {}).items(), ("white", PALETTE[1]), strict=False):
        dots = np.asarray(dots, float)
        ax.scatter(dots[:, 0], dots[:, 1], s=10, color=color, edgecolors=INK, linewidths=0.4, label=name, zorder=3)
    if points:
        ax.legend(loc="upper right", fontsize=8, facecolor="0.85")
    ax.set(xlim=(x[0], x[-1]), ylim=(x[0], x[-1]), xlabel=labels[0], ylabel=labels[1])
    ax.set_title(title, pad=8)
    ax.set_aspect("equal")
    scale = ax.figure.colorbar(mesh, ax=ax, shrink=0.82, aspect=22, label=bar)
    scale.outline.set_visible(False)
    return mesh


def number_lines(ax: Axes, positions: Mapping[str, ArrayLike], *, title: str = "") -> None:
    """Tokens on a line, one line per named network, with positions [token].

    Source: [mehta2024repons], Figures 1c and 1d.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     number_lines(ax, {"U = −3": [0.0, 1.0, 2.0]})
    >>> [text.get_text() for text in ax.texts][:3]
    ['0', '1', '2']
    """
    for row, (name, values) in enumerate(positions.items()):
        values = np.asarray(values, float).ravel()
        ax.axhline(-row, color="0.85", lw=0.9, zorder=1)
        colors = token_colors(values.size)
        ax.scatter(values, np.full(values.size, -row), s=46, color=colors, edgecolors="white", linewidths=0.6, zorder=3)
        # Labels alternate above and below, so that those of close tokens do not collide.
        for turn, token in enumerate(np.argsort(values, kind="stable").tolist()):
            up = 1 if turn % 2 else -1
            ax.annotate(
                str(token),
                (values[token], -row),
                (0, 9 * up),
                textcoords="offset points",
                ha="center",
                va="center",
                fontsize=8,
                color=colors[token],
                path_effects=_HALO,
            )
        ax.annotate(
            name, (0, -row), (0, 19), xycoords=("axes fraction", "data"), textcoords="offset points", fontsize=8
        )
    ax.set(ylim=(-len(positions) + 0.45, 0.75), yticks=[], xlabel="position")
    ax.spines["left"].set_visible(False)
    ax.set_title(title, pad=8)


def plane_configuration(ax: Axes, positions: ArrayLike, *, title: str = "") -> None:
    """Numbered tokens in the plane, `positions[token, 2]`, joined in order.

    Source: [mehta2024repons], Figures 2c and 2d.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     plane_configuration(ax, [[0.0, 0.0], [1.0, 1.0]])
    >>> [text.get_text() for text in ax.texts]
    ['0', '1']
    """
    positions = np.asarray(positions, float)
    if positions.ndim != 2 or positions.shape[1] != 2:
        raise ValueError(f"plane_configuration: positions must be [token, 2]; got {positions.shape}.")
    colors = token_colors(len(positions))
    ax.plot(*positions.T, color="0.8", lw=0.9, zorder=1)
    ax.scatter(*positions.T, s=150, color=colors, edgecolors="white", linewidths=0.8, zorder=3)
    for token, place in enumerate(positions):
        ax.annotate(str(token), place, ha="center", va="center", fontsize=8, color="white", fontweight="bold", zorder=4)
    ax.margins(0.12)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_title(title, pad=8)


def animate_repons(
    path: Path | str,
    steps: ArrayLike,
    motions: Mapping[str, ArrayLike],
    landscapes: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]],
    *,
    seconds: Number = 0.08,
) -> Path:
    """Animate repons: above, the potentials with the displacements of the first motion on them; below, every motion.

    `motions` maps title to positions [frame, token], those of the network and of the flow; `landscapes` maps title to
    (r, f(r), rows), where rows [term, token] turn positions into displacements.
    Source: an animation of [mehta2024repons], Figure 1.

    >>> import tempfile
    >>> r = np.linspace(-2, 2, 9)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     animate_repons(
    ...         Path(folder) / "repons.gif", [0, 10], {"network": [[0.0, 1.0], [0.0, 2.0]]},
    ...         {"attractive": (r, r**2, [[1.0, -1.0]])},
    ...     ).read_bytes()[:4]
    b'GIF8'
    """
    steps = np.asarray(steps, float)
    moving = {title: np.asarray(values, float) for title, values in motions.items()}
    for title, values in moving.items():
        if values.ndim != 2 or len(values) != steps.size:
            raise ValueError(f"animate_repons: {title!r} must be [frame={steps.size}, token]; got {values.shape}.")
    with style():
        figure = Figure(figsize=(8.6, 6.4))
        wells = figure.add_gridspec(2, 1, height_ratios=[1, 1.1])
        top = [figure.add_subplot(cell) for cell in wells[0].subgridspec(1, len(landscapes))]
        bottom = [figure.add_subplot(cell) for cell in wells[1].subgridspec(1, len(moving))]
        riders = _draw_landscapes(top, landscapes)
        markers = _draw_motions(bottom, steps, moving)

    def draw(frame: int) -> Figure:
        first = next(iter(moving.values()))
        for dots, (r, f, rows) in zip(riders, landscapes.values(), strict=True):
            x = np.asarray(rows, float) @ first[frame]
            dots.set_offsets(np.stack([x, np.interp(x, np.asarray(r, float), np.asarray(f, float))], axis=1))
        for (now, dots), values in zip(markers, moving.values(), strict=True):
            now.set_xdata([steps[frame]] * 2)
            dots.set_offsets(np.stack([np.full(values.shape[1], steps[frame]), values[frame]], axis=1))
        bottom[0].set_title(f"{next(iter(moving))}, step {steps[frame]:,.0f}", pad=6)
        if frame == 0:  # all frames keep the layout of the first
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
        return figure

    return animate(path, steps.size, draw, seconds=seconds)


def _draw_landscapes(axes: Sequence[Axes], landscapes: Mapping[str, tuple]) -> list:
    riders = []
    for ax, (title, (r, f, _)) in zip(axes, landscapes.items(), strict=True):
        ax.plot(np.asarray(r, float), np.asarray(f, float), color=INK, lw=1.6)
        riders.append(ax.scatter([], [], s=14, color=_BEST, alpha=0.5, lw=0, zorder=3))
        ax.set(xlabel="displacement $r$", ylabel="potential", xlim=(np.min(r), np.max(r)))
        ax.set_title(title, pad=6)
    return riders


def _draw_motions(axes: Sequence[Axes], steps: np.ndarray, moving: Mapping[str, np.ndarray]) -> list:
    markers = []
    low, high = (edge([edge(values[np.isfinite(values)]) for values in moving.values()]) for edge in (np.min, np.max))
    room = 0.05 * (high - low) or 1.0
    for ax, (title, values) in zip(axes, moving.items(), strict=True):
        colors = token_colors(values.shape[1])
        for token, color in enumerate(colors):
            ax.plot(steps, values[:, token], color=color, lw=1.0, alpha=0.45)
        now = ax.axvline(steps[0], color=MUTED, lw=0.9, ls=":")
        dots = ax.scatter(np.zeros(len(colors)), values[0], s=36, color=colors, edgecolors="white", lw=0.7, zorder=4)
        ax.set(ylim=(low - room, high + room), xlabel="training step", ylabel="position")
        ax.set_title(title, pad=6)
        markers.append((now, dots))
    return markers
