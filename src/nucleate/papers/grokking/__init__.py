"""Towards Understanding Grokking: An Effective Theory of Representation Learning [liu2022grokking]."""

from nucleate.papers.grokking.experiments import EFFORT, EXPERIMENTS
from nucleate.papers.grokking.figures import FIGURES, PORTRAITS
from nucleate.papers.grokking.ledger import CLAIMS
from nucleate.papers.paper import Paper

PAPER = Paper(
    name="grokking",
    title="Grokking: an effective theory of representation learning",
    reference="Liu, Kitouni, Nolte, Michaud, Tegmark, Williams (2022)",
    claims=CLAIMS,
    experiments=EXPERIMENTS,
    effort=EFFORT,
    figures=FIGURES,
    portraits=PORTRAITS,
)
