"""The talk's Table 1 as a heat map beside initialisation, and Theorem 5 beside the limit that the talk has for it."""

from pathlib import Path

import numpy as np

from nucleate.claims import Evidence
from nucleate.papers.attention.experiments.trees import TREES
from nucleate.papers.attention.readings import trees as readings
from nucleate.plots import PALETTE, Picture, panels, save, table_heat
from nucleate.tasks import LatentTree
from nucleate.theories.ancestry import co_occurrence, nearly_deterministic

_HEIGHT = 6
_RHOS = (0.5, 0.8, 0.95, 0.999)


def table_1(evidence: Evidence, folder: Path) -> Picture | None:
    found = evidence.once(readings.matches)
    if not len(found.setting):
        return None
    settings = found.settings
    rows = [f"C = {c}, {parts} parts, ({lower}, {upper})" for c, parts, lower, upper in settings]
    columns = ("initialisation", "trained", "talk")
    figure, axes = panels(1, 2, size=(4.6, 1.4 + 0.34 * len(rows)))
    for ax, level, name in zip(axes, (0, 1), ("lower latents, s = 0", "upper latents, s = 1"), strict=True):
        chosen = [found.of(setting) for setting in settings]
        values = [
            [np.mean(part[here, level]) for part in (found.start, found.end)]
            + [readings.TALK.get(setting, (np.nan, np.nan))[level]]
            for here, setting in zip(chosen, settings, strict=True)
        ]
        table_heat(ax, values, rows if level == 0 else [""] * len(rows), columns, limits=(0.3, 1.0), title=name)
    fleet = evidence.record(TREES)
    return Picture(
        save(figure, folder / "table_1.png"),
        "Table 1: hidden units match latents, before and after training",
        f"Normalised correlation of latents with the best hidden unit of the block of the same level: means over "
        f"{len(found.setting) // max(len(rows), 1)} networks of {int(fleet.dim[0])} dimensions in each setting "
        "(classes, parts of a latent, latents of the two levels). What training adds is the difference of the first "
        "two columns.",
    )


def theorem_5(evidence: Evidence, folder: Path) -> Picture:
    figure, (left, right) = panels(1, 2)
    heights = np.arange(_HEIGHT, dtype=float)
    for color, rho in zip(PALETTE, _RHOS, strict=False):
        left.plot(heights, co_occurrence(heights, _HEIGHT, rho, 1.0), "o-", ms=4, color=color, label=f"ρ = {rho:g}")
    left.plot(heights, nearly_deterministic(heights, _HEIGHT), "--", color="black", label="1 − H/(L − 1)")
    left.plot(heights, 1 - heights / _HEIGHT, ":", color="black", label="1 − H/L, the talk's")
    left.set_title(f"exact, L = {_HEIGHT}, ρ₀ = 1")
    for color, bias in zip(PALETTE, (-0.5, 0.0, 0.5, 0.9), strict=False):
        tree = LatentTree(4, 2, 0.8, bias)
        fine = np.linspace(0, 3, 61)
        right.plot(fine, co_occurrence(fine, 4, 0.8, bias), color=color, label=f"ρ₀ = {bias:g}")
        right.plot(tree.ancestors[0], readings.enumerated(tree)[0], "o", color=color, ms=5)
    right.set_title("law and enumeration, L = 4, ρ = 0.8")
    for ax in (left, right):
        ax.set(xlabel="H, height of the common ancestor", ylabel="P[l | m]", ylim=(-0.03, 1.05))
        ax.set_xticks(range(_HEIGHT if ax is left else 4))
        ax.legend(loc="lower left")
    error = evidence.once(readings.theorem_5)
    return Picture(
        save(figure, folder / "theorem_5.png"),
        "Theorem 5: tokens with a lower common ancestor occur together more often",
        f"Left: the law for ρ₀ = 1, which tends to 1 − H/(L − 1) for ρ → 1; the talk has 1 − H/L. Right: the law "
        f"(lines) and the enumeration of all assignments of a tree (dots); over {error.trees} trees they differ by "
        f"at most {error.exact:.0e}.",
    )


FIGURES = (table_1, theorem_5)
