"""Figure 6: phases of learning over hyperparameters."""

from dataclasses import dataclass
from pathlib import Path

from nucleate.claims import Evidence
from nucleate.observables import vote
from nucleate.papers.grokking import readings
from nucleate.papers.grokking.experiments import PHASE_DECAY, PHASE_DECAY_CLASSES, PHASE_RATES
from nucleate.plots import Picture, panels, phase_diagram, phase_legend, save


@dataclass(frozen=True)
class _Map:
    experiment: str
    title: str
    y: str = "wd_dec"
    ylabel: str = "decoder weight decay"
    ylog: bool = False


_MAPS = (
    _Map(PHASE_RATES, "regression: learning rates", "eta_repr", r"$\eta$ representation", ylog=True),
    _Map(PHASE_DECAY, "regression: weight decay"),
    _Map(PHASE_DECAY_CLASSES, "classification: weight decay"),
)


def figure_6(evidence: Evidence, folder: Path) -> Picture:
    figure, axes = panels(1, 3)
    undecided = False
    for ax, drawn in zip(axes, _MAPS, strict=True):
        codes, xs, ys = readings.phase_map(evidence.record(drawn.experiment), "eta_dec", drawn.y)
        winner, votes = vote(codes, -1)
        undecided |= bool((winner < 0).any())
        labels = {"xlabel": r"$\eta$ decoder", "ylabel": drawn.ylabel, "title": drawn.title}
        phase_diagram(ax, winner, votes, xs, ys, xlog=True, ylog=drawn.ylog, legend=False, **labels)
        if not drawn.ylog:
            ax.invert_yaxis()
    phase_legend(axes[-1], undecided=undecided)
    steps = int(evidence.record(PHASE_RATES).steps)
    return Picture(
        save(figure, folder / "figure_6.png"),
        "Fig. 6abc: four phases of learning",
        f"Phase by majority of {codes.shape[-1]} seeds after {steps:,} steps, on splits from which 90 % validation "
        "accuracy is possible; numbers are the winner's share where the vote was split.",
    )
