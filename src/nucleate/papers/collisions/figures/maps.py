"""Figures 3 and 13 to 15: whom heads attend to."""

from pathlib import Path

import numpy as np
import xarray as xr

from nucleate.claims import Evidence
from nucleate.observables import HeadClass
from nucleate.papers.collisions.figures import choice
from nucleate.papers.collisions.readings.fleets import networks, recipe
from nucleate.plots import Picture, attention_map, panels, save

_ACROSS = (0.14, 0.38, 0.62, 0.86)  # where a particle is put, as shares of the box
_OVERLAP, _NEAR, _FAR = 0.02, 0.5, 0.75  # how deep in contact, how far above it, and how far up, as a share of the box
_OPACITY = "The more opaque a line, the more attention."


@choice.of_finite_networks
def figure_3(evidence: Evidence, folder: Path) -> Picture:
    record = networks(evidence)
    shown = choice.examples(record)
    box = choice.box(record)
    falling, _, settled = choice.moments(record)
    states = np.array([falling, settled])
    position, velocity = record.held_position.values[states], record.held_velocity.values[states]
    figure, axes = panels(2, len(shown), size=(3.4, 3.4 * box[1] / box[0] + 0.2))
    for column, example in enumerate(shown.values()):
        seen = choice.attention(record, example.head, position, velocity)
        for row, state in enumerate(("in free fall", "settled")):
            ax = axes[row * len(shown) + column]
            attention_map(ax, position[row], seen[row], box, title=example.title if row == 0 else "")
            if column == 0:
                ax.set_ylabel(state)
    names = "; ".join(example.head.name for example in shown.values())
    return Picture(
        save(figure, folder / "figure_3.png"),
        "Fig. 3: whom heads attend to",
        f"{choice.fleet_name(record)}; from left to right: {names}. Above: the held-out state with the most kinetic "
        f"energy; below: the one with the least. {_OPACITY}{choice.stand_ins(shown)}",
    )


@choice.of_finite_networks
def figures_13_to_15(evidence: Evidence, folder: Path) -> list[Picture]:
    """One particle is moved in a settled state, all others stay."""
    record = networks(evidence)
    shown = choice.examples(record)
    return [
        _figure(record, folder, shown[kind], number)
        for number, kind in zip((13, 14, 15), (HeadClass.TRUE, HeadClass.PARTIAL, HeadClass.NONE), strict=True)
        if kind in shown
    ]


def _figure(record: xr.Dataset, folder: Path, example: choice.Example, number: int) -> Picture:
    box = choice.box(record)
    state = choice.moments(record)[2]
    there = record.held_position.values[state]
    particle = int(np.argmax(there[:, 1]))  # the topmost, so that it leaves no hole behind
    diameter = recipe(record).task.contact.diameter
    places = _places(np.delete(there, particle, axis=0), box, diameter)
    position = np.repeat(there[None], len(places), axis=0)
    position[:, particle] = places
    velocity = np.repeat(record.held_velocity.values[state][None], len(places), axis=0)
    seen = choice.attention(record, example.head, position, velocity)
    figure, axes = panels(3, len(_ACROSS), size=(2.5, 2.5 * box[1] / box[0] + 0.1))
    for ax, here, attention in zip(axes, position, seen, strict=True):
        attention_map(ax, here, attention, box, query=particle)
    for ax, height in zip(axes[:: len(_ACROSS)], ("far above", "near", "in contact"), strict=True):
        ax.set_ylabel(height)
    stands = "" if example.genuine else " No head is of that kind; the one with the nearest score stands in."
    return Picture(
        save(figure, folder / f"figure_{number}.png"),
        f"Fig. {number}: attention of a moved particle, {example.title}",
        f"The attention of one particle, in green, in {example.head.name} ({choice.fleet_name(record)}). It is moved "
        f"in a settled state: far above the others, near them, and in contact. {_OPACITY}{stands}",
    )


def _places(others: np.ndarray, box: tuple[float, float], diameter: float) -> np.ndarray:
    """Far above the others, near them and in contact with them, [place, 2]."""
    rows = [[], [], []]
    for x in (share * box[0] for share in _ACROSS):
        reach, aside = (1 - _OVERLAP) * diameter, others[:, 0] - x
        below = np.abs(aside) < reach
        touching = others[below, 1] + np.sqrt(reach**2 - aside[below] ** 2)
        contact = max([diameter / 2, *touching.tolist()])
        for row, y in zip(rows, (_FAR * box[1], contact + _NEAR * diameter, contact), strict=True):
            row.append((x, min(y, box[1] - diameter / 2)))
    return np.array(rows).reshape(-1, 2)
