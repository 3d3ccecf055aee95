"""Training dynamics of transformers, from a talk by Tian: Scan & Snap [tian2023scan], JoMA and latent hierarchies
[tian2023joma], low-rank gradients [zhao2024galore]."""

from nucleate.papers.attention.experiments import EFFORT, EXPERIMENTS
from nucleate.papers.attention.figures import FIGURES
from nucleate.papers.attention.ledger import CLAIMS
from nucleate.papers.paper import Paper

PAPER = Paper(
    name="attention",
    title="Emergence of various structures via the lens of transformer training dynamics: attention",
    reference="Tian (talk, 2025)",
    claims=CLAIMS,
    experiments=EXPERIMENTS,
    effort=EFFORT,
    figures=FIGURES,
)
