"""Figures 6 and 13-15: phases of learning over hyperparameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

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
    """One diagram: the decoder's learning rate and another hyperparameter `y` of an experiment. `what`: its title."""

    experiment: str
    what: str
    y: str
    ylabel: str
    ylog: bool = False

    def title(self, config: Mapping[str, Any]) -> str:
        """What is learned, by the run's config, and what varies."""
        learned = config.get("group") or config.get("readout", "")
        return ": ".join(filter(None, (learned, self.what)))


_DECAY = ("weight decay", "wd_dec", "decoder weight decay")
_BATCH_SIZE = ("", "batch", "batch size")
_SCALE = ("", "init_scale", "init scale", True)
_REPR = ("", "wd_repr", "representation weight decay")

MAPS = (
    PhaseMap(PHASE_RATES, "learning rates", "eta_repr", r"$\eta$ representation", ylog=True),
    PhaseMap(PHASE_DECAY, *_DECAY),
    PhaseMap(PHASE_DECAY_CLASSES, *_DECAY),
    PhaseMap(GROUPS_PHASES, *_DECAY),
    PhaseMap(BATCH, *_BATCH_SIZE),
    PhaseMap(BATCH_CLASSES, *_BATCH_SIZE),
    PhaseMap(INIT, *_SCALE),
    PhaseMap(INIT_CLASSES, *_SCALE),
    PhaseMap(REPR_DECAY, *_REPR),
    PhaseMap(REPR_DECAY_CLASSES, *_REPR),
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
    undecided, runs = False, []
    for ax, drawn in zip(axes, maps, strict=True):
        record, config = evidence.record(drawn.experiment), evidence.about(drawn.experiment).config
        codes, xs, ys = readings.phase_map(record, "eta_dec", drawn.y)
        if drawn.y == "batch":  # the full batch, which is called 0, is the largest
            sizes = np.where(ys == 0, record.train_size.values.max(), ys)
            codes, ys = codes[np.argsort(sizes)], np.sort(sizes)
        winner, votes = vote(codes, -1)
        undecided |= bool((winner < 0).any())
        labels = {"xlabel": r"$\eta$ decoder", "ylabel": drawn.ylabel, "title": drawn.title(config)}
        phase_diagram(ax, winner, votes, xs, ys, xlog=True, ylog=drawn.ylog, legend=False, **labels)
        if drawn.y != "eta_repr":  # as in the paper, where small values are at the top
            ax.invert_yaxis()
        runs.append((codes.shape[-1], int(record.steps), _splits(config)))
    phase_legend(axes[-1], undecided=undecided, single=all(networks == 1 for networks, *_ in runs))
    return Picture(save(figure, file), title, _caption(runs))


def _splits(config: Mapping[str, Any]) -> str:
    one = "on one split" if config.get("one_split") else "on splits"
    possible = " from which 90 % validation accuracy is possible"
    return f", {one}{possible}" if config.get("feasible") else ", on one split" if config.get("one_split") else ""


def _caption(runs: Sequence[tuple[int, int, str]]) -> str:
    networks, steps, splits = (sorted(set(values)) for values in zip(*runs, strict=True))
    after = f"after {' and '.join(f'{count:,}' for count in steps)} steps{splits[0] if len(splits) == 1 else ''}"
    if networks == [1]:
        return f"Phase of one network in each cell {after}."
    return (
        f"Phase by majority of {' and '.join(map(str, networks))} networks {after}; numbers are the winner's share "
        "where the vote was split."
    )


def alone(drawn: PhaseMap) -> Figure:
    """The figure of one diagram, for a run of its experiment; none if its options leave nothing to vary."""

    def figure(evidence: Evidence, folder: Path) -> Picture | None:
        if drawn.y not in evidence.record(drawn.experiment).coords:
            return None
        return draw(evidence, folder / "phases.png", "Phases of learning", [drawn])

    return figure
