"""Figures 4, 5, 8, 10, 12 and 14: losses, and how many circles survive."""

from pathlib import Path

import numpy as np

from nucleate.claims import Evidence
from nucleate.papers.circles import readings
from nucleate.papers.circles.experiments import (
    ABLATED,
    COMPETITION,
    COMPOSITES,
    DECAY,
    DIMENSIONS,
    FROZEN,
    FROZEN_LARGE,
    LONG,
    NO_DECAY,
    PRIMES,
    STRONGEST,
    VARIANTS,
)
from nucleate.plots import PALETTE, Picture, count_curve, loss_curves, mark, panels, save
from nucleate.record import column

_READ = (500, 1000, 5000, 10_000)


def figure_4(evidence: Evidence, folder: Path) -> Picture:
    records = [evidence.record(name) for name in (FROZEN, FROZEN_LARGE)]
    p, longest = int(records[0].p[0]), max(int(record.steps) for record in records)
    read = [step for step in _READ if step <= longest] or [longest]
    figure, (ax,) = panels(1, 1, size=(6.0, 4.2))
    for color, step in zip(PALETTE, read, strict=False):
        there = [record for record in records if int(record.steps) >= step]
        dim = np.concatenate([column(record, "dim").values for record in there])
        loss = np.concatenate([readings.loss_at(record, step) for record in there])
        where = np.unique(dim)
        ax.scatter(dim, loss, s=14, color=color, alpha=0.5, lw=0)
        ax.plot(where, [np.median(loss[dim == d]) for d in where], color=color, label=f"step {step:,}")
    ax.set(xlabel="embedding dimension d", ylabel="test loss", yscale="log")
    mark(ax, {"d = p": p})
    ax.legend()
    return Picture(
        save(figure, folder / "figure_4.png"),
        "Fig. 4: frozen embeddings",
        "Test loss of networks that train only their decoder, against the embedding dimension. Dots are networks; "
        "lines join medians.",
    )


def _counted(ax, records, by: str, **labels) -> None:
    found = readings.merged(*map(readings.survival, records))
    x = np.concatenate([column(record, by).values for record in records])
    count = np.where(found.trusted, found.count, np.nan)
    count_curve(ax, x, count, hollow=found.unsettled, note="not settled", **labels)


def figure_5(evidence: Evidence, folder: Path) -> Picture:
    figure, (left, right) = panels(1, 2)
    _counted(left, [evidence.record(PRIMES)], "p", xlabel="prime p")
    records = [evidence.record(name) for name in (DIMENSIONS, COMPETITION)]
    _counted(right, records, "dim", xlabel="embedding dimension d")
    return Picture(
        save(figure, folder / "figure_5.png"),
        "Fig. 5: how many circles survive",
        "Left: against the modulus. Right: against the embedding dimension, p = 59. Dots are networks; hollow ones "
        "still changed their survivors in the last quarter of training.",
    )


def figure_8(evidence: Evidence, folder: Path) -> Picture:
    record = evidence.record(LONG)
    loss, step = record.ablated_loss.values, record.step_ablated_loss.values
    names = ("1 circle", "2 circles", "3 circles", "4 circles", "5 circles")
    figure, (left, right) = panels(1, 2)
    for ax, logarithmic in ((left, False), (right, True)):
        groups = {name: loss[:, :, number] for number, name in enumerate(names)}
        loss_curves(ax, step, groups, ylog=logarithmic, ylabel="loss on all pairs")
    if legend := left.get_legend():
        legend.remove()  # it is the same as on the right
    return Picture(
        save(figure, folder / "figure_8.png"),
        "Fig. 8: circles collaborate",
        f"Loss with only the strongest circles left in the embedding: median and quartiles of {len(loss)} networks.",
    )


def figure_10(evidence: Evidence, folder: Path) -> Picture:
    figure, (left, right) = panels(1, 2)
    records = [evidence.record(name) for name in (DECAY, COMPETITION)]
    _counted(left, records, "wd", xlabel="weight decay")
    small = [*readings.trained(evidence, NO_DECAY).values(), *records]
    found = readings.merged(*map(readings.survival, small))
    wd = np.concatenate([record.wd.values for record in small])
    where = np.unique(wd)
    right.plot(where, [np.median(found.separation[wd == value]) for value in where], color=PALETTE[0], label="median")
    right.scatter(wd, found.separation, s=16, alpha=0.5, lw=0, color=PALETTE[0], label="a network")
    right.axhline(2, color="0.5", lw=1, ls=":")
    right.set(xlabel="weight decay", ylabel="strongest signal / mean signal")
    right.annotate("below 2 nothing stands out", (1, 2), xycoords=("axes fraction", "data"), ha="right", va="bottom")
    right.legend(loc="best")
    return Picture(
        save(figure, folder / "figure_10.png"),
        "Fig. 10: weight decay",
        "Left: number of survivors. Right: how far the strongest frequency stands out, also for little or no decay, if "
        "such networks were trained: there the counting rule would read 0 although all frequencies are alive.",
    )


def figure_12(evidence: Evidence, folder: Path) -> Picture:
    # The whole experiment if it was trained, and else its half about the strongest circles, for fewer steps.
    ablated = readings.first_trained(evidence, ABLATED, STRONGEST)
    original = readings.originals(evidence.record(COMPETITION), readings.of_variant(ablated, 0))
    there = set(ablated.variant.values.tolist())
    sides = [side for side in ((0, 1), (2, 3)) if there.issuperset(side)]
    figure, axes = panels(1, len(sides))
    for ax, variants in zip(axes, sides, strict=True):
        groups = {"all frequencies": _padded(original.test_loss.values, ablated.sizes["step_test"])}
        groups |= {VARIANTS[v]: readings.of_variant(ablated, v).test_loss.values for v in variants}
        loss_curves(ax, ablated.step_test.values, groups, ylabel="test loss")
    several = original.sizes["member"] > 1
    return Picture(
        save(figure, folder / "figure_12.png"),
        "Fig. 12: starting with fewer circles",
        f"Test loss{', median and quartiles,' if several else ''} of networks that start with only the strongest "
        "frequencies that they end up with"
        + (" (left) or with random ones (right)" if len(sides) > 1 else "")
        + ". Jumps are slingshots.",
    )


def _padded(loss: np.ndarray, rows: int) -> np.ndarray:
    """Cut or filled up with NaN to `rows` rows: the originals may have been trained for more steps, or for fewer."""
    padded = np.full((len(loss), rows), np.nan)
    shared = min(rows, loss.shape[1])
    padded[:, :shared] = loss[:, :shared]
    return padded


def figure_14(evidence: Evidence, folder: Path) -> Picture:
    figure, (ax,) = panels(1, 1, size=(6.4, 3.9))
    _counted(ax, [evidence.record(PRIMES)], "p", color=PALETTE[1], label="prime")
    _counted(ax, [evidence.record(COMPOSITES)], "p", color=PALETTE[0], label="composite", xlabel="p")
    return Picture(
        save(figure, folder / "figure_14.png"),
        "Fig. 14: composite moduli",
        "Number of survivors for composite p, with that for primes for comparison.",
    )
