"""Survival of the Fittest Representation: A Case Study with Modular Addition [ding2024survival]."""

from nucleate.papers.circles.experiments import EXPERIMENTS
from nucleate.papers.circles.figures import FIGURES
from nucleate.papers.circles.ledger import CLAIMS
from nucleate.papers.paper import Paper

PAPER = Paper(
    name="circles",
    title="Circles: competition and survival of Fourier representations",
    reference="Ding, Guo, Michaud, Liu, Tegmark (2024)",
    claims=CLAIMS,
    experiments=EXPERIMENTS,
    figures=FIGURES,
)
