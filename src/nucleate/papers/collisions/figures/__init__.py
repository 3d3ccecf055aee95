"""The paper's figures 1 to 3 and 5 to 35 and a film, drawn from records; Fig. 4 is a diagram.

In the order of the paper; the film after Fig. 3, whose subject it shows.
"""

from nucleate.papers.collisions.figures.maps import figure_3, figures_13_to_15
from nucleate.papers.collisions.figures.power_laws import figure_1, figure_6, figures_16_to_35, traces
from nucleate.papers.collisions.figures.rollouts import figure_7, film
from nucleate.papers.collisions.figures.scores import figure_2, figure_5, figures_8_to_12

FIGURES = (
    figure_1,
    figure_2,
    figure_3,
    film,
    figure_5,
    figure_6,
    figure_7,
    figures_8_to_12,
    figures_13_to_15,
    figures_16_to_35,
    traces,
)
