"""Figures 9, 15 and 16: differential equations for the signals."""

from pathlib import Path

import numpy as np
import xarray as xr

from nucleate.claims import Evidence
from nucleate.explorer import FigureEntry
from nucleate.papers.circles import readings
from nucleate.papers.circles.ledger.equations import LASSO, LINEAR, SELF, run, runs
from nucleate.plots import PALETTE, fit_curve, fits_grid, interaction_matrix, panels, save

_COLUMNS = 6
_LAWS = {"least squares": LINEAR, "Lasso": LASSO, "self-term only": SELF}


def _subject(evidence: Evidence) -> tuple[xr.Dataset, np.ndarray, dict[str, np.ndarray]]:
    """One network of the survival fleet, its survivors, and what each law says of it from its first step on."""
    record = evidence.record(readings.SURVIVAL)
    one = run(record, 0)
    observed, step = one.signal.values[0], one.step.values
    predicted = {"least squares": LINEAR.fit(one).rollout(observed[0], step)}
    lasso = LASSO.fit(one)
    predicted["Lasso"] = lasso.rollout(observed[0], step)
    predicted["Lasso, Eq. 4"] = lasso.closed_form(observed[0], (step - step[0]).astype(float))
    return one, readings.final_alive(record)[0], predicted


def figure_9(evidence: Evidence, folder: Path) -> FigureEntry:
    one, alive, predicted = _subject(evidence)
    observed, step = one.signal.values[0], one.step.values
    record = evidence.record(readings.DYNAMICS)
    figure, (fits, dead, survived, matrix) = panels(1, 4, size=(4.4, 3.8))
    for color, (name, law) in zip(PALETTE, _LAWS.items(), strict=False):
        r2 = np.array([float(law.fit(one).score(one).r2[0]) for one in runs(record)])
        where = np.unique(record.dim.values)
        fits.scatter(record.dim.values, r2, s=14, color=color, alpha=0.5, lw=0)
        fits.plot(where, [np.median(r2[record.dim.values == d]) for d in where], color=color, label=name)
    fits.set(xlabel="embedding dimension d", ylabel="in-sample R² of increments")
    fits.legend()
    strongest = int(np.argmax(np.where(alive, observed[-1], -np.inf)))
    weakest = int(np.argmin(observed[-1]))
    for ax, k, fate in ((dead, weakest, "dead"), (survived, strongest, "survived")):
        lines = {name: value[:, k] for name, value in predicted.items()}
        fit_curve(ax, step, observed[:, k], lines, title=f"k = {k + 1}, {fate}", legend=ax is dead)
    interaction_matrix(matrix, LASSO.fit(one).interactions.values, alive, title="Lasso")
    return FigureEntry(
        save(figure, folder / "figure_9.png"),
        "Fig. 9: linear equations for the signals",
        "From the left: R² on the run that was fitted, for several dimensions; a dead and a surviving frequency "
        "with the "
        "rollouts of the fits; the couplings found by Lasso. R² on other runs is in claim 16.",
    )


def figure_15(evidence: Evidence, folder: Path) -> FigureEntry:
    record = evidence.record(readings.SURVIVAL)
    alive = readings.final_alive(record)
    chosen = np.unique(record.seed_embedding.values, return_index=True)[1][1:4]
    figure, axes = panels(1, len(chosen), size=(4.6, 4.2))
    for ax, member in zip(axes, chosen, strict=True):
        fit = LASSO.fit(run(record, int(member)))
        interaction_matrix(ax, fit.interactions.values, alive[member], title=f"network {member}")
    return FigureEntry(
        save(figure, folder / "figure_15.png"),
        "Fig. 15: couplings of more networks",
        "Lasso fits of networks with other embeddings.",
    )


def figure_16(evidence: Evidence, folder: Path) -> FigureEntry:
    one, alive, predicted = _subject(evidence)
    # One panel more than frequencies, for the legend.
    rows = -(-(len(alive) + 1) // _COLUMNS)
    figure, axes = panels(rows, _COLUMNS, size=(1.9, 1.5))
    fits_grid(axes, one.step.values, one.signal.values[0], predicted, alive)
    return FigureEntry(
        save(figure, folder / "figure_16.png"),
        "Fig. 16: all frequencies of one network",
        "Signals and the rollouts of the linear fits, from their value at step 0.",
    )
