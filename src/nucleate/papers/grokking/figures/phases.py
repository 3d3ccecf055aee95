"""Figures 6 and 13-15: phases of learning over hyperparameters."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

from nucleate.claims import Evidence
from nucleate.observables import vote
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import (
    BATCH,
    BATCH_CLASSES,
    GROUPS_PHASES,
    INIT,
    INIT_CLASSES,
    PHASE_DECAY,
    PHASE_DECAY_CLASSES,
    PHASE_RATES,
    REPR_DECAY,
    REPR_DECAY_CLASSES,
)
from nucleate.papers.paper import Figure
from nucleate.plots import Picture, panels, phase_diagram, phase_legend, save


@final
@dataclass(frozen=True)
class PhaseMap:
    """One diagram: the decoder's learning rate, and another hyperparameter `y` of an experiment."""

    experiment: str
    title: str
    y: str
    ylabel: str
    ylog: bool = False


_DECAY = ("wd_dec", "decoder weight decay")
_BATCH_SIZE = ("batch", "batch size")
_SCALE = ("init_scale", "init scale", True)
_REPR = ("wd_repr", "representation weight decay")

MAPS = (
    PhaseMap(PHASE_RATES, "regression: learning rates", "eta_repr", r"$\eta$ representation", ylog=True),
    PhaseMap(PHASE_DECAY, "regression: weight decay", *_DECAY),
    PhaseMap(PHASE_DECAY_CLASSES, "classification: weight decay", *_DECAY),
    PhaseMap(GROUPS_PHASES, "", *_DECAY),  # named after its group
    PhaseMap(BATCH, "regression", *_BATCH_SIZE),
    PhaseMap(BATCH_CLASSES, "classification", *_BATCH_SIZE),
    PhaseMap(INIT, "regression", *_SCALE),
    PhaseMap(INIT_CLASSES, "classification", *_SCALE),
    PhaseMap(REPR_DECAY, "regression", *_REPR),
    PhaseMap(REPR_DECAY_CLASSES, "classification", *_REPR),
)


def figure_6(evidence: Evidence, folder: Path) -> Picture:
    return draw(evidence, folder / "figure_6.png", "Fig. 6abc: four phases of learning", MAPS[:3])


def figure_6d(evidence: Evidence, folder: Path) -> Picture:
    name = readings.group_of(evidence, GROUPS_PHASES).name
    return draw(evidence, folder / "figure_6d.png", f"Fig. 6d: phases of learning the group {name}", MAPS[3:4])


def figure_13(evidence: Evidence, folder: Path) -> Picture:
    return draw(evidence, folder / "figure_13.png", "Fig. 13: batch size", MAPS[4:6])


def figure_14(evidence: Evidence, folder: Path) -> Picture:
    return draw(evidence, folder / "figure_14.png", "Fig. 14: init scale", MAPS[6:8])


def figure_15(evidence: Evidence, folder: Path) -> Picture:
    return draw(evidence, folder / "figure_15.png", "Fig. 15: representation weight decay", MAPS[8:10])


def draw(evidence: Evidence, file: Path, title: str, maps: Sequence[PhaseMap]) -> Picture:
    """These diagrams side by side, with one legend."""
    figure, axes = panels(1, len(maps), size=(5.6 if len(maps) == 1 else 4.8, 3.8))
    undecided, notes = False, []
    for ax, drawn in zip(axes, maps, strict=True):
        record = evidence.record(drawn.experiment)
        codes, xs, ys = readings.phase_map(record, "eta_dec", drawn.y)
        if drawn.y == "batch":  # the full batch, which is called 0, is the largest
            sizes = np.where(ys == 0, record.train_size.values.max(), ys)
            codes, ys = codes[np.argsort(sizes)], np.sort(sizes)
        winner, votes = vote(codes, -1)
        undecided |= bool((winner < 0).any())
        name = drawn.title or f"{readings.group_of(evidence, drawn.experiment).name}: weight decay"
        labels = {"xlabel": r"$\eta$ decoder", "ylabel": drawn.ylabel, "title": name}
        phase_diagram(ax, winner, votes, xs, ys, xlog=True, ylog=drawn.ylog, legend=False, **labels)
        if drawn.y != "eta_repr":  # as in the paper, where small values are at the top
            ax.invert_yaxis()
        notes.append((codes.shape[-1], int(record.steps)))
    phase_legend(axes[-1], undecided=undecided)
    return Picture(save(figure, file), title, _caption(notes, maps))


def _caption(notes: Sequence[tuple[int, int]], maps: Sequence[PhaseMap]) -> str:
    seeds = " and ".join(str(count) for count in sorted({seeds for seeds, _ in notes}))
    steps = " and ".join(f"{count:,}" for count in sorted({steps for _, steps in notes}))
    splits = (
        "" if maps[0].experiment == GROUPS_PHASES else ", on splits from which 90 % validation accuracy is possible"
    )
    if seeds == "1":
        return f"Phase of one network in each cell after {steps} steps{splits}."
    return (
        f"Phase by majority of {seeds} seeds after {steps} steps{splits}; numbers are the winner's share where the "
        "vote was split."
    )


def alone(drawn: PhaseMap) -> Figure:
    """The figure of one diagram, for a run of its experiment."""

    def figure(evidence: Evidence, folder: Path) -> Picture:
        return draw(evidence, folder / "phases.png", "Phases of learning", [drawn])

    return figure
