"""The paper's figures 1 to 3, 5 to 35 and a film, drawn from records; Fig. 4 is a diagram."""

from collections.abc import Callable
from pathlib import Path

from nucleate.claims import Evidence
from nucleate.explorer import FigureEntry
from nucleate.papers.collisions.figures.choice import fleets
from nucleate.papers.collisions.figures.laws import figure_1, figure_6, pages, traces
from nucleate.papers.collisions.figures.maps import figure_3, moved
from nucleate.papers.collisions.figures.rollouts import figure_7, film
from nucleate.papers.collisions.figures.scores import figure_2, figure_5, per_network
from nucleate.plots import style

_Drawn = FigureEntry | list[FigureEntry] | None

_FIGURES: tuple[Callable[[Evidence, Path], _Drawn], ...] = (
    figure_1,
    figure_2,
    figure_3,
    film,
    figure_5,
    figure_6,
    figure_7,
    per_network,
    moved,
    pages,
    traces,
)


def draw(evidence: Evidence, folder: Path) -> list[FigureEntry]:
    """Every figure that can be drawn, in the order of the paper; the film after Fig. 3, whose subject it shows."""
    folder.mkdir(parents=True, exist_ok=True)
    if not evidence.once(fleets):
        return []  # all networks have diverged
    with style():
        return [entry for figure in _FIGURES for entry in _listed(figure(evidence, folder))]


def _listed(drawn: _Drawn) -> list[FigureEntry]:
    if drawn is None:
        return []
    return drawn if isinstance(drawn, list) else [drawn]
