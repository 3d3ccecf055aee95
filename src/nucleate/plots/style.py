"""The house style: type, colours, the blank figure and the file it ends in.

Nothing here uses pyplot. Matplotlib's settings are global to the process, so `style` holds a lock while they
are changed: threads draw one at a time, and none sees another's settings.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from threading import RLock
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, ListedColormap
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler

from nucleate.plots.figure_data import figure_data
from nucleate.record import write_atomically

Number = float | int | np.floating | np.integer
"""Any real scalar: values come from JSON, from NumPy and from counting."""

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#4D4D4D")
"""Okabe and Ito's colours, distinguishable with common forms of colour blindness; without their black and yellow."""

PHASE_COLORS = {
    "comprehension": "#2B7BB9",
    "grokking": "#EDA41F",
    "memorization": "#74205A",
    "confusion": "#CDD1D6",
}
"""Phase to colour, in the order of the phase codes 0, 1, 2, 3; distinguishable in greyscale by lightness."""

INK = "#222222"
MUTED = "#6B6B6B"


def _between(name: str, low: float, high: float) -> Colormap:
    return ListedColormap(matplotlib.colormaps[name](np.linspace(low, high, 256)), name=f"nucleate_{name}")


FRACTION_MAP = _between("viridis", 0.0, 0.93)
"""Sequential colour map for the training fraction; stops before the yellow that is hard to see on white."""

_TOKEN_MAP = _between("plasma", 0.0, 0.83)

_SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "mathtext.fontset": "dejavusans",
    "font.size": 10.5,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 20,  # leaves a line for the labels that `mark` writes above the axes
    "axes.labelsize": 11,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.linewidth": 0.9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.prop_cycle": cycler(color=PALETTE),
    "axes.formatter.use_mathtext": True,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5,
    "text.color": INK,
    "legend.facecolor": "white",
    "legend.edgecolor": "none",
    "legend.framealpha": 0.85,
    "legend.fontsize": 9,
    "lines.linewidth": 1.8,
    "lines.solid_capstyle": "round",
    "hatch.linewidth": 0.7,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.w_pad": 0.08,
    "savefig.dpi": 200,
}

_settings_lock = RLock()


@contextmanager
def style() -> Iterator[None]:
    """Draw in the house style, whatever the user's matplotlib settings; these are restored on exit.

    >>> with style():
    ...     matplotlib.rcParams["axes.spines.top"]
    False
    """
    with _settings_lock, ExitStack() as after, matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        try:
            yield
        finally:  # a notebook's backend turns this on when it is loaded, with the first figure: maybe just now
            after.callback(matplotlib.interactive, matplotlib.is_interactive())


def panels(rows: int = 1, columns: int = 1, *, size: tuple[Number, Number] = (4.8, 3.8)) -> tuple[Figure, list[Axes]]:
    """A figure of `rows` × `columns` panels of `size` inches each, and its axes in reading order.

    >>> with style():
    ...     figure, (left, right) = panels(1, 2)
    >>> figure.get_size_inches().tolist()
    [9.6, 3.8]
    """
    width, height = size
    figure = Figure(figsize=(float(width * columns), float(height * rows)))
    axes = figure.subplots(rows, columns, squeeze=False)
    return figure, list(axes.flat)


def token_colors(tokens: int) -> list[tuple[float, float, float, float]]:
    """One colour per token, from dark to light in order of its number.

    >>> [round(float(sum(rgb)), 1) for *rgb, _ in token_colors(3)]
    [0.6, 1.4, 1.9]
    """
    return [_TOKEN_MAP(float(position)) for position in np.linspace(0.0, 1.0, tokens)]


def save(figure: Figure, path: Path | str) -> Path:
    """Write `figure` as PNG and return its path; what it shows, as CSV, is written beside it (see `figure_data`).

    The files are written atomically. The figure can still be drawn on afterwards.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, style():
    ...     save(panels()[0], Path(folder) / "fig3.png").read_bytes()[:4]
    b'\\x89PNG'
    """
    path = Path(path)
    if path.suffix != ".png":
        raise ValueError(f"save writes PNG: path must end in .png; got {path}.")
    content = BytesIO()
    with style():
        figure.savefig(content, format="png")
    if data := figure_data(figure):
        write_atomically(path.with_suffix(".csv"), data.encode())
    else:
        path.with_suffix(".csv").unlink(missing_ok=True)
    write_atomically(path, content.getvalue())
    return path
