"""Attention along a sequence, as a map and as a film, and tables as heat maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from numpy.typing import ArrayLike

from nucleate.plots.animation import animate
from nucleate.plots.scales import log_x
from nucleate.plots.style import FRACTION_MAP, INK, MUTED, PALETTE, Number, style

_MOST_LETTERS = 40
"""Longer sequences are not spelled out along the axes."""
_WIDTH = 8.0


def sequence_attention(
    ax: Axes, attention: ArrayLike, *, text: Sequence[str] = (), title: str = "", highest: Number | None = None
) -> AxesImage:
    """Who attends to whom: `attention[query, key]` as a map, dark for none, bright for `highest`.

    `text`: what the tokens are called, along both axes; `highest`: by default the largest attention.
    Source: the attention patterns of [tian2023scan], Figure 7.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     image = sequence_attention(ax, [[1.0, 0.0], [0.3, 0.7]], text="ab")
    >>> image.get_clim(), [label.get_text() for label in ax.get_xticklabels()]
    ((0.0, 1.0), ['a', 'b'])
    """
    attention = np.asarray(attention, float)
    if attention.ndim != 2 or attention.shape[0] != attention.shape[1]:
        raise ValueError(f"sequence_attention: attention must be [query, key]; got {attention.shape}.")
    if len(text) not in (0, len(attention)):
        raise ValueError(f"sequence_attention: text must have {len(attention)} tokens; got {len(text)}.")
    most = float(attention.max()) if highest is None else float(highest)
    # Colours follow the root of attention: spread over many tokens it would be too dark to see.
    colors = PowerNorm(0.5, 0.0, most or 1.0)
    image = ax.imshow(attention, cmap="magma", norm=colors, aspect="equal", interpolation="nearest")
    if 0 < len(text) <= _MOST_LETTERS:
        ax.set_xticks(range(len(text)), list(text), fontsize=6, family="monospace")
        ax.set_yticks(range(len(text)), list(text), fontsize=6, family="monospace")
    ax.tick_params(length=0)
    ax.set(xlabel="key", ylabel="query")
    ax.set_title(title, pad=5, fontsize=10)
    return image


def table_heat(
    ax: Axes,
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    limits: tuple[Number, Number] = (0.0, 1.0),
    title: str = "",
) -> AxesImage:
    """A table of `values[row, column]` as a heat map, with each number in its cell; NaN is left blank.

    Source: Table 1 of [tian2023joma].

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     image = table_heat(ax, [[0.5, np.nan]], ["lower"], ["start", "end"])
    >>> [text.get_text() for text in ax.texts]
    ['0.50']
    """
    values = np.asarray(values, float)
    if values.shape != (len(rows), len(columns)):
        raise ValueError(f"table_heat: values must be [{len(rows)} rows, {len(columns)} columns]; got {values.shape}.")
    low, high = map(float, limits)
    image = ax.imshow(np.ma.masked_invalid(values), cmap=FRACTION_MAP, vmin=low, vmax=high, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            dark = (value - low) / (high - low) < 0.6
            ax.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=8, color="white" if dark else INK)
    ax.set_xticks(range(len(columns)), list(columns), fontsize=8)
    ax.set_yticks(range(len(rows)), list(rows), fontsize=8)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_title(title, pad=6, fontsize=11)
    return image


def animate_sequence(
    path: Path | str,
    maps: Mapping[str, ArrayLike],
    steps: ArrayLike,
    curves: Mapping[str, ArrayLike],
    *,
    text: Sequence[str] = (),
    ylabel: str = "tokens attended to",
    seconds: Number = 0.2,
) -> Path:
    """Animate attention maps side by side while their networks train, above a curve for each.

    `maps` maps title to [frame, query, key]; `curves` maps the same titles to [frame]; `steps` is that of each frame.
    Source: an animation of [tian2023scan], Figure 7.

    >>> import tempfile
    >>> moving = {"one block": np.random.default_rng(0).uniform(size=(2, 4, 4))}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = animate_sequence(Path(folder) / "film.gif", moving, [0, 9], {"one block": [4.0, 1.0]})
    ...     path.name
    'film.gif'
    """
    steps = np.asarray(steps, float)
    moving = {title: np.asarray(values, float) for title, values in maps.items()}
    drawn = {title: np.asarray(values, float) for title, values in curves.items()}
    if not moving or moving.keys() != drawn.keys():
        raise ValueError(f"animate_sequence: needs a curve for each map; got {list(moving)} and {list(drawn)}.")
    for title, frames in moving.items():
        if frames.ndim != 3 or len(frames) != steps.size or drawn[title].shape != steps.shape:
            raise ValueError(
                f"animate_sequence: {title!r} must have a map and a number for each of {steps.size} steps."
            )
    side = _WIDTH / max(2, len(moving))
    with style():
        figure = Figure(figsize=(_WIDTH, side + 2.2))
        grid = figure.add_gridspec(2, len(moving), height_ratios=[side, 2.0])
        images = [
            sequence_attention(figure.add_subplot(grid[0, column]), frames[0], text=text, title=title, highest=1.0)
            for column, (title, frames) in enumerate(moving.items())
        ]
        curve = figure.add_subplot(grid[1, :])
        log_x(curve, steps)
        for color, (title, values) in zip(PALETTE, drawn.items(), strict=False):
            curve.plot(steps, values, color=color, label=title)
        now = curve.axvline(steps[0], color=MUTED, lw=0.9, ls=":")
        curve.set(xlabel="training step", ylabel=ylabel)
        curve.set_ylim(bottom=0)
        curve.legend(loc="lower left")

    def draw(frame: int) -> Figure:
        for image, frames in zip(images, moving.values(), strict=True):
            image.set_data(frames[frame])
        now.set_xdata([steps[frame], steps[frame]])
        curve.set_title(f"step {steps[frame]:,.0f}", pad=4, fontsize=10.5)
        if frame == 0:  # all frames keep the layout of the first
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
        return figure

    return animate(path, steps.size, draw, seconds=seconds)
