"""Figures: arrays in, matplotlib axes drawn on. Draw inside `with style():` and write with `save`."""

from nucleate.plots.curves import above_diagonal, agreement, median_line, transition
from nucleate.plots.hierarchy import hierarchy, strips
from nucleate.plots.labels import end_labels, mark, spread
from nucleate.plots.overview import overview
from nucleate.plots.phase_diagram import phase_diagram, phase_legend
from nucleate.plots.style import FRACTION_MAP, PALETTE, PHASE_COLORS, panels, save, style, token_colors
from nucleate.plots.trajectories import trajectories

__all__ = [
    "FRACTION_MAP",
    "PALETTE",
    "PHASE_COLORS",
    "above_diagonal",
    "agreement",
    "end_labels",
    "hierarchy",
    "mark",
    "median_line",
    "overview",
    "panels",
    "phase_diagram",
    "phase_legend",
    "save",
    "spread",
    "strips",
    "style",
    "token_colors",
    "trajectories",
    "transition",
]
