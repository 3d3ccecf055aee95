"""Figures: functions that draw arrays on matplotlib axes. Draw inside `with style():` and write with `save`."""

from typing import TYPE_CHECKING

from nucleate.rooms import on_demand

if TYPE_CHECKING:
    from nucleate.plots.animation import animate, animate_circles
    from nucleate.plots.attention import animate_attention, attention_map, particles
    from nucleate.plots.circles import circle, reach, signal_curves, snapshots, survivor_colors
    from nucleate.plots.classes import class_points
    from nucleate.plots.comparison import compared_curves, compared_ends
    from nucleate.plots.curves import above_diagonal, agreement, median_line, transition
    from nucleate.plots.dynamics import fit_curve, fits_grid, interaction_matrix, loss_curves
    from nucleate.plots.elements import elements
    from nucleate.plots.figure_data import figure_data
    from nucleate.plots.graphs import graph_route, matched_points
    from nucleate.plots.heads import count_bars, interval_rows, law_curve, score_histogram, second_curve
    from nucleate.plots.hierarchy import hierarchy, strips
    from nucleate.plots.labels import end_labels, mark, spread
    from nucleate.plots.members import member_curves
    from nucleate.plots.overview import end_maps, overview
    from nucleate.plots.phase_diagram import phase_diagram, phase_legend
    from nucleate.plots.picture import Picture
    from nucleate.plots.potentials import (
        animate_repons,
        number_lines,
        plane_configuration,
        potential_curves,
        surface,
    )
    from nucleate.plots.sampling import chain_traces, plateau_curves
    from nucleate.plots.sequences import animate_sequence, sequence_attention, table_heat
    from nucleate.plots.style import FRACTION_MAP, PALETTE, PHASE_COLORS, panels, save, style, token_colors
    from nucleate.plots.survival import count_curve, fitness_plane, rate_curve, two_histograms
    from nucleate.plots.trajectories import trajectories
    from nucleate.plots.value_map import value_map

__all__ = [
    "FRACTION_MAP",
    "PALETTE",
    "PHASE_COLORS",
    "Picture",
    "above_diagonal",
    "agreement",
    "animate",
    "animate_attention",
    "animate_circles",
    "animate_repons",
    "animate_sequence",
    "attention_map",
    "chain_traces",
    "circle",
    "class_points",
    "compared_curves",
    "compared_ends",
    "count_bars",
    "count_curve",
    "elements",
    "end_labels",
    "end_maps",
    "figure_data",
    "fit_curve",
    "fitness_plane",
    "fits_grid",
    "graph_route",
    "hierarchy",
    "interaction_matrix",
    "interval_rows",
    "law_curve",
    "loss_curves",
    "mark",
    "matched_points",
    "median_line",
    "member_curves",
    "number_lines",
    "overview",
    "panels",
    "particles",
    "phase_diagram",
    "phase_legend",
    "plane_configuration",
    "plateau_curves",
    "potential_curves",
    "rate_curve",
    "reach",
    "save",
    "score_histogram",
    "second_curve",
    "sequence_attention",
    "signal_curves",
    "snapshots",
    "spread",
    "strips",
    "style",
    "surface",
    "survivor_colors",
    "table_heat",
    "token_colors",
    "trajectories",
    "transition",
    "two_histograms",
    "value_map",
]

on_demand(__name__)
