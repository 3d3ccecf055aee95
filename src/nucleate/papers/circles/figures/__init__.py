"""The paper's figures 2 to 16 and a film, drawn from records."""

from nucleate.papers.circles.figures.counts import figure_4, figure_5, figure_8, figure_10, figure_12, figure_14
from nucleate.papers.circles.figures.equations import figure_9, figure_15, figure_16
from nucleate.papers.circles.figures.fitness import figure_6, figure_7, figure_11
from nucleate.papers.circles.figures.portraits import figure_2, figure_3, figure_13, film

# In the order of the paper; the film after Fig. 2, whose subject it shows.
FIGURES = (
    figure_2,
    film,
    figure_3,
    figure_4,
    figure_5,
    figure_6,
    figure_7,
    figure_8,
    figure_9,
    figure_10,
    figure_11,
    figure_12,
    figure_13,
    figure_14,
    figure_15,
    figure_16,
)
