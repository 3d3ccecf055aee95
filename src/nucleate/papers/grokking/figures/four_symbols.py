"""Figures 11 and 12: the representations of four symbols, possible and found."""

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

from nucleate.claims import Evidence
from nucleate.observables import null_space, nullity
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.recipe import Structure
from nucleate.plots import Picture, hierarchy, panels, save, strips


def figure_11(evidence: Evidence, folder: Path) -> Picture:
    structure = Structure(4)
    rng = np.random.default_rng(11)
    levels = []
    for size in (3, 2, 1, 0):
        level = []
        for chosen in combinations(range(3), size):
            mask = np.isin(np.arange(3), chosen)
            freedom = int(nullity(structure.equations, mask))
            label = ", ".join(f"A{i + 1}" for i in chosen) or "none"
            level.append((label, f"{freedom} degrees of freedom", _example(structure, mask, rng)))
        levels.append(level)
    edges = [
        (parent[0], child[0])
        for upper, lower in pairwise(levels)
        for parent in upper
        for child in lower
        if child[0] == "none" or set(child[0].split(", ")) < set(parent[0].split(", "))
    ]
    figure, (ax,) = panels(1, 1, size=(11, 4.6))
    hierarchy(ax, levels, edges)
    return Picture(
        save(figure, folder / "figure_11.png"),
        "Fig. 11: the hierarchy of equation sets, p = 4",
        "A1: E0 + E2 = 2 E1, A2: E0 + E3 = E1 + E2, A3: E1 + E3 = 2 E2. Each box shows one representation that "
        "obeys its equations; any two equations imply the third.",
    )


def _example(structure: Structure, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A representation that obeys the chosen equations: a line, bent as far as they allow."""
    basis = null_space(structure.equations, mask)
    bent = np.arange(4.0) + 1.2 * rng.normal(size=4)
    return basis @ (basis.T @ bent)


def figure_12(evidence: Evidence, folder: Path) -> Picture:
    seen = evidence.once(readings.four_symbols)
    figure, axes = panels(1, 2, size=(5.4, 5.6))
    for ax, chosen, title in (
        (axes[0], ~seen.slow_decoder, r"fast decoder, $(\eta_1,\eta_2) = (10^{-3}, 10^{-2})$"),
        (axes[1], seen.slow_decoder, r"slow decoder, $(\eta_1,\eta_2) = (10^{-2}, 10^{-3})$"),
    ):
        # The representations that can be told apart, found or not, and any other that closes by chance.
        shown = sorted({*readings.REPRESENTATIONS, *seen.after[chosen].tolist()})
        groups = np.searchsorted(shown, seen.after[chosen])
        names = [readings.EQUATION_SETS[code] for code in shown]
        strips(ax, seen.embedding[chosen], groups, names, xlabel="normalized embedding")
        ax.set_title(f"{title}\nmean RQI {seen.rqi[chosen].mean():.2f}")
    return Picture(
        save(figure, folder / "figure_12.png"),
        "Fig. 12: representations found by training, p = 4",
        "Each row is a network's final embedding of the four symbols, grouped by the equations that hold in it.",
    )
