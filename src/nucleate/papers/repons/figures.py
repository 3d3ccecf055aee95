"""The paper's figures 1 to 4 and a film, drawn from records."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from nucleate.claims import Evidence
from nucleate.explorer import FigureEntry
from nucleate.observables import is_canonical, is_line, lattice_regularity, line_angle
from nucleate.papers.repons import potentials, readings
from nucleate.papers.repons.ledger.configurations import rows, wells
from nucleate.papers.repons.ledger.plane import lattice_lengths
from nucleate.plots import (
    PALETTE,
    animate_repons,
    number_lines,
    panels,
    plane_configuration,
    potential_curves,
    save,
    style,
    surface,
    two_histograms,
)
from nucleate.theories import PairPotentialFit

_SHOWN = 6  # networks whose displacements are drawn
_GRID = 61
_FRAMES = 60


def draw(evidence: Evidence, folder: Path) -> list[FigureEntry]:
    """Every figure, in the order of the paper; the film after Fig. 1, whose subject it shows."""
    folder.mkdir(parents=True, exist_ok=True)
    with style():
        return [figure(evidence, folder) for figure in (figure_1, film, figure_2, figure_3, figure_4)]


def _by_order(evidence: Evidence) -> dict[str, np.ndarray]:
    """Final embeddings of held-out networks, the canonical ones apart."""
    ends = readings.final(evidence.once(potentials.line_parts).tested)
    canonical = is_canonical(ends)
    return {"canonical": ends[canonical], "not canonical": ends[~canonical]}


def _displacements(evidence: Evidence, kind: str) -> dict[str, np.ndarray]:
    return {name: (ends[:_SHOWN, :, 0] @ rows(evidence, kind).T).ravel() for name, ends in _by_order(evidence).items()}


def _by_energy(ax: Axes, fit: PairPotentialFit, ends: np.ndarray, title: str) -> None:
    """Four configurations, from the lowest energy to the highest."""
    if not len(ends):
        _say(ax, "no network is " + title.split(") ")[1])
        return
    energy = fit.energy(ends)
    chosen = np.argsort(energy, kind="stable")[np.unique(np.linspace(0, len(ends) - 1, 4).astype(int))]
    number_lines(ax, {f"U = {energy[i]:.4g}": ends[i, :, 0] for i in chosen.tolist()}, title=title)


def _say(ax: Axes, text: str) -> None:
    ax.text(0.5, 0.5, text, ha="center", transform=ax.transAxes)
    ax.set_axis_off()


def figure_1(evidence: Evidence, folder: Path) -> FigureEntry:
    found = evidence.once(potentials.line)
    best = int(np.argmin(found.losses))
    figure, (attract, repel, canonical, other, cumulative, histogram) = panels(2, 3, size=(5.0, 4.2))
    for ax, kind, name, title, well in (
        (attract, 0, "same", "(a) attractive", found.well),
        (repel, 1, "different", "(b) repulsive", None),
    ):
        r, curves = found.curves(kind)
        seen = _displacements(evidence, name)
        potential_curves(ax, r, curves, best=best, quadratic=well, seen=seen, title=title)
    for ax, (name, ends), mark in zip((canonical, other), _by_order(evidence).items(), "cd", strict=True):
        _by_energy(ax, found.best, ends, f"({mark}) {name}")
    ends = readings.final(readings.whole(evidence.record(readings.LINE)))
    lived = is_canonical(ends)
    for values, when, color in zip(wells(evidence), ("at the start", "at the end"), PALETTE, strict=False):
        order = np.argsort(values, kind="stable")
        share = np.cumsum(lived[order]) / np.arange(1, len(order) + 1)
        cumulative.plot(values[order], share, color=color, label=when)
    cumulative.set(
        xlabel="in-well fraction of same-label pairs", ylabel="canonical share at or below", ylim=(-0.02, 1.02)
    )
    cumulative.set_title("(e) order and the well", pad=8)
    cumulative.legend()
    two_histograms(
        histogram,
        wells(evidence)[1],
        lived,
        xlabel="in-well fraction at the end",
        labels=("other", "canonical"),
    )
    histogram.set_title("(f) in-well fraction", pad=26)
    return FigureEntry(
        save(figure, folder / "figure_1.png"),
        "Fig. 1: potentials in d = 1",
        f"(a, b) {len(found.fits)} potentials fitted to resampled runs within 99 % of the data, and below them "
        f"displacements of {_SHOWN} networks of either kind. (c, d) Final configurations from lowest to highest "
        "energy. (e) Share of canonical networks among those with at most this in-well fraction. (f) In-well "
        "fractions of all networks.",
    )


def film(evidence: Evidence, folder: Path) -> FigureEntry:
    """One held-out network that is not canonical beside the flow from its start; a canonical one if there is no
    other."""
    record = evidence.once(potentials.line_parts).tested
    found = evidence.once(potentials.line)
    member = int(np.argmin(is_canonical(readings.final(record))))
    frames = np.unique(np.linspace(0, record.sizes["step"] - 1, _FRAMES).astype(int))
    step = record.step.values[frames]
    path = found.best.simulate(readings.first(record)[member], step * float(record.eta[member]))
    landscapes = {}
    for kind, name, title in ((0, "same", "attractive"), (1, "different", "repulsive")):
        r, curves = found.curves(kind)
        landscapes[title] = (r, curves[int(np.argmin(found.losses))], rows(evidence, name))
    motions = {"network": record.embedding.values[member, frames, :, 0], "flow": path[:, :, 0]}
    return FigureEntry(
        animate_repons(folder / "film.gif", step, motions, landscapes),
        "Film: repons in their landscape",
        "Above: the displacements of one held-out network on the potentials that were learned from other networks. "
        "Below: its embeddings, and where the potentials take the same start.",
    )


def _plane_values(fit: PairPotentialFit, kind: str, reach: float) -> tuple[np.ndarray, np.ndarray]:
    x = np.linspace(-reach, reach, _GRID)
    grid = np.stack(np.meshgrid(x, x, indexing="ij"), axis=-1).reshape(-1, 2)
    return x, np.asarray(getattr(fit.potential(grid), kind)).reshape(_GRID, _GRID)


def figure_2(evidence: Evidence, folder: Path) -> FigureEntry:
    rotation, parity = evidence.once(potentials.plane_rotation), evidence.once(potentials.plane_parity)
    ends = readings.final(evidence.once(potentials.plane_parts).tested)
    simulated = evidence.once(potentials.rotation_ends)
    figure, axes = panels(2, 3, size=(4.8, 4.3))
    order = np.argsort(-np.nan_to_num(lattice_regularity(ends)), kind="stable")
    same = np.asarray(rotation.best.terms.same.maps)[:, 0]
    lattice = {"an ordered lattice": same @ ends[order[0]]}
    for ax, found, kind, title in (
        (axes[0], rotation, "same", "(a) attractive, rotation"),
        (axes[1], rotation, "different", "(b) repulsive, rotation"),
        (axes[2], parity, "different", "(b′) repulsive, parity"),
    ):
        x, values = _plane_values(found.best, kind, found.reach[0 if kind == "same" else 1])
        bar = "potential" if ax is axes[2] else ""
        surface(ax, x, values, points=lattice if kind == "same" else None, title=title, bar=bar)
    lines = simulated[is_line(simulated)]
    if len(lines):
        plane_configuration(axes[3], lines[0], title="(c) a line, simulated")
    else:
        _say(axes[3], "no simulation ends as a line")
    for ax, rank in zip(axes[4:], (0, len(order) // 2), strict=True):
        member = int(order[rank])
        plane_configuration(
            ax, ends[member], title=f"(d) network, regularity {float(lattice_regularity(ends[member])):.2f}"
        )
    return FigureEntry(
        save(figure, folder / "figure_2.png"),
        "Fig. 2: potentials in d = 2",
        f"Above: the best of {len(rotation.fits)} potentials of either symmetry within 99 % of the data; dots are "
        "same-label displacements of the most regular network. Below: a simulated line, and the most regular and the "
        "median held-out network.",
    )


def figure_3(evidence: Evidence, folder: Path) -> FigureEntry:
    fit = evidence.once(potentials.general)
    f = lambda at: np.asarray(fit.potential(at).same)
    reach = fit.data_range.same / 2
    x = np.linspace(-reach, reach, _GRID)
    nearby = 0.01 * reach * np.eye(4)
    slope = (f(nearby) - f(-nearby)) / (0.02 * reach)
    figure, axes = panels(2, 3, size=(4.2, 3.7))
    for ax, (a, b) in zip(axes, zip(*np.triu_indices(4, k=1), strict=True), strict=True):
        at = np.zeros((_GRID, _GRID, 4))
        at[..., a], at[..., b] = x[:, None], x
        values = f(at.reshape(-1, 4)).reshape(_GRID, _GRID) - at @ slope
        surface(ax, x, values, labels=(f"$x_{a + 1}$", f"$x_{b + 1}$"), title=f"$x_{a + 1}$ and $x_{b + 1}$")
    return FigureEntry(
        save(figure, folder / "figure_3.png"),
        "Fig. 3: the attractive potential without translation invariance",
        "All slices through 0, each without its tangent plane there, which would hide the curvature. x₁, x₂ are one "
        "pair, x₃, x₄ the other: valleys along the falling diagonal within a pair and along the rising one between "
        "pairs are what (x₁ + x₂ − x₃ − x₄)² has.",
    )


def figure_4(evidence: Evidence, folder: Path) -> FigureEntry:
    ends = {
        "parity": evidence.once(potentials.parity_ends),
        "rotation": evidence.once(potentials.rotation_ends),
    }
    figure, (angles, lengths) = panels(1, 2, size=(5.0, 3.9))
    bins = np.linspace(0, 180, 19).tolist()
    for (name, found), color in zip(ends.items(), PALETTE, strict=False):
        lines = found[is_line(found)]
        degrees = np.degrees(line_angle(lines)) if len(lines) else []
        angles.hist(degrees, bins, histtype="stepfilled", alpha=0.5, color=color, label=f"{name}: {len(lines)} lines")
    angles.set(xlabel="angle of a simulated line (degrees)", ylabel="lines", xticks=[0, 45, 90, 135, 180])
    angles.set_title("(a) direction", pad=8)
    angles.legend()
    found = evidence.once(potentials.plane_rotation)
    values, count = lattice_lengths(evidence)
    lengths.hist(values.ravel(), np.linspace(0, np.quantile(values, 0.99), 41).tolist(), color=PALETTE[2], alpha=0.8)
    lengths.axvline(found.well, color=PALETTE[4], ls="--", lw=1.4, label=f"quadratic up to {found.well:.2f}")
    lengths.set(xlabel="length of a same-label displacement", ylabel="displacements")
    lengths.set_title(f"(b) {count} ordered lattices", pad=8)
    lengths.legend()
    return FigureEntry(
        save(figure, folder / "figure_4.png"),
        "Fig. 4: lines and lattices in d = 2",
        "(a) Angles of lines that simulations end with. (b) Same-label displacements in the most regular quarter of "
        "networks.",
    )
