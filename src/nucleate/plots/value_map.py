"""A number for each pair of two hyperparameters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LogNorm, Normalize
from numpy.typing import ArrayLike

from nucleate.plots.style import FRACTION_MAP, INK, MUTED, Number


def value_map(
    ax: Axes,
    values: ArrayLike,
    x: Sequence[str],
    y: Sequence[str],
    *,
    span: tuple[Number, Number],
    log: bool = False,
    form: str = ".2f",
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
) -> QuadMesh:
    """Cells `values[row, col]` coloured and written out, with the names of their rows `y` and columns `x`.

    `span`: the values of the two ends of the colours, so that several maps can share them; with `log`, on a log scale.
    What is not finite is left white, with a dash. `form`: how numbers are written.

    >>> from nucleate.plots import panels, style
    >>> with style():
    ...     figure, (ax,) = panels()
    ...     mesh = value_map(ax, [[0.1, 0.2], [0.4, np.nan]], ["8", "∞"], ["0.1", "1"], span=(0, 1))
    >>> [text.get_text() for text in ax.texts]
    ['0.10', '0.20', '0.40', '–']
    """
    values = np.asarray(values, float)
    if values.shape != (len(y), len(x)):
        raise ValueError(f"value_map: values must be [y, x] = {(len(y), len(x))}; got {values.shape}.")
    low, high = map(float, span)
    norm = LogNorm(low, high, clip=True) if log else Normalize(low, high, clip=True)
    mesh = ax.pcolormesh(np.ma.masked_invalid(values), cmap=FRACTION_MAP, norm=norm, edgecolors="white", linewidth=0.8)
    for (row, col), value in np.ndenumerate(values):
        known = np.isfinite(value)
        color = MUTED if not known else "white" if norm(value) < 0.6 else INK
        text = format(value, form) if known else "–"
        ax.text(col + 0.5, row + 0.5, text, ha="center", va="center", fontsize=8.5, color=color)
    ax.set_xticks(np.arange(len(x)) + 0.5, labels=list(x))
    ax.set_yticks(np.arange(len(y)) + 0.5, labels=list(y))
    ax.tick_params(length=0)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.set_title(title, pad=8)
    for spine in ax.spines.values():
        spine.set_visible(False)
    return mesh
