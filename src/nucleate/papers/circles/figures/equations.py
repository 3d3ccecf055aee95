"""Figures 9, 15 and 16: differential equations for the signals."""

from pathlib import Path

import numpy as np

from nucleate.claims import Evidence
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import SURVIVAL
from nucleate.plots import PALETTE, Picture, fit_curve, fits_grid, interaction_matrix, panels, save
from nucleate.record import column, stayed_finite

_COLUMNS = 6


def figure_9(evidence: Evidence, folder: Path) -> Picture:
    one, dim = evidence.once(readings.portrait), column(readings.dynamics(evidence), "dim").values
    figure, (fits, dead, survived, matrix) = panels(1, 4, size=(4.4, 3.8))
    for color, (name, scores) in zip(PALETTE, evidence.once(readings.linear_scores).items(), strict=False):
        where = np.unique(dim)
        fits.scatter(dim, scores.same, s=14, color=color, alpha=0.5, lw=0)
        fits.plot(where, [np.median(scores.same[dim == d]) for d in where], color=color, label=name)
    fits.set(xlabel="embedding dimension d", ylabel="in-sample R² of increments")
    fits.legend()
    strongest = int(np.argmax(np.where(one.alive, one.observed[-1], -np.inf)))
    weakest = int(np.argmin(one.observed[-1]))
    for ax, k, fate in ((dead, weakest, "dead"), (survived, strongest, "survived")):
        lines = {name: value[:, k] for name, value in one.predicted.items()}
        fit_curve(ax, one.step, one.observed[:, k], lines, title=f"k = {k + 1}, {fate}", legend=ax is dead)
    interaction_matrix(matrix, evidence.once(readings.survival_couplings)[0], one.alive, title=readings.LASSO_NAME)
    return Picture(
        save(figure, folder / "figure_9.png"),
        "Fig. 9: linear equations for the signals",
        "From the left: R² on the run that was fitted, for several dimensions; a dead and a surviving frequency with "
        "the rollouts of the fits; the couplings found by Lasso. R² on other runs is in claim 16.",
    )


def figure_15(evidence: Evidence, folder: Path) -> Picture:
    record, matrices = stayed_finite(evidence.record(SURVIVAL)), evidence.once(readings.survival_couplings)
    alive = readings.final_alive(record)
    chosen = np.unique(record.seed_embedding.values, return_index=True)[1][1:4]
    figure, axes = panels(1, len(chosen), size=(4.6, 4.2))
    for ax, member in zip(axes, chosen, strict=True):
        interaction_matrix(ax, matrices[member], alive[member], title=f"network {member}")
    return Picture(
        save(figure, folder / "figure_15.png"),
        "Fig. 15: couplings of more networks",
        "Lasso fits of networks with other embeddings.",
    )


def figure_16(evidence: Evidence, folder: Path) -> Picture:
    one = evidence.once(readings.portrait)
    # One panel more than frequencies, for the legend.
    rows = -(-(len(one.alive) + 1) // _COLUMNS)
    figure, axes = panels(rows, _COLUMNS, size=(1.9, 1.5))
    fits_grid(axes, one.step, one.observed, one.predicted, one.alive)
    return Picture(
        save(figure, folder / "figure_16.png"),
        "Fig. 16: all frequencies of one network",
        "Signals and the rollouts of the linear fits, from their value at step 0.",
    )
