"""The paper's figures 3, 4, 5, 6abc, 10, 11 and 12, drawn from records."""

from nucleate.papers.grokking.figures.accuracy import figure_3, figure_10
from nucleate.papers.grokking.figures.dynamics import figure_4ab, figure_4cd, figure_5
from nucleate.papers.grokking.figures.four_symbols import figure_11, figure_12
from nucleate.papers.grokking.figures.phases import figure_6

FIGURES = (figure_3, figure_4ab, figure_4cd, figure_5, figure_6, figure_10, figure_11, figure_12)

__all__ = ["FIGURES"]
