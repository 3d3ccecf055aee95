"""Figures 11 and 12: the representations of four symbols, possible and found."""

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

from nucleate.claims import Evidence
from nucleate.explorer import FigureEntry
from nucleate.observables import null_space, nullity
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.structure import Structure
from nucleate.plots import hierarchy, panels, save, strips


def figure_11(evidence: Evidence, folder: Path) -> FigureEntry:
    structure = Structure(4)
    names = ("A1", "A2", "A3")
    # Rows of the equations in the paper's order: A1: 0+2 = 1+1, A2: 0+3 = 1+2, A3: 1+3 = 2+2.
    order = [
        int(np.flatnonzero((structure.pairs[structure.quads[:, 0]] == pair).all(1))[0])
        for pair in ((0, 2), (0, 3), (1, 3))
    ]
    rng = np.random.default_rng(11)
    levels = []
    for size in (3, 2, 1, 0):
        level = []
        for chosen in combinations(range(3), size):
            mask = np.zeros(3, bool)
            mask[[order[i] for i in chosen]] = True
            freedom = int(nullity(structure.equations, mask))
            label = ", ".join(names[i] for i in chosen) or "none"
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
    return FigureEntry(
        save(figure, folder / "figure_11.png"),
        "Fig. 11: the hierarchy of equation sets, p = 4",
        "A1: E0 + E2 = 2 E1, A2: E0 + E3 = E1 + E2, A3: E1 + E3 = 2 E2. Each box shows one representation that "
        "obeys its equations; any two equations imply the third.",
    )


def _example(structure: Structure, mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A representation that obeys the chosen equations: a line, bent within the freedom that is left."""
    basis = null_space(structure.equations, mask)
    line = np.arange(4.0)
    bent = line + 1.2 * rng.normal(size=4)
    return basis @ (basis.T @ bent)


def figure_12(evidence: Evidence, folder: Path) -> FigureEntry:
    record = evidence.record(readings.FOUR_SYMBOLS)
    final = readings.final(record, "embedding")
    code, quality = readings.four_symbol_classes(final), readings.final(record, "rqi")
    embedding = final[..., 0]
    names = ("none", "A1", "A2", "A1, A2", "A3", "A1, A3", "A2, A3", "all three")
    figure, axes = panels(1, 2, size=(5.4, 5.6))
    slow = record.eta_repr.values > record.eta_dec.values
    for ax, chosen, title in (
        (axes[0], ~slow, r"fast decoder, $(\eta_1,\eta_2) = (10^{-3}, 10^{-2})$"),
        (axes[1], slow, r"slow decoder, $(\eta_1,\eta_2) = (10^{-2}, 10^{-3})$"),
    ):
        # The five representations that can be told apart, found or not, and any other that closes by chance.
        shown = sorted({0, 1, 2, 4, 7} | set(np.unique(code[chosen]).tolist()))
        groups = np.searchsorted(shown, code[chosen])
        strips(ax, embedding[chosen], groups, [names[c] for c in shown], xlabel="normalized embedding")
        ax.set_title(f"{title}\nmean RQI {quality[chosen].mean():.2f}")
    return FigureEntry(
        save(figure, folder / "figure_12.png"),
        "Fig. 12: representations found by training, p = 4",
        "Each row is a network's final embedding of the four symbols, grouped by the equations that hold in it.",
    )
