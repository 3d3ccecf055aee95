"""Figures 1 and 7: transformers that learn modular addition, and a film of the circle that forms in one of them."""

from math import gcd
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from scipy.linalg import orthogonal_procrustes

from nucleate.claims import Evidence
from nucleate.observables import principal_coordinates, spacing, vote
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import DROPOUT, PHASE_TRANSFORMER, TABLE_1_STEPS, TRANSFORMER
from nucleate.plots import (
    PALETTE,
    Picture,
    animate_circles,
    circle,
    mark,
    median_line,
    panels,
    phase_diagram,
    phase_legend,
    save,
)
from nucleate.record import stayed_finite


def figure_1(evidence: Evidence, folder: Path) -> Picture | None:
    seen = evidence.once(readings.portrait)
    if seen is None:
        return None
    figure, axes = panels(1, 3, size=(3.6, 4.2))
    rows = (0, seen.fitted, len(seen.step) - 1)
    stages = ("initialization", "overfitting" if seen.has_fitted else "not fitted yet", "the end")
    for ax, row, stage in zip(axes, rows, stages, strict=True):
        here = seen.embedding[row]
        points = np.asarray(principal_coordinates(here, here))
        circle(ax, points, order=order_of(seen.frequency, len(here)), title=f"{stage}, step {seen.step[row]:,}")
        ax.set_xlabel(f"accuracy: train {seen.train_accuracy[row]:.2f}, valid {seen.valid_accuracy[row]:.2f}")
    return Picture(
        save(figure, folder / "figure_1.png"),
        "Fig. 1: a circle emerges with generalization",
        "Tokens on the first two principal components of the embedding at that step, of the network with the clearest "
        f"circle. Tokens that are neighbours at frequency k = {seen.frequency}, which has {seen.share:.0%} of the "
        "variance in the last panel, are joined and coloured alike.",
    )


def film_1(evidence: Evidence, folder: Path) -> Picture | None:
    seen = evidence.once(readings.portrait)
    if seen is None:
        return None
    own = [np.asarray(principal_coordinates(here, here)) for here in seen.embedding]
    final = [np.asarray(principal_coordinates(here, seen.embedding[-1])) for here in seen.embedding]
    points = {"components of each step": _steadied(own), "components of the last step": np.stack(final)}
    order = order_of(seen.frequency, seen.embedding.shape[1])
    path = animate_circles(
        folder / "film_1.gif",
        points,
        seen.step,
        {"training": seen.train_accuracy, "validation": seen.valid_accuracy},
        order=dict.fromkeys(points, order) if order else None,
        ylog=False,
        ylabel="accuracy",
    )
    return Picture(
        path,
        "Fig. 1, as a film: the circle forms",
        f"The network of Fig. 1; tokens are joined in the order of frequency k = {seen.frequency}. Left: on the first "
        "two components of the current embedding, turned so that they move least. Right: on those of the embedding at "
        "the end, where some of the order is there from the start (Fig. 21).",
    )


def order_of(k: int, p: int) -> int | None:
    """The spacing of tokens on the circle of frequency k, if they are all on one."""
    return spacing(k, p) if gcd(k, p) == 1 else None


def _steadied(points: list[np.ndarray]) -> np.ndarray:
    """Each snapshot turned, and perhaps mirrored, to be as near as can be to the next: components have no sign, and
    two of equal variance no direction."""
    turned = points[-1:]
    for here in points[-2::-1]:
        turned.append(here @ orthogonal_procrustes(here, turned[-1])[0])
    return np.stack(turned[::-1])


def figure_7(evidence: Evidence, folder: Path) -> Picture:
    figure, (left, centre, right) = panels(1, 3)
    networks = _dimensions(left, evidence)
    record = stayed_finite(evidence.record(DROPOUT))
    first = []
    for crossing, name, color in (("valid99", "validation", PALETTE[0]), ("train99", "training", PALETTE[1])):
        steps = readings.steps_to(record, crossing)
        first += steps[np.isfinite(steps)].tolist()
        median_line(
            centre,
            record.dropout.values,
            steps,
            budget=int(record.steps),
            ylog=True,
            xlabel="dropout rate",
            ylabel="steps to 99 % accuracy",
            color=color,
            label=name,
        )
    if first:
        centre.set_ylim(bottom=min(first) / 1.5)
    plane = evidence.record(PHASE_TRANSFORMER)
    codes, xs, ys = readings.phase_map(plane, "eta_dec", "wd_dec")
    labels = {"xlabel": r"$\eta$ decoder", "ylabel": "decoder weight decay", "xlog": True, "ylog": True}
    winner, votes = vote(codes, -1)
    phase_diagram(right, winner, votes, xs, ys, legend=False, **labels)
    phase_legend(right, undecided=bool((winner < 0).any()), single=codes.shape[-1] == 1)
    return Picture(
        save(figure, folder / "figure_7.png"),
        "Fig. 7: effective dimension, dropout and phases of transformers",
        f"Left: effective dimension of the embeddings of {networks} networks (median and quartiles), with the median "
        f"step at which they reach 99 % validation accuracy. Centre: steps to 99 % accuracy by dropout rate. Right: "
        f"phase of one network for each weight decay and learning rate of the decoder, within {int(plane.steps):,} "
        "steps" + (f"; the paper's have {TABLE_1_STEPS:,}." if readings.is_short(plane) else "."),
    )


def _dimensions(ax: Axes, evidence: Evidence) -> int:
    record = stayed_finite(evidence.record(TRANSFORMER))
    low, middle, high = np.nanquantile(record.effective_dimension.values, (0.25, 0.5, 0.75), axis=0)
    ax.fill_between(record.step.values, low, high, color=PALETTE[0], alpha=0.2, lw=0)
    ax.plot(record.step.values, middle, color=PALETTE[0])
    then = float(np.median(readings.steps_to(record, "valid99")))
    if np.isfinite(then):
        mark(ax, {"generalization": then})
    ax.set(xlabel="training step", ylabel="effective dimension", xlim=(0, record.step.values[-1]))
    return record.sizes["member"]
