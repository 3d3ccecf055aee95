"""Survival of the Fittest Representation: A Case Study with Modular Addition [ding2024survival]."""

from dataclasses import replace

import numpy as np

from nucleate.papers.circles import figures, readings
from nucleate.papers.circles.experiments import CircleFleet
from nucleate.papers.circles.ledger import CLAIMS
from nucleate.papers.paper import Budget, Effort, Paper


def _linspace(low: float, high: float, count: int) -> tuple[float, ...]:
    return tuple(np.linspace(low, high, count).round(6).tolist())


_PRIMES = (13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127)

# About the paper's own sizes. What figures share is trained once.
_SIZES = {
    readings.COMPETITION: CircleFleet(embeddings=100, steps=30_000, look_test=20, snapshots=60, look_ablation=500),
    readings.LONG: CircleFleet(embeddings=2, steps=30_000, snapshots=80),
    readings.SURVIVAL: CircleFleet(embeddings=10, trials=50, steps=30_000, look=1),
    readings.PERTURBED: CircleFleet(
        start="perturbed", factor=_linspace(0.85, 1.15, 50), embeddings=8, trials=50, steps=30_000, look=100
    ),
    readings.LINES: CircleFleet(
        start="lines", ratio=tuple(np.exp(np.linspace(-4, 0, 16)).tolist()), embeddings=100, steps=30_000, look=100
    ),
    readings.ROUND: CircleFleet(
        start="circles", ratio=tuple(np.exp(np.linspace(-4, 0, 16)).tolist()), embeddings=100, steps=30_000, look=100
    ),
    readings.PRIMES: CircleFleet(p=_PRIMES, embeddings=100, steps=30_000, look=100),
    readings.COMPOSITES: CircleFleet(
        p=tuple(p for p in range(16, 102) if p not in _PRIMES), embeddings=20, steps=30_000, look=100
    ),
    readings.DIMENSIONS: CircleFleet(dim=tuple(range(16, 128, 4)), embeddings=50, steps=30_000, look=100),
    readings.FROZEN: CircleFleet(dim=tuple(range(16, 59, 2)), frozen=True, embeddings=5, steps=10_000, look=500),
    readings.FROZEN_LARGE: CircleFleet(dim=tuple(range(60, 129, 4)), frozen=True, embeddings=5, steps=10_000, look=500),
    readings.DECAY: CircleFleet(wd=_linspace(0.1, 1.5, 16), embeddings=50, steps=30_000, look=100),
    readings.NO_DECAY: CircleFleet(
        wd=(0.0, *np.geomspace(0.002, 0.01, 6).round(5).tolist()), embeddings=50, steps=30_000, look=100
    ),
    readings.ABLATED: CircleFleet(
        start="kept", source=readings.COMPETITION, embeddings=20, steps=30_000, look=100, look_test=20
    ),
    readings.DYNAMICS: CircleFleet(dim=(16, 32, 48, 64, 96, 128), embeddings=20, steps=1000, look=1),
}

# Seeds of its own for each fleet, but for the ablated networks, which are those of the competition.
_PAPER = {
    name: replace(fleet, first_seed=0 if fleet.source else 100_000 * number)
    for number, (name, fleet) in enumerate(_SIZES.items())
}

# Fewer networks; for 4,000 steps where survivors are counted (90 % are settled by 2,000) and 1,000 where only survival
# under a given embedding is asked. Networks whose survivors are clear stop where p = 59, where that rule is checked.
_STANDARD = {
    readings.COMPETITION: replace(_PAPER[readings.COMPETITION], embeddings=16, steps=4000, snapshots=40),
    readings.LONG: replace(_PAPER[readings.LONG], embeddings=4, steps=8000, snapshots=60),
    readings.SURVIVAL: replace(_PAPER[readings.SURVIVAL], embeddings=5, trials=12, steps=1000),
    readings.PERTURBED: replace(
        _PAPER[readings.PERTURBED], factor=_linspace(0.85, 1.15, 3), embeddings=6, trials=3, steps=1000
    ),
    readings.LINES: replace(_PAPER[readings.LINES], ratio=(0.02, 0.1, 0.3, 0.6, 1.0), embeddings=6, steps=1200),
    readings.ROUND: replace(_PAPER[readings.ROUND], ratio=(0.1, 1.0), embeddings=4, steps=1200),
    readings.PRIMES: replace(
        _PAPER[readings.PRIMES], p=(13, 19, 29, 41, 53, 67, 83), embeddings=4, steps=2500, look=20
    ),
    readings.COMPOSITES: replace(
        _PAPER[readings.COMPOSITES],
        p=(16, 20, 24, 30, 36, 42, 48, 56),
        embeddings=4,
        steps=2500,
        look=20,
    ),
    readings.DIMENSIONS: replace(
        _PAPER[readings.DIMENSIONS], dim=(16, 32, 64), embeddings=5, steps=4000, look=20, stop_when_clear=True
    ),
    readings.FROZEN: replace(_PAPER[readings.FROZEN], dim=(16, 20, 32, 48), embeddings=2),
    readings.FROZEN_LARGE: replace(_PAPER[readings.FROZEN_LARGE], dim=(64, 96, 128), embeddings=2, steps=5000),
    readings.DECAY: replace(
        _PAPER[readings.DECAY], wd=(0.1, 0.25, 1.0, 1.5), embeddings=4, steps=4000, look=20, stop_when_clear=True
    ),
    readings.NO_DECAY: replace(_PAPER[readings.NO_DECAY], wd=(0.0, 0.01), embeddings=4, steps=4000),
    readings.ABLATED: replace(_PAPER[readings.ABLATED], embeddings=4, steps=4000),
    readings.DYNAMICS: replace(_PAPER[readings.DYNAMICS], dim=(16, 48, 128), embeddings=4),
}

# Every path, in three minutes: too few networks and steps for most verdicts, which then are inconclusive. Fleets that
# look alike share a compiled program.
_QUICK = {
    readings.COMPETITION: replace(
        _STANDARD[readings.COMPETITION], embeddings=4, steps=600, snapshots=20, look_ablation=200
    ),
    readings.LONG: replace(_STANDARD[readings.LONG], embeddings=1, steps=800, snapshots=30),
    readings.SURVIVAL: replace(_STANDARD[readings.SURVIVAL], embeddings=3, trials=2, steps=400),
    readings.PERTURBED: replace(_STANDARD[readings.PERTURBED], factor=(0.85, 1.15), embeddings=1, trials=2, steps=400),
    readings.LINES: replace(_STANDARD[readings.LINES], ratio=(0.02, 1.0), embeddings=1, steps=400),
    readings.ROUND: replace(_STANDARD[readings.ROUND], ratio=(0.02, 1.0), embeddings=1, steps=400),
    readings.PRIMES: replace(_STANDARD[readings.PRIMES], p=(19, 43), embeddings=2, steps=600),
    readings.COMPOSITES: replace(_STANDARD[readings.COMPOSITES], p=(16, 42), embeddings=2, steps=600),
    readings.DIMENSIONS: replace(_STANDARD[readings.DIMENSIONS], dim=(32,), embeddings=2, steps=600),
    readings.FROZEN: replace(_STANDARD[readings.FROZEN], dim=(16, 36), embeddings=1, steps=500),
    readings.FROZEN_LARGE: replace(_STANDARD[readings.FROZEN_LARGE], dim=(128,), embeddings=1, steps=500),
    readings.DECAY: replace(
        _STANDARD[readings.DECAY], wd=(0.2, 1.0), embeddings=1, steps=400, look=100, stop_when_clear=False
    ),
    readings.NO_DECAY: replace(_STANDARD[readings.NO_DECAY], wd=(0.0,), embeddings=1, steps=400),
    readings.ABLATED: replace(_STANDARD[readings.ABLATED], embeddings=1, steps=400),
    readings.DYNAMICS: replace(_STANDARD[readings.DYNAMICS], dim=(16, 128), embeddings=1, steps=400),
}

PAPER = Paper(
    name="circles",
    title="Circles: competition and survival of Fourier representations",
    reference="Ding, Guo, Michaud, Liu, Tegmark (2024)",
    claims=CLAIMS,
    efforts={
        Budget.QUICK: Effort(_QUICK, samples=400),
        Budget.STANDARD: Effort(_STANDARD, samples=1000),
        Budget.PAPER: Effort(_PAPER, samples=1000),
    },
    draw=figures.draw,
)
