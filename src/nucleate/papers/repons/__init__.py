"""Neural Embeddings Evolve as Interacting Particles [mehta2024repons]."""

from dataclasses import replace

from nucleate.papers.paper import Budget, Effort, Paper
from nucleate.papers.repons import figures, readings
from nucleate.papers.repons.experiments import ReponFleet
from nucleate.papers.repons.ledger import CLAIMS

# 5,000 runs for each dimension, as in the paper. Its weight decay and narrow layer are unknown: in a pilot (8 networks
# each, 5 to 20 units, λ from 0.001 to 0.03) there were lines at λ = 0.03 with up to 10 units.
_PAPER = {
    readings.LINE: ReponFleet(embeddings=5000),
    readings.SMALL: ReponFleet(embeddings=1000, init_scale=(0.1,), first_seed=100_000),
    readings.DECODERS: ReponFleet(embeddings=100, decoders=12, first_seed=200_000),
    readings.PLANE: ReponFleet(dim=(2,), embeddings=5000, first_seed=300_000),
    readings.HELD_OUT: ReponFleet(dim=(1, 2), embeddings=1000, train_size=45, first_seed=400_000),
    readings.NARROW: ReponFleet(
        dim=(2,), width=(10, 200), wd=(0.0, 0.01, 0.03), embeddings=200, steps=6000, look=500, first_seed=500_000
    ),
}

# The two large fleets at full size, for they are trained in minutes; fewer of the others, and fewer simulations.
_STANDARD = {
    readings.LINE: _PAPER[readings.LINE],
    readings.SMALL: replace(_PAPER[readings.SMALL], embeddings=300),
    readings.DECODERS: replace(_PAPER[readings.DECODERS], embeddings=40),
    readings.PLANE: _PAPER[readings.PLANE],
    readings.HELD_OUT: replace(_PAPER[readings.HELD_OUT], embeddings=400),
    readings.NARROW: replace(_PAPER[readings.NARROW], embeddings=60),
}

# Every path, in three minutes: too few runs for most verdicts, which then are inconclusive.
_QUICK = {
    readings.LINE: replace(_PAPER[readings.LINE], embeddings=200),
    readings.SMALL: replace(_PAPER[readings.SMALL], embeddings=60),
    readings.DECODERS: replace(_PAPER[readings.DECODERS], embeddings=10, decoders=6),
    readings.PLANE: replace(_PAPER[readings.PLANE], embeddings=200),
    readings.HELD_OUT: replace(_PAPER[readings.HELD_OUT], embeddings=60),
    readings.NARROW: replace(_PAPER[readings.NARROW], wd=(0.0, 0.03), embeddings=10, steps=3000),
}

PAPER = Paper(
    name="repons",
    title="Repons: embeddings as interacting particles",
    reference="Mehta, Liu, Tegmark (2024)",
    claims=CLAIMS,
    efforts={
        Budget.QUICK: Effort(_QUICK, samples=40),
        Budget.STANDARD: Effort(_STANDARD, samples=400),
        Budget.PAPER: Effort(_PAPER, samples=1000),
    },
    draw=figures.draw,
)
