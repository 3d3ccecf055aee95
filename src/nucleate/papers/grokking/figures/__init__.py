"""The paper's figures, drawn from records."""

from nucleate.papers.grokking.experiments import GROUPS
from nucleate.papers.grokking.figures.accuracy import figure_3, figure_10
from nucleate.papers.grokking.figures.dynamics import figure_4ab, figure_4cd, figure_5
from nucleate.papers.grokking.figures.four_symbols import figure_11, figure_12
from nucleate.papers.grokking.figures.groups import figure_17, figure_18
from nucleate.papers.grokking.figures.images import figure_8, figure_19, figure_20
from nucleate.papers.grokking.figures.lottery import figure_21, figure_22
from nucleate.papers.grokking.figures.phases import (
    MAPS,
    alone,
    figure_6,
    figure_6d,
    figure_13,
    figure_14,
    figure_15,
)
from nucleate.papers.grokking.figures.transformer import figure_1, figure_7, film_1

FIGURES = (
    figure_1,
    film_1,
    figure_3,
    figure_4ab,
    figure_4cd,
    figure_5,
    figure_6,
    figure_6d,
    figure_7,
    figure_8,
    figure_10,
    figure_11,
    figure_12,
    figure_13,
    figure_14,
    figure_15,
    figure_17,
    figure_18,
    figure_19,
    figure_20,
    figure_21,
    figure_22,
)

PORTRAITS = {GROUPS: (figure_17, figure_18)} | {drawn.experiment: (alone(drawn),) for drawn in MAPS}

__all__ = ["FIGURES", "PORTRAITS"]
