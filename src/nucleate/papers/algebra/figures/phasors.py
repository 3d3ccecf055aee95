"""Nodes and factors in the complex plane: as they end, and as a film of how they came there."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nucleate.claims import Evidence
from nucleate.observables import FactorClass
from nucleate.papers.algebra.figures.classes import COLORS, NAMES, ROWS
from nucleate.papers.algebra.readings import solutions as readings
from nucleate.papers.algebra.readings.solutions import Portrait
from nucleate.plots import Picture, animate, panels, save
from nucleate.plots.scales import log_x

_OFF = "0.8"


def phasors(evidence: Evidence, folder: Path) -> Picture:
    seen = evidence.once(readings.portrait)
    figure, axes = panels(len(seen.shown), 3, size=(3.3, 3.2))
    grid = np.array(axes).reshape(-1, 3)
    for number, row in enumerate(grid):
        nodes = seen.z[-1, number][:, seen.node_frequency == seen.shown[number]]
        for ax, values in zip(row, (nodes, seen.first[number], seen.second[number]), strict=True):
            _arrows(ax, values)
        row[0].set_ylabel(f"k = {seen.shown[number]}\n{NAMES[FactorClass(seen.kind[number])]}")
    for ax, title in zip(grid[0], ("nodes", "first factor", "second factor"), strict=True):
        ax.set_title(title)
    handles = [Line2D([], [], color=color, label=f"row {name}") for name, color in ROWS.items()]
    grid[0, 2].legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    return Picture(
        save(figure, folder / "phasors.png"),
        "Solutions and their factors in the complex plane",
        "One network of d = 23 at the end of training, at a frequency of each class that it has. Arrows are the three "
        "rows of each node there; nodes are the product of the two factors, up to a scale and signs. The first node of "
        "a factor is 1. What is not factorable, or not of order 4 or 6, has no factors.",
    )


def _arrows(ax: Axes, values: np.ndarray) -> None:
    """Every column of `values` [row, node] as an arrow in the colour of its row."""
    known = values[:, np.isfinite(values).all(0)]
    reach = 1.15 * max(1e-9, float(np.abs(known).max(initial=0)))
    angle = np.linspace(0, 2 * np.pi, 100)
    ax.plot(reach / 1.15 * np.cos(angle), reach / 1.15 * np.sin(angle), color="0.9", lw=0.8, zorder=0)
    for (name, color), row in zip(ROWS.items(), known, strict=True):
        width = {"a": 0.014, "b": 0.010, "c": 0.006}[name]  # arrows of equal angle stay visible
        zero = np.zeros(len(row))
        ax.quiver(
            zero, zero, row.real, row.imag, color=color, angles="xy", scale_units="xy", scale=1, width=width, alpha=0.85
        )
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), xticks=[], yticks=[])
    ax.set_aspect("equal")
    for spine in ax.spines.values():
        spine.set_visible(False)


def film(evidence: Evidence, folder: Path) -> Picture:
    seen = evidence.once(readings.portrait)
    figure = Figure(figsize=(8.0, 2.5 * len(seen.shown) + 2.2))
    grid = figure.add_gridspec(len(seen.shown) + 1, 3, height_ratios=[2.5] * len(seen.shown) + [2.0])
    planes = [[figure.add_subplot(grid[row, column]) for column in range(3)] for row in range(len(seen.shown))]
    below = figure.add_subplot(grid[-1, :])
    dots, now = _planes(planes, seen), _orders(below, seen)

    def draw(frame: int) -> Figure:
        for number, row in enumerate(dots):
            for place, points in enumerate(row):
                points.set_offsets(np.stack([seen.z[frame, number, place].real, seen.z[frame, number, place].imag], -1))
        now.set_xdata([seen.step[frame]] * 2)
        below.set_title(f"step {seen.step[frame]:,}", pad=4, fontsize=10.5)
        if frame == 0:  # all frames keep the layout of the first
            figure.draw_without_rendering()
            figure.set_layout_engine("none")
        return figure

    return Picture(
        animate(folder / "nodes.gif", len(seen.step), draw, seconds=0.18),
        "A film: nodes fall into their classes",
        "One network of d = 23 while it trains. Each dot is a hidden node; its place is z at the frequency of the row, "
        "in weights a, b and c. Coloured nodes are those that are at work there at the end; the others go to other "
        "frequencies, or to 0. Below: nodes at work at each frequency, those above in their colours.",
    )


def _planes(planes: list[list[Axes]], seen: Portrait) -> list[list]:
    dots = []
    for number, row in enumerate(planes):
        own = seen.node_frequency == seen.shown[number]
        color = [COLORS[FactorClass(seen.kind[number])] if mine else _OFF for mine in own]
        reach = 1.1 * float(np.abs(seen.z[:, number]).max())
        dots.append([])
        for ax, name in zip(row, ROWS, strict=True):
            ax.axhline(0, color="0.92", lw=0.8, zorder=0)
            ax.axvline(0, color="0.92", lw=0.8, zorder=0)
            order = np.zeros((len(own), 2))
            dots[-1].append(ax.scatter(*order.T, s=np.where(own, 34, 10), c=color, linewidths=0, zorder=2))
            ax.set(xlim=(-reach, reach), ylim=(-reach, reach), xticks=[], yticks=[])
            ax.set_aspect("equal")
            if number == 0:
                ax.set_title(f"row {name}")
        row[0].set_ylabel(f"k = {seen.shown[number]}\n{NAMES[FactorClass(seen.kind[number])]}")
    return dots


def _orders(ax: Axes, seen: Portrait) -> Line2D:
    ax.plot(seen.step, seen.order, color=_OFF, lw=1)
    for k, kind in zip(seen.shown, seen.kind, strict=True):
        ax.plot(seen.step, seen.order[:, seen.frequencies == k], color=COLORS[FactorClass(kind)], lw=2)
    log_x(ax, seen.step)
    ax.set(xlabel="training step", ylabel="nodes", yscale="log")
    ax.set_yticks([4, 6, 10, 20, 40], ["4", "6", "10", "20", "40"], minor=False)
    ax.minorticks_off()
    return ax.axvline(seen.step[0], color="0.4", lw=0.9, ls=":")


FIGURES = (phasors, film)
