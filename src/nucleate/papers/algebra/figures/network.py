"""Networks while they learn: losses and accuracies, and the loss in its parts."""

from pathlib import Path

import numpy as np

from nucleate.claims import Evidence
from nucleate.papers.algebra.experiments.network import C23
from nucleate.papers.algebra.readings import network as readings
from nucleate.plots import PALETTE, Picture, panels, save
from nucleate.plots.scales import log_x, log_y
from nucleate.record import stayed_finite


def learning_to_add(evidence: Evidence, folder: Path) -> Picture:
    record = stayed_finite(evidence.record(C23))
    figure, (left, right) = panels(1, 2, size=(5.0, 3.8))
    for ax, kind in ((left, "loss"), (right, "accuracy")):
        for color, part, label in ((PALETTE[0], "train", "training pairs"), (PALETTE[1], "test", "held-out pairs")):
            low, middle, high = np.quantile(record[f"{part}_{kind}"].values, (0.25, 0.5, 0.75), axis=0)
            ax.fill_between(record.step.values, low, high, color=color, alpha=0.2, lw=0)
            ax.plot(record.step.values, middle, color=color, label=label)
        log_x(ax, record.step.values)
        ax.set(xlabel="training step", ylabel=kind)
    left.set_yscale("log")
    left.legend(loc="best")
    return Picture(
        save(figure, folder / "learning_to_add.png"),
        f"Loss and accuracy for d = {record.sizes['element']}",
        f"Medians and quartiles of {record.sizes['member']} networks with {record.sizes['node']} nodes.",
    )


def parts_of_the_loss(evidence: Evidence, folder: Path) -> Picture:
    seen = evidence.once(readings.decomposed)
    total = seen.goal + seen.cross + seen.constant + seen.squares + seen.means
    named = {
        r"$R_g$: $|r_{kkk} - 1|^2$": seen.goal,
        r"$R_c$: $\sum |r_{k_1 k_2 k}|^2$": seen.cross,
        r"$R_n$: $\frac{1}{4} |\sum r_{p,k',-k',k}|^2$": seen.constant,
        r"$R_*$: $\frac{1}{4} \sum |\sum r_{p,k',m-k',k}|^2$": seen.squares,
        "weights with a mean (±)": np.abs(seen.means),
    }
    figure, (ax,) = panels(1, 1, size=(7.6, 4.4))
    for color, (label, part) in zip(PALETTE, named.items(), strict=False):
        low, middle, high = np.quantile(part, (0.25, 0.5, 0.75), axis=0)
        ax.fill_between(seen.step, low, high, color=color, alpha=0.15, lw=0)
        ax.plot(seen.step, middle, color=color, label=label)
    ax.plot(seen.step, np.median(total, axis=0), color="black", ls="--", label="loss on all pairs")
    log_x(ax, seen.step)
    log_y(ax, np.concatenate([np.median(part, axis=0) for part in named.values()]))
    ax.set(xlabel="training step", ylabel="part of the loss")
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    return Picture(
        save(figure, folder / "parts_of_the_loss.png"),
        "The loss in its parts over training",
        f"Medians and quartiles of {len(total)} networks of d = 23, averaged over frequencies: what is missing from "
        "each condition of a global optimum. Parts add up to the loss on all pairs, those that are trained on and "
        "those that are not.",
    )


FIGURES = (learning_to_add, parts_of_the_loss)
