"""Figures 17 and 18: networks that learn a group, S3 in the paper."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nucleate.claims import Evidence
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import GROUPS
from nucleate.plots import PALETTE, Picture, above_diagonal, agreement, elements, median_line, panels, save
from nucleate.record import stayed_finite

_PREDICTED = r"$\widehat{Acc}$ (representation)"


def figure_17(evidence: Evidence, folder: Path) -> Picture | None:
    group, seen = readings.group_of(evidence, GROUPS), readings.polygons(evidence.record(GROUPS))
    if not len(seen.best):
        return None
    # The clearest polygon, of a network that generalises if there is one.
    order = np.lexsort((seen.best, ~seen.generalises))
    chosen = int(order[0])
    best = int(seen.residual[chosen].argmin())
    figure, axes = panels(1, 3, size=(4.4, 4.5))
    for place, (ax, (x, y)) in enumerate(zip(axes, readings.PLANES, strict=True)):
        elements(
            ax,
            seen.points[chosen][:, [x, y]],
            group.elements,
            group.orders,
            outline=place == best,
            legend=ax is axes[-1],
            xlabel=f"PC{x + 1}",
            ylabel=f"PC{y + 1}",
            title=f"polygon residual {seen.residual[chosen, place]:.3f}",
        )
    kind = "generalises" if seen.generalises[chosen] else "does not generalise"
    record = stayed_finite(evidence.record(GROUPS))
    return Picture(
        save(figure, folder / "figure_17.png"),
        f"Fig. 17: the representation of {group.name}",
        f"The {group.order} matrices of a network that {kind}, trained on "
        f"{record.in_train.values[chosen].mean():.0%} of the pairs, in the planes of their first three principal "
        "components. Of all such networks it is the one whose elements are closest to the corners of a regular polygon "
        "(residual 0) in one of these planes, where they are joined.",
    )


def figure_18(evidence: Evidence, folder: Path) -> Picture:
    group, seen = readings.group_of(evidence, GROUPS), evidence.once(readings.group_qualities)
    steps = int(evidence.record(GROUPS).steps)
    figure, axes = panels(2, 3, size=(4.8, 3.9))
    quality, time, real, predicted, compared, beyond = axes
    median_line(quality, seen.fraction, seen.rqi, xlabel="training fraction", ylabel="RQI")
    _best(quality, seen.fraction, seen.rqi, np.max, "upper left")
    median_line(
        time,
        seen.fraction,
        seen.steps,
        budget=steps,
        ylog=True,
        xlabel="training fraction",
        ylabel="steps to RQI > 0.95",
    )
    _best(time, seen.fraction, seen.steps, np.min, "lower left")
    above_diagonal(real, seen.fraction, seen.accuracy, ylabel="Acc (network)")
    above_diagonal(predicted, seen.fraction, seen.predicted_accuracy, ylabel=_PREDICTED)
    agreement(
        compared,
        seen.predicted_accuracy,
        seen.accuracy,
        seen.fraction,
        xlabel=_PREDICTED,
        ylabel="Acc (network)",
        clabel="training fraction",
    )
    agreement(
        beyond,
        seen.rqi,
        seen.accuracy,
        seen.fraction,
        diagonal=False,
        xlabel="RQI",
        ylabel="Acc (network)",
        clabel="training fraction",
    )
    return Picture(
        save(figure, folder / "figure_18.png"),
        f"Fig. 18: {group.name} against the size of the training set",
        f"Each dot is one of {len(seen.rqi)} networks that learn {group.name} for up to {steps:,} steps. RQI and the "
        "steps to RQI > 0.95, with their medians and, dashed, the best network; accuracy on all pairs, measured and "
        "predicted from the matrices. The prediction is a lower bound where dots lie above the diagonal of the fifth "
        "panel; the last, which is ours, shows networks that know more than their RQI tells.",
    )


def _best(ax: Axes, x: np.ndarray, y: np.ndarray, best: Callable[[np.ndarray], float], legend: Any) -> None:
    """A line through the best network of each size, where one arrived; `legend`: where there is room for it."""
    sizes = np.unique(x)
    line = np.array([best(y[x == size]) for size in sizes])
    ax.plot(sizes, np.where(np.isfinite(line), line, np.nan), color=PALETTE[1], lw=1.6, ls="--", zorder=4, label="best")
    ax.legend(loc=legend)
