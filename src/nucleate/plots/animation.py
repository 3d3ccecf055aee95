"""Animations as GIF, which every browser plays without further tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from PIL import Image

from nucleate.plots.circles import circle, reach
from nucleate.plots.scales import log_x, log_y
from nucleate.plots.style import INK, MUTED, PALETTE, Number, style
from nucleate.record import write_atomically

_SAMPLED = 6
"""Number of frames from which the palette shared by all frames is computed."""

_WIDTH = 8.0


def animate(
    path: Path | str, frames: int, draw: Callable[[int], Figure], *, seconds: Number = 0.1, hold: Number = 1.5
) -> Path:
    """Write `draw(0)`, `draw(1)`, … as an endless GIF and return its path.

    Each frame is shown for `seconds`, the last one for `hold`. `draw` is called in the house style and may
    return the same figure each time, modified. All frames have one size in pixels and share 256 colours. Equal
    consecutive frames are stored as one, shown longer. The file is written atomically.

    >>> import tempfile
    >>> def draw(frame):
    ...     figure = Figure(figsize=(1, 1))
    ...     _ = figure.text(0.5, 0.5, str(frame))
    ...     return figure
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = animate(Path(folder) / "count.gif", 3, draw)
    ...     with Image.open(path) as film:
    ...         film.n_frames
    3
    """
    path = Path(path)
    if path.suffix != ".gif":
        raise ValueError(f"animate writes GIF: path must end in .gif; got {path}.")
    if frames < 1:
        raise ValueError(f"animate: frames must be >= 1; got {frames}.")
    if min(seconds, hold) < 0.02:
        raise ValueError(f"animate: seconds and hold must be >= 0.02, as browsers require; got {seconds} and {hold}.")
    with style():
        pictures = [_picture(draw(frame)) for frame in range(frames)]
    if len(sizes := {picture.size for picture in pictures}) > 1:
        raise ValueError(f"animate: all frames must have the same size in pixels; got {sorted(sizes)}.")
    colors = _common_colors(pictures)
    indexed = [picture.quantize(palette=colors, dither=Image.Dither.NONE) for picture in pictures]
    durations = [round(100 * float(seconds)) * 10] * (frames - 1) + [round(100 * float(hold)) * 10]
    content = BytesIO()
    indexed[0].save(content, "GIF", save_all=True, append_images=indexed[1:], duration=durations, loop=0)
    write_atomically(path, content.getvalue())
    return path


def _picture(figure: Figure) -> Image.Image:
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def _common_colors(pictures: list[Image.Image]) -> Image.Image:
    """One palette for all frames: with separate ones, static parts would flicker and be stored again."""
    chosen = [pictures[int(i)] for i in np.unique(np.linspace(0, len(pictures) - 1, _SAMPLED).astype(int))]
    width, height = pictures[0].size
    sheet = Image.new("RGB", (width, height * len(chosen)))
    for row, picture in enumerate(chosen):
        sheet.paste(picture, (0, row * height))
    colors = sheet.quantize(256, method=Image.Quantize.MEDIANCUT)
    table = np.reshape(colors.getpalette() or [], (-1, 3))
    table[table.min(axis=1) > 240] = 255  # the white background, which averaging has made slightly grey
    colors.putpalette(table.ravel().tolist())
    return colors


def animate_circles(
    path: Path | str,
    points: Mapping[str, ArrayLike],
    steps: ArrayLike,
    signals: Mapping[str, ArrayLike],
    *,
    order: Mapping[str, int] | None = None,
    xlog: bool = False,
    ylog: bool = True,
    ylabel: str = "signal",
    seconds: Number = 0.1,
) -> Path:
    """Animate circles side by side while their network trains, above a plot of their signals.

    `points` maps title to [frame, token, 2], all on one scale; `signals` maps titles to [frame]: those of the circles,
    in whose colours they are drawn, or others, such as accuracies, which then have a legend; `order` maps titles of
    circles to the spacing Δ, see `circle`. Source: an animation of [ding2024survival], Figure 2.

    >>> import tempfile
    >>> moving = {"dies": np.random.default_rng(0).normal(size=(2, 5, 2)) * [[[1.0]], [[0.1]]]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = animate_circles(Path(folder) / "circles.gif", moving, [0, 100], {"dies": [5.0, 0.5]})
    ...     with Image.open(path) as film:
    ...         film.n_frames
    2
    """
    steps = np.asarray(steps, float)
    moving = {title: np.asarray(values, float) for title, values in points.items()}
    signal = {title: np.asarray(values, float) for title, values in signals.items()}
    _check(moving, steps, signal)
    order = order or {}
    with style():
        film = _Film(moving, steps, signal)
        film.draw_curves(xlog, ylog, ylabel)

    def draw(frame: int) -> Figure:
        film.show(frame, order)
        return film.figure

    return animate(path, steps.size, draw, seconds=seconds)


def _check(points: Mapping[str, np.ndarray], steps: np.ndarray, signals: Mapping[str, np.ndarray]) -> None:
    if not points or not steps.size:
        raise ValueError(f"animate_circles: needs at least 1 circle and frame; got {len(points)} and {steps.size}.")
    for title, here in points.items():
        if here.ndim != 3 or here.shape[::2] != (steps.size, 2):
            raise ValueError(
                f"animate_circles: points of {title!r} must be [frame={steps.size}, token, 2]; got {here.shape}."
            )
    for title, values in signals.items():
        if values.shape != steps.shape:
            raise ValueError(f"animate_circles: signals of {title!r} must be [frame={steps.size}]; got {values.shape}.")


class _Film:
    """The figure shared by all frames: the circles above, their signals below, and the artists that move."""

    def __init__(self, points: Mapping[str, np.ndarray], steps: np.ndarray, signals: Mapping[str, np.ndarray]) -> None:
        self._points, self._steps, self._signals = points, steps, signals
        self._limit = reach(*points.values())
        side = _WIDTH / max(2, len(points))
        self.figure = Figure(figsize=(_WIDTH, 0.92 * side + 2.0))
        grid = self.figure.add_gridspec(2, len(points), height_ratios=[0.92 * side, 1.9])
        self._circles = [self.figure.add_subplot(grid[0, column]) for column in range(len(points))]
        self._curve = self.figure.add_subplot(grid[1, :])
        self._apart = signals.keys() != points.keys()
        titles = signals if self._apart else points
        self._colors = {title: PALETTE[i % len(PALETTE)] for i, title in enumerate(titles)}

    def draw_curves(self, xlog: bool, ylog: bool, ylabel: str) -> None:
        ax, steps = self._curve, self._steps
        if ylog:
            log_y(ax, np.concatenate(list(self._signals.values())))
        if xlog:
            log_x(ax, steps)
        if steps[0] < steps[-1]:
            ax.set_xlim(steps[0], steps[-1])
        for title, values in self._signals.items():
            ax.plot(steps, values, color=self._colors[title], lw=1.6, alpha=0.55, label=title)
        self._now = ax.axvline(steps[0], color=MUTED, lw=0.9, ls=":")
        self._markers = {
            title: ax.plot([], [], "o", ms=7, color=color, mec="white", mew=0.8, clip_on=False, zorder=5)[0]
            for title, color in self._colors.items()
            if title in self._signals
        }
        ax.set(xlabel="training step", ylabel=ylabel)
        if self._apart:
            ax.legend(loc="best")

    def show(self, frame: int, order: Mapping[str, int]) -> None:
        for ax, (title, here) in zip(self._circles, self._points.items(), strict=True):
            ax.clear()
            circle(ax, here[frame], order=order.get(title), numbers=False, limit=self._limit)
            ax.set_title(title, pad=4, color=INK if self._apart else self._colors[title])
        low, high = self._curve.get_ylim()
        step = self._steps[frame]
        for title, marker in self._markers.items():
            marker.set_data([step], [np.clip(self._signals[title][frame], low, high)])
        self._now.set_xdata([step, step])
        self._curve.set_title(f"step {step:,.0f}", pad=4, fontsize=10.5)
        if frame == 0:  # all frames keep the layout of the first
            self.figure.draw_without_rendering()
            self.figure.set_layout_engine("none")
