"""Occam's razor: the path of zero loss, and networks that weight decay moves along such paths."""

from pathlib import Path

import numpy as np

from nucleate.claims import Evidence
from nucleate.papers.algebra.readings import occam as readings
from nucleate.plots import PALETTE, Picture, panels, save
from nucleate.plots.scales import log_x


def occam(evidence: Evidence, folder: Path) -> Picture:
    seen, decayed = evidence.once(readings.paths), evidence.once(readings.decayed)
    figure, axes = panels(1, 4, size=(4.0, 3.8))
    for kind, color, name in ((False, PALETTE[0], r"$z' = z_{F6}$"), (True, PALETTE[1], r"$z' = z_M$")):
        norm, loss = seen.norm[seen.is_memorising == kind], seen.loss[seen.is_memorising == kind]
        axes[0].plot(seen.time, (norm / norm[:, -1:]).T, color=color, lw=1, alpha=0.7)
        axes[0].plot([], [], color=color, label=name)
        axes[1].plot(seen.time, np.maximum(loss, 1e-33).T, color=color, lw=1, alpha=0.7)
    for stop in (0.25, 0.5, 0.75):
        for ax in axes[:2]:
            ax.axvline(stop, color="0.85", lw=1, ls=":", zorder=0)
    axes[0].set(xlabel="place on the path", ylabel="‖z‖ / ‖e * z'‖", title="The norm falls", ylim=(0, None))
    axes[0].legend(loc="upper right")
    axes[1].set(xlabel="place on the path", ylabel="loss", title="The loss stays 0", yscale="log", ylim=(1e-33, 1))
    for color, decay in zip(PALETTE, np.unique(decayed.wd), strict=False):
        chosen = decayed.wd == decay
        axes[2].plot(decayed.step, np.median(decayed.norm[chosen] / decayed.norm[chosen][:, :1], axis=0), color=color)
        axes[3].plot(decayed.step, decayed.order[chosen].mean((0, 2)), color=color, label=f"{decay:g}")
    for ax, label in ((axes[2], "‖weights‖² / at the start"), (axes[3], "mean order")):
        log_x(ax, decayed.step)
        ax.set(xlabel="training step", ylabel=label, title="Trained, from $z_M$")
        ax.set_ylim(0, 1.08 * ax.dataLim.y1)
    axes[3].legend(title="weight decay", loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    return Picture(
        save(figure, folder / "occam.png"),
        "Occam's razor: paths of zero loss to simpler solutions",
        f"Left: norm and loss along {len(seen.norm)} constructed paths from y * z' to e * z', for random y; dotted, "
        "where their four parts meet. Losses are what double precision leaves of 0. Right: networks that start as the "
        "memorising solution of d = 7, with a little noise, and are trained on all pairs.",
    )


FIGURES = (occam,)
