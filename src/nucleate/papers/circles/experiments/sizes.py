"""One row per experiment: the paper's own size, and what the smaller budgets change.

At the standard budget there are fewer networks, trained for 4,000 steps where survivors are counted (90 % are settled
by 2,000) and for 1,000 where only survival under a given embedding is asked. Networks whose survivors are clear stop
where p = 59, where that rule is checked. The quick budget walks every path in three minutes: most of its verdicts are
inconclusive. Its fleets share compiled programs where they look alike.
"""

import numpy as np

from nucleate.papers.circles.experiments.fleet import CircleFleet
from nucleate.papers.paper import Sizes

COMPETITION = "circles/competition"
LONG = "circles/long"
SURVIVAL = "circles/survival"
PERTURBED = "circles/perturbed"
LINES = "circles/lines"
ROUND = "circles/round"
PRIMES = "circles/primes"
COMPOSITES = "circles/composites"
DIMENSIONS = "circles/dimensions"
FROZEN = "circles/frozen"
FROZEN_LARGE = "circles/frozen-large"
DECAY = "circles/decay"
NO_DECAY = "circles/no-decay"
ABLATED = "circles/ablated"
DYNAMICS = "circles/dynamics"


def _linspace(low: float, high: float, count: int) -> tuple[float, ...]:
    return tuple(np.linspace(low, high, count).round(6).tolist())


_PRIMES = (13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127)
_COMPOSITES = tuple(p for p in range(16, 102) if p not in _PRIMES)
_RATIOS = tuple(np.exp(np.linspace(-4, 0, 16)).tolist())
_LITTLE_DECAY = tuple(np.geomspace(0.002, 0.01, 6).round(5).tolist())

# Every fleet has its own seeds, except that the ablated networks are those of the competition.
EXPERIMENTS = {
    COMPETITION: Sizes.of(
        CircleFleet(embeddings=100, steps=30_000, look_test=20, snapshots=60, look_ablation=500),
        standard={"embeddings": 16, "steps": 4000, "snapshots": 40},
        quick={"embeddings": 4, "steps": 600, "snapshots": 20, "look_ablation": 200},
    ),
    LONG: Sizes.of(
        CircleFleet(first_seed=100_000, embeddings=2, steps=30_000, snapshots=80),
        standard={"embeddings": 4, "steps": 8000, "snapshots": 60},
        quick={"embeddings": 1, "steps": 800, "snapshots": 30},
    ),
    SURVIVAL: Sizes.of(
        CircleFleet(first_seed=200_000, embeddings=10, trials=50, steps=30_000, look=1),
        standard={"embeddings": 5, "trials": 12, "steps": 1000},
        quick={"embeddings": 3, "trials": 2, "steps": 400},
    ),
    PERTURBED: Sizes.of(
        CircleFleet(
            first_seed=300_000,
            start="perturbed",
            factor=_linspace(0.85, 1.15, 50),
            embeddings=8,
            trials=50,
            steps=30_000,
            look=100,
        ),
        standard={"factor": _linspace(0.85, 1.15, 3), "embeddings": 6, "trials": 3, "steps": 1000},
        quick={"factor": (0.85, 1.15), "embeddings": 1, "trials": 2, "steps": 400},
    ),
    LINES: Sizes.of(
        CircleFleet(first_seed=400_000, start="lines", ratio=_RATIOS, embeddings=100, steps=30_000, look=100),
        standard={"ratio": (0.02, 0.1, 0.3, 0.6, 1.0), "embeddings": 6, "steps": 1200},
        quick={"ratio": (0.02, 1.0), "embeddings": 1, "steps": 400},
    ),
    ROUND: Sizes.of(
        CircleFleet(first_seed=500_000, start="circles", ratio=_RATIOS, embeddings=100, steps=30_000, look=100),
        standard={"ratio": (0.1, 1.0), "embeddings": 4, "steps": 1200},
        quick={"ratio": (0.02, 1.0), "embeddings": 1, "steps": 400},
    ),
    PRIMES: Sizes.of(
        CircleFleet(first_seed=600_000, p=_PRIMES, embeddings=100, steps=30_000, look=100),
        standard={"p": (13, 19, 29, 41, 53, 67, 83), "embeddings": 4, "steps": 2500, "look": 20},
        quick={"p": (19, 43), "embeddings": 2, "steps": 600},
    ),
    COMPOSITES: Sizes.of(
        CircleFleet(first_seed=700_000, p=_COMPOSITES, embeddings=20, steps=30_000, look=100),
        standard={"p": (16, 20, 24, 30, 36, 42, 48, 56), "embeddings": 4, "steps": 2500, "look": 20},
        quick={"p": (16, 42), "embeddings": 2, "steps": 600},
    ),
    DIMENSIONS: Sizes.of(
        CircleFleet(first_seed=800_000, dim=tuple(range(16, 128, 4)), embeddings=50, steps=30_000, look=100),
        standard={"dim": (16, 32, 64), "embeddings": 5, "steps": 4000, "look": 20, "stop_when_clear": True},
        quick={"dim": (32,), "embeddings": 2, "steps": 600},
    ),
    FROZEN: Sizes.of(
        CircleFleet(first_seed=900_000, dim=tuple(range(16, 59, 2)), frozen=True, embeddings=5, steps=10_000, look=500),
        standard={"dim": (16, 20, 32, 48), "embeddings": 2},
        quick={"dim": (16, 36), "embeddings": 1, "steps": 500},
    ),
    FROZEN_LARGE: Sizes.of(
        CircleFleet(
            first_seed=1_000_000, dim=tuple(range(60, 129, 4)), frozen=True, embeddings=5, steps=10_000, look=500
        ),
        standard={"dim": (64, 96, 128), "embeddings": 2, "steps": 5000},
        quick={"dim": (128,), "embeddings": 1, "steps": 500},
    ),
    DECAY: Sizes.of(
        CircleFleet(first_seed=1_100_000, wd=_linspace(0.1, 1.5, 16), embeddings=50, steps=30_000, look=100),
        standard={"wd": (0.1, 0.25, 1.0, 1.5), "embeddings": 4, "steps": 4000, "look": 20, "stop_when_clear": True},
        quick={"wd": (0.2, 1.0), "embeddings": 1, "steps": 400, "look": 100, "stop_when_clear": False},
    ),
    NO_DECAY: Sizes.of(
        CircleFleet(first_seed=1_200_000, wd=(0.0, *_LITTLE_DECAY), embeddings=50, steps=30_000, look=100),
        standard={"wd": (0.0, 0.01), "embeddings": 4, "steps": 4000},
        quick={"wd": (0.0,), "embeddings": 1, "steps": 400},
    ),
    ABLATED: Sizes.of(
        CircleFleet(start="kept", source=COMPETITION, embeddings=20, steps=30_000, look=100, look_test=20),
        standard={"embeddings": 4, "steps": 4000},
        quick={"embeddings": 1, "steps": 400},
    ),
    DYNAMICS: Sizes.of(
        CircleFleet(first_seed=1_400_000, dim=(16, 32, 48, 64, 96, 128), embeddings=20, steps=1000, look=1),
        standard={"dim": (16, 48, 128), "embeddings": 4},
        quick={"dim": (16, 128), "embeddings": 1, "steps": 400},
    ),
}
