"""Figures 21 and 22: transformers' embeddings on the principal components that they end with."""

from pathlib import Path

import numpy as np

from nucleate.claims import Evidence
from nucleate.observables import frequency_shares, principal_coordinates
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.figures.transformer import order_of
from nucleate.plots import PALETTE, Picture, circle, panels, save


def figure_21(evidence: Evidence, folder: Path) -> Picture | None:
    found = evidence.once(readings.lottery)
    if found is None:
        return None
    seen = readings.ticket(found)
    member = int(np.argmax(seen.at_the_end))
    k, start, end = int(seen.frequency[member]), found.start[member], found.end[member]
    figure, axes = panels(1, 3, size=(3.6, 4.2))
    for ax, title, here, of in (
        (axes[0], "the end", end, end),
        (axes[1], "initialization", start, start),
        (axes[2], "initialization, final components", start, end),
    ):
        points = np.asarray(principal_coordinates(here, of))
        circle(ax, points, order=order_of(k, len(points)), title=title)
        ax.set_xlabel(f"{float(frequency_shares(points)[k - 1]):.0%} of the variance at k = {k}")
    return Picture(
        save(figure, folder / "figure_21.png"),
        "Fig. 21: the final structure, before training",
        "Tokens on the first two principal components: their own, or those of the embedding at the end; of the network "
        f"with the clearest circle. Tokens that are neighbours at frequency k = {k} are joined and coloured alike; by "
        f"chance, {2 / (len(start) - 1):.0%} of the variance would be at this frequency.",
    )


def figure_22(evidence: Evidence, folder: Path) -> Picture | None:
    found = evidence.once(readings.lottery)
    if found is None:
        return None
    figure, axes = panels(1, len(found.count), size=(4.4, 3.8))
    # A log axis with a place for step 0.
    steps = np.maximum(found.step, 0.5)
    for number, (ax, count) in enumerate(zip(axes, found.count.tolist(), strict=True)):
        for pairs, (name, color) in enumerate((("train", PALETTE[0]), ("valid", PALETTE[1])), start=1):
            for values, look, what in (
                (found.whole[..., pairs], "--", "all components"),
                (found.final[:, :, number, pairs], "-", "final"),
                (found.current[:, :, number, pairs], ":", "current"),
            ):
                ax.plot(steps, np.median(values, axis=0), ls=look, color=color, label=f"{name}, {what}")
        ax.set(xscale="log", xlabel="training step", ylim=(-0.03, 1.05), title=f"{count} components")
    axes[0].set_ylabel("accuracy")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=6)
    return Picture(
        save(figure, folder / "figure_22.png"),
        "Fig. 22: accuracy on a few principal components",
        f"Medians of {len(found.end)} networks that generalise. Dashed: with their embeddings as they are; solid: "
        "projected on the first components of the embedding at the end, and back; dotted: on its own first components "
        "at that step. Weights are those of that step.",
    )
