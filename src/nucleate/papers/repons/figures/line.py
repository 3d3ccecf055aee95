"""Figures 1 and 3 and the film: potentials in d = 1."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from nucleate.claims import Evidence
from nucleate.observables import is_canonical
from nucleate.papers.repons import readings
from nucleate.papers.repons.experiments import LINE
from nucleate.papers.repons.figures.panels import GRID, say, square_grid, where_fitted
from nucleate.plots import (
    PALETTE,
    Picture,
    animate_repons,
    number_lines,
    panels,
    potential_curves,
    save,
    surface,
    two_histograms,
)

_SHOWN = 6  # networks whose displacements are drawn
_LINES = 4  # configurations in a panel, from the lowest energy to the highest
_FRAMES = 60
_KINDS = ("canonical", "not canonical")


@where_fitted
def figure_1(evidence: Evidence, folder: Path) -> Picture:
    """Potentials, configurations by energy, and what the well has to do with order."""
    found = evidence.once(readings.line_potentials)
    tested = readings.line_parts(evidence).tested
    ends, energy = readings.final_embedding(tested), evidence.once(readings.line_energies)
    canonical = is_canonical(ends)
    groups = dict(zip(_KINDS, (canonical, ~canonical), strict=True))
    figure, (attract, repel, ordered, other, cumulative, histogram) = panels(2, 3, size=(5.0, 4.2))
    maps = readings.displacement_maps(tested)
    for kind, (ax, title, well) in enumerate(((attract, "(a) attractive", found.well), (repel, "(b) repulsive", None))):
        r, curves = found.curves(kind)
        seen = {name: (ends[mask][:_SHOWN, :, 0] @ maps[kind].T).ravel() for name, mask in groups.items()}
        potential_curves(ax, r, curves, best=found.best_number, quadratic=well, seen=seen, title=title)
    for ax, mark, (name, mask) in zip((ordered, other), "cd", groups.items(), strict=True):
        _by_energy(ax, energy[mask], ends[mask], mark, name)
    _order_and_well(cumulative, histogram, evidence)
    return Picture(
        save(figure, folder / "figure_1.png"),
        "Fig. 1: potentials in d = 1",
        f"(a, b) {len(found.fits)} potentials fitted to disjoint sets of runs, within the range of 99 % of the data; "
        f"the dots below them are displacements of {_SHOWN} networks of either kind. (c, d) Final configurations from "
        "lowest to highest energy. (e) Share of canonical networks among those with at most this in-well fraction. "
        "(f) In-well fractions of all networks.",
    )


def _by_energy(ax: Axes, energy: np.ndarray, ends: np.ndarray, mark: str, name: str) -> None:
    if not len(ends):
        say(ax, f"no network is {name}")
        return
    ranks = np.unique(np.linspace(0, len(ends) - 1, _LINES).astype(int))
    chosen = np.argsort(energy, kind="stable")[ranks].tolist()
    number_lines(ax, {f"U = {energy[i]:.4g}": ends[i, :, 0] for i in chosen}, title=f"({mark}) {name}")


def _order_and_well(cumulative: Axes, histogram: Axes, evidence: Evidence) -> None:
    wells = evidence.once(readings.line_wells)
    canonical = is_canonical(readings.final_embedding(readings.networks(evidence, LINE)))
    for values, when, color in zip(wells, ("at the start", "at the end"), PALETTE, strict=False):
        order = np.argsort(values, kind="stable")
        share = np.cumsum(canonical[order]) / np.arange(1, len(order) + 1)
        cumulative.plot(values[order], share, color=color, label=when)
    cumulative.set(
        xlabel="in-well fraction of same-label pairs", ylabel="canonical share at or below", ylim=(-0.02, 1.02)
    )
    cumulative.set_title("(e) order and the well", pad=8)
    cumulative.legend()
    labels = ("other", "canonical")
    two_histograms(histogram, wells[1], canonical, xlabel="in-well fraction at the end", labels=labels)
    histogram.set_title("(f) in-well fraction", pad=26)


@where_fitted
def film(evidence: Evidence, folder: Path) -> Picture:
    """A held-out network that is not canonical, if there is one, beside the flow from its start."""
    record = readings.line_parts(evidence).tested
    found = evidence.once(readings.line_potentials)
    member = int(np.argmin(is_canonical(readings.final_embedding(record))))
    frames = np.unique(np.linspace(0, record.sizes["step"] - 1, _FRAMES).astype(int))
    step = record.step.values[frames]
    path = found.best.simulate(readings.first_embedding(record)[member], step * float(record.eta[member]))
    landscapes = {}
    for kind, (title, maps) in enumerate(
        zip(("attractive", "repulsive"), readings.displacement_maps(record), strict=True)
    ):
        r, curves = found.curves(kind)
        landscapes[title] = (r, curves[found.best_number], maps)
    motions = {"network": record.embedding.values[member, frames, :, 0], "flow": path[:, :, 0]}
    return Picture(
        animate_repons(folder / "film.gif", step, motions, landscapes),
        "Film: repons in their landscape",
        "Above: the displacements of one held-out network on the potentials that were learned from other networks. "
        "Below: its embeddings, and where the potentials take the same start.",
    )


@where_fitted
def figure_3(evidence: Evidence, folder: Path) -> Picture:
    """Slices through the average attractive potential that may be any function of four embeddings."""
    fits = evidence.once(readings.general_fits)
    f = lambda at: np.mean([np.asarray(fit.potential(at).same) for fit in fits], axis=0)
    reach = float(np.median(np.array([fit.data_range.same for fit in fits], float))) / 2
    x, points = square_grid(reach)
    nearby = 0.01 * reach * np.eye(4)
    slope = (f(nearby) - f(-nearby)) / (0.02 * reach)
    figure, axes = panels(2, 3, size=(4.2, 3.7))
    for ax, (a, b) in zip(axes, zip(*np.triu_indices(4, k=1), strict=True), strict=True):
        at = np.zeros((len(points), 4))
        at[:, a], at[:, b] = points.T
        values = (f(at) - at @ slope).reshape(GRID, GRID)
        surface(ax, x, values, labels=(f"$x_{a + 1}$", f"$x_{b + 1}$"), title=f"$x_{a + 1}$ and $x_{b + 1}$")
    return Picture(
        save(figure, folder / "figure_3.png"),
        "Fig. 3: the attractive potential without translation invariance",
        f"All slices through 0 of the average of {len(fits)} potentials, each without its tangent plane there, which "
        "would hide the curvature. x₁ and x₂ are one pair, x₃ and x₄ the other: (x₁ + x₂ − x₃ − x₄)² has valleys along "
        "the falling diagonal within a pair and along the rising diagonal between pairs.",
    )
