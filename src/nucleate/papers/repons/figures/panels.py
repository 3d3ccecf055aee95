"""What the figures share: nothing to show where nothing is fitted, a panel of text, a potential on a square."""

import functools
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from nucleate.claims import Evidence
from nucleate.papers.repons.readings import Unfitted
from nucleate.plots import Picture

GRID = 61
"""Points along an axis of a surface."""

Draw = Callable[[Evidence, Path], Picture]


def where_fitted(draw: Draw) -> Callable[[Evidence, Path], Picture | None]:
    """Decorate a figure of fits: there is none where no potential can be fitted."""

    @functools.wraps(draw)
    def drawn(evidence: Evidence, folder: Path) -> Picture | None:
        try:
            return draw(evidence, folder)
        except Unfitted:
            return None

    return drawn


def say(ax: Axes, text: str) -> None:
    """A panel that has only text to show."""
    ax.text(0.5, 0.5, text, ha="center", transform=ax.transAxes)
    ax.set_axis_off()


def square_grid(reach: float) -> tuple[np.ndarray, np.ndarray]:
    """An axis from −reach to reach, and the points of the square it spans: [point, 2]."""
    x = np.linspace(-reach, reach, GRID)
    return x, np.stack(np.meshgrid(x, x, indexing="ij"), axis=-1).reshape(-1, 2)
