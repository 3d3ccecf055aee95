"""Emergence of Computational Structure in a Neural Network Physics Simulator [hitchcock2025emergence]."""

from nucleate.papers.collisions.experiments import EFFORT, EXPERIMENTS
from nucleate.papers.collisions.figures import FIGURES
from nucleate.papers.collisions.ledger import CLAIMS
from nucleate.papers.paper import Paper

PAPER = Paper(
    name="collisions",
    title="Collisions: a transformer that simulates particles",
    reference="Hitchcock, Delaney, Manton, Scalzo, Zhu (2025)",
    claims=CLAIMS,
    experiments=EXPERIMENTS,
    effort=EFFORT,
    figures=FIGURES,
)
