"""Algebra and spectra in trained networks, from a talk by Tian: optimisers composed of partial solutions
[tian2024cogo], and shortest paths read from a line graph."""

from nucleate.papers.algebra.experiments import EFFORT, EXPERIMENTS
from nucleate.papers.algebra.figures import FIGURES
from nucleate.papers.algebra.ledger import CLAIMS
from nucleate.papers.paper import Paper

PAPER = Paper(
    name="algebra",
    title="Emergence of various structures via the lens of transformer training dynamics: algebra and spectra",
    reference="Tian (talk, 2025)",
    claims=CLAIMS,
    experiments=EXPERIMENTS,
    effort=EFFORT,
    figures=FIGURES,
)
