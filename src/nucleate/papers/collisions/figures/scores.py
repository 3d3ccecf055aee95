"""Figures 2, 5 and 8 to 12: collision detection scores over training, and what heads become."""

from pathlib import Path

import numpy as np
from matplotlib.ticker import MaxNLocator, PercentFormatter

from nucleate.claims import Evidence
from nucleate.observables import HeadClass
from nucleate.papers.collisions.figures import choice
from nucleate.papers.collisions.readings.fleets import fleets
from nucleate.papers.collisions.readings.heads import final_class, gated
from nucleate.plots import PALETTE, Picture, count_bars, panels, save, score_histogram

_ABOUT = (
    "Colour: share of heads in a bin; the darkest colour begins at the 95th percentile. Heads that look at hardly "
    "anyone count as 0. Dotted: the score of uniform attention, from which the classes of heads are counted."
)


@choice.of_finite_networks
def figure_2(evidence: Evidence, folder: Path) -> Picture:
    records = fleets(evidence).values()
    figure, axes = panels(1, len(records))
    for ax, record in zip(axes, records, strict=True):
        score = np.moveaxis(gated(record), 1, 0).reshape(record.sizes["step"], -1)
        mesh = score_histogram(ax, record.step.values, score, title=choice.fleet_name(record))
        ax.axhline(float(record.uniform_score), color=PALETTE[1], lw=1.2, ls=":")
        bar = figure.colorbar(mesh, ax=ax, label="share of heads", extend="max", format=PercentFormatter(1, 0))
        bar.locator = MaxNLocator(5)
        bar.ax.tick_params(length=2)
    return Picture(
        save(figure, folder / "figure_2.png"), "Fig. 2: collision detection scores of all heads over training", _ABOUT
    )


@choice.of_finite_networks
def figures_8_to_12(evidence: Evidence, folder: Path) -> Picture:
    """On one page."""
    records = fleets(evidence)
    columns = max(record.sizes["member"] for record in records.values())
    figure, axes = panels(len(records), columns, size=(3.2, 3.2))
    for row, record in enumerate(records.values()):
        score = gated(record)
        for column in range(columns):
            ax = axes[row * columns + column]
            if column >= len(score):
                ax.remove()
                continue
            here = score[column].reshape(record.sizes["step"], -1)
            name = choice.fleet_name(record) if column == 0 else ""
            score_histogram(ax, record.step.values, here, bins=30)
            ax.set_title(f"{name}\nnetwork {int(record.member[column])}", fontsize=10, pad=6)
            ax.axhline(float(record.uniform_score), color=PALETTE[1], lw=1.2, ls=":")
            if column:
                ax.set_ylabel("")
    return Picture(
        save(figure, folder / "figure_8.png"), "Figs. 8–12: collision detection scores in each network", _ABOUT
    )


@choice.of_finite_networks
def figure_5(evidence: Evidence, folder: Path) -> Picture:
    records = fleets(evidence).values()
    figure, axes = panels(1, len(records))
    for ax, record in zip(axes, records, strict=True):
        kinds = final_class(record)
        counts = {
            "true": (kinds == HeadClass.TRUE).sum(-1),
            "partial": (kinds == HeadClass.PARTIAL).sum(-1),
        }
        count_bars(ax, counts, most=kinds.shape[-1])
        ax.set_title(choice.fleet_name(record), pad=8)
        if ax is not axes[0] and (legend := ax.get_legend()):
            legend.remove()  # the first one says it
    return Picture(
        save(figure, folder / "figure_5.png"),
        "Fig. 5: true and partial collision heads in each block",
        "At the end of training. Each bar is a network; the axis ends at the number of heads in a block.",
    )
