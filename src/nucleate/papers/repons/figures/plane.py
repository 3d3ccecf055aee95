"""Figures 2 and 4: potentials, lines and lattices in d = 2."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from nucleate.claims import Evidence
from nucleate.observables import is_line, lattice_regularity, line_angle
from nucleate.papers.repons import readings
from nucleate.papers.repons.figures.panels import GRID, say, square_grid, where_fitted
from nucleate.plots import PALETTE, Picture, panels, plane_configuration, save, surface


@where_fitted
def figure_2(evidence: Evidence, folder: Path) -> Picture:
    """Potentials of either symmetry, a simulated line, and lattices."""
    rotation, parity = evidence.once(readings.rotation_potentials), evidence.once(readings.parity_potentials)
    tested = readings.plane_parts(evidence).tested
    ends = readings.final_embedding(tested)
    regularity = np.nan_to_num(lattice_regularity(ends))
    order = np.argsort(-regularity, kind="stable")
    same, _ = readings.displacement_maps(tested)
    figure, axes = panels(2, 3, size=(4.8, 4.3))
    _potential(axes[0], rotation, 0, "(a) attractive, rotation", points={"an ordered lattice": same @ ends[order[0]]})
    _potential(axes[1], rotation, 1, "(b) repulsive, rotation")
    _potential(axes[2], parity, 1, "(b′) repulsive, parity", bar="potential")
    simulated = evidence.once(readings.rotation_flows).ends
    lines = simulated[is_line(simulated)]
    if len(lines):
        plane_configuration(axes[3], lines[0], title="(c) a line, simulated")
    else:
        say(axes[3], "no simulation ends as a line")
    for ax, letter, member in zip(axes[4:], "de", order[[0, len(order) // 2]].tolist(), strict=True):
        plane_configuration(ax, ends[member], title=f"({letter}) network, regularity {regularity[member]:.2f}")
    return Picture(
        save(figure, folder / "figure_2.png"),
        "Fig. 2: potentials in d = 2",
        f"Above: the best of {len(rotation.fits)} potentials of either symmetry, within the range of 99 % of the data; "
        "dots are same-label displacements of the most regular network. Below: a simulated line, the most regular "
        "held-out network (d) and the median one (e).",
    )


def _potential(
    ax: Axes,
    found: readings.Potentials,
    kind: int,
    title: str,
    *,
    points: dict[str, np.ndarray] | None = None,
    bar: str = "",
) -> None:
    """The best fit's f_a (`kind` 0) or f_r (1) on a square."""
    x, at = square_grid(found.reach[kind])
    values = found.best.potential(at)
    shown = np.asarray(values.same if kind == 0 else values.different).reshape(GRID, GRID)
    surface(ax, x, shown, points=points, title=title, bar=bar)


@where_fitted
def figure_4(evidence: Evidence, folder: Path) -> Picture:
    """Directions of simulated lines, and same-label displacements of lattices."""
    figure, (angles, lengths) = panels(1, 2, size=(5.0, 3.9))
    flows = {"parity": evidence.once(readings.parity_flows), "rotation": evidence.once(readings.rotation_flows)}
    bins = np.linspace(0, 180, 19).tolist()
    for (name, found), color in zip(flows.items(), PALETTE, strict=False):
        lines = found.ends[is_line(found.ends)]
        degrees = np.degrees(line_angle(lines)) if len(lines) else []
        angles.hist(degrees, bins, histtype="stepfilled", alpha=0.5, color=color, label=f"{name}: {len(lines)} lines")
    if any(is_line(found.ends).any() for found in flows.values()):
        angles.set(xlabel="angle of a simulated line (degrees)", ylabel="lines", xticks=[0, 45, 90, 135, 180])
        angles.set_title("(a) direction", pad=8)
        angles.legend()
    else:
        angles.clear()
        say(angles, "no simulation ends as a line")
    _lattices(lengths, evidence.once(readings.flow_lattices), evidence.once(readings.rotation_potentials).well)
    return Picture(
        save(figure, folder / "figure_4.png"),
        "Fig. 4: lines and lattices in d = 2",
        "(a) Angles of the lines in which simulations end. (b) Same-label displacements in the most regular quarter of "
        "simulated configurations that are not lines.",
    )


def _lattices(ax: Axes, lengths: np.ndarray, well: float) -> None:
    if not len(lengths):
        say(ax, "every simulation ends as a line")
        return
    ax.hist(lengths.ravel(), np.linspace(0, np.quantile(lengths, 0.99), 41).tolist(), color=PALETTE[2], alpha=0.8)
    ax.axvline(well, color=PALETTE[4], ls="--", lw=1.4, label=f"quadratic up to {well:.2f}")
    ax.set(xlabel="length of a same-label displacement", ylabel="displacements")
    ax.set_title(f"(b) {len(lengths)} ordered lattice{'s' * (len(lengths) != 1)}", pad=8)
    ax.legend()
