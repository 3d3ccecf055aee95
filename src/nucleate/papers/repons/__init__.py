"""Neural Embeddings Evolve as Interacting Particles [mehta2024repons]."""

from nucleate.papers.paper import Paper
from nucleate.papers.repons.experiments import EFFORT, EXPERIMENTS
from nucleate.papers.repons.figures import FIGURES
from nucleate.papers.repons.ledger import CLAIMS

PAPER = Paper(
    name="repons",
    title="Repons: embeddings as interacting particles",
    reference="Mehta, Liu, Tegmark (2024)",
    claims=CLAIMS,
    experiments=EXPERIMENTS,
    effort=EFFORT,
    figures=FIGURES,
)
