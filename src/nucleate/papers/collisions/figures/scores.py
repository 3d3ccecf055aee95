"""Figures 2, 5 and 8 to 12: collision detection scores over training, and what heads become."""

from pathlib import Path

import numpy as np
from matplotlib.ticker import MaxNLocator, PercentFormatter

from nucleate.claims import Evidence
from nucleate.observables import HeadClass
from nucleate.papers.collisions.figures import choice
from nucleate.papers.collisions.readings.fleets import networks
from nucleate.papers.collisions.readings.heads import final_class, gated
from nucleate.plots import PALETTE, Picture, count_bars, panels, save, score_histogram

_COLUMNS = 4
_ABOUT = (
    "Colour: share of heads in a bin; the darkest colour begins at the 95th percentile. Heads that look at hardly "
    "anyone count as 0. Dotted: the score of uniform attention, from which the classes of heads are counted."
)


@choice.of_finite_networks
def figure_2(evidence: Evidence, folder: Path) -> Picture:
    record = networks(evidence)
    figure, (ax,) = panels(1, 1)
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
    record = networks(evidence)
    columns = min(_COLUMNS, record.sizes["member"])
    figure, axes = panels(-(-record.sizes["member"] // columns), columns, size=(3.2, 3.2))
    for number, (ax, score) in enumerate(zip(axes, gated(record), strict=False)):
        score_histogram(ax, record.step.values, score.reshape(record.sizes["step"], -1), bins=30)
        ax.set_title(f"network {int(record.member[number])}", fontsize=10, pad=6)
        ax.axhline(float(record.uniform_score), color=PALETTE[1], lw=1.2, ls=":")
        if number % columns:
            ax.set_ylabel("")
    for ax in axes[record.sizes["member"] :]:
        ax.remove()
    return Picture(
        save(figure, folder / "figure_8.png"),
        "Figs. 8–12: collision detection scores in each network",
        f"{choice.fleet_name(record)}. {_ABOUT}",
    )


@choice.of_finite_networks
def figure_5(evidence: Evidence, folder: Path) -> Picture:
    record = networks(evidence)
    figure, (ax,) = panels(1, 1)
    kinds = final_class(record)
    counts = {"true": (kinds == HeadClass.TRUE).sum(-1), "partial": (kinds == HeadClass.PARTIAL).sum(-1)}
    count_bars(ax, counts, most=kinds.shape[-1])
    ax.set_title(choice.fleet_name(record), pad=8)
    return Picture(
        save(figure, folder / "figure_5.png"),
        "Fig. 5: true and partial collision heads in each block",
        "At the end of training. Each bar is a network; the axis ends at the number of heads in a block.",
    )
