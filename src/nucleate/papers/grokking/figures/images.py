"""Figures 8, 19 and 20: digits."""

from pathlib import Path

import numpy as np

from nucleate.claims import Evidence
from nucleate.observables import vote
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import TABLE_1_STEPS
from nucleate.papers.grokking.experiments.images import DIGITS, DIGITS_PHASES, DIGITS_SIZES
from nucleate.papers.grokking.readings.images import GENERALISED, SCALES, SHOWN, STEPS, collapse
from nucleate.plots import (
    Picture,
    class_points,
    median_line,
    member_curves,
    panels,
    phase_diagram,
    phase_legend,
    save,
    transition,
)
from nucleate.record import Outcome, stayed_finite


def figure_8(evidence: Evidence, folder: Path) -> Picture:
    record, plane = evidence.record(DIGITS), evidence.record(DIGITS_PHASES)
    figure, (left, right) = panels(1, 2, size=(5.2, 4.0))
    curves = {"training": record.train_accuracy.values, "validation": record.valid_accuracy.values}
    member_curves(left, record.step.values, curves, threshold=0.6, xlog=True, title="grokking on 1,000 digits")
    codes, rates, decays = readings.phase_map(plane, "eta_last", "decay", GENERALISED)
    winner, votes = vote(codes, -1)
    phase_diagram(right, winner, votes, rates, decays, xlog=True, ylog=True, title="phases", legend=False)
    phase_legend(right, undecided=bool((winner < 0).any()), single=codes.shape[-1] == 1)
    right.set(xlabel=r"$\eta$ of the last layer", ylabel="weight decay")
    right.invert_yaxis()
    stopped = bool((record.outcome.values == Outcome.STOPPED).any())
    networks = f"majority of {codes.shape[-1]} networks" if codes.shape[-1] > 1 else "one network"
    return Picture(
        save(figure, folder / "figure_8.png"),
        "Fig. 8: grokking on digits",
        f"Left: {record.sizes['member']} networks{', each until 80 %' if stopped else ''}; dotted: 60 %, which counts "
        f"as generalising. Right: phases after {int(plane.steps):,} steps, {networks} in each cell"
        + ("." if int(plane.steps) >= TABLE_1_STEPS else f"; what memorises may still grok, until {TABLE_1_STEPS:,}."),
    )


def figure_19(evidence: Evidence, folder: Path) -> Picture:
    seen = evidence.once(collapse)
    # The encoder of median collapse: neither the best nor the worst case.
    chosen = int(np.argsort(seen.within[:, -1] / seen.within[:, 0])[len(seen.within) // 2])
    figure, (*planes, right) = panels(1, len(SHOWN) + 1, size=(3.3, 3.3))
    for ax, points, step in zip(planes, seen.points[chosen], SHOWN, strict=True):
        class_points(ax, points, seen.label[chosen], title=f"step {step}")
    low, median, high = np.quantile(seen.left, (0.25, 0.5, 0.75), axis=1)
    transition(right, np.array(SCALES), median, low, high, ylabel="spread left within classes")
    right.set(title="larger encoders", xlabel="factor on all weights", ylim=(0, 1.05))
    return Picture(
        save(figure, folder / "figure_19.png"),
        "Fig. 19: the effective loss alone",
        f"Embeddings of {seen.label.shape[1]:,} digits by a random encoder, which Adam moves down the effective loss; "
        "each number is at the mean of its digits. Right: share of the spread within classes that is left after "
        f"{STEPS} steps, median and quartiles of {len(seen.label)} encoders; the paper does not give their scale.",
    )


def figure_20(evidence: Evidence, folder: Path) -> Picture | None:
    record = stayed_finite(evidence.record(DIGITS_SIZES))
    if not record.sizes["member"]:
        return None
    size, steps = record.train_size.values, readings.steps_to(record, "valid60")
    best = 100 * record.valid_accuracy.max("step").values
    figure, (left, right) = panels(1, 2)
    times = {"ylabel": "steps to 60 % on validation images", "budget": int(record.steps), "ylog": True}
    median_line(left, size, np.where(np.isfinite(steps), steps, np.nan), xlabel="training images", **times)
    median_line(right, size, best, xlabel="training images", ylabel="best validation accuracy, %")
    right.axhline(60, color="0.4", lw=1, ls=":", zorder=1)
    for ax in (left, right):
        ax.set_xscale("log", base=2)
        ax.set_xticks(np.unique(size), labels=[str(n) for n in np.unique(size)], minor=False)
        ax.minorticks_off()
    return Picture(
        save(figure, folder / "figure_20.png"),
        "Fig. 20: time to generalise against training size",
        f"Weight decay {float(record.decay[0]):g}. Left: triangles did not get there. Right: the best that each "
        "network came to; it was stopped beyond 60 %, which few images do not allow.",
    )
