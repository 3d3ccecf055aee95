"""The paper's figures 1 to 4 and a film, drawn from records; the film after Fig. 1, whose subject it shows."""

from nucleate.papers.repons.figures.line import figure_1, figure_3, film
from nucleate.papers.repons.figures.plane import figure_2, figure_4

FIGURES = (figure_1, film, figure_2, figure_3, figure_4)
