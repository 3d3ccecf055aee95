"""One row per experiment: the paper's own size, and what the smaller budgets change.

The standard budget has fewer networks. It trains them for 4,000 steps where their circles are counted, for 2,000 where
rates and trends are asked, which a circle that is still undecided hardly moves, and for the paper's 30,000 where the
end of training itself is asked (`long`). Networks whose survivors are clear stop early where p = 59, where that rule
is checked. Networks without weight decay and the ablations of Appendix C need all 30,000 steps of many networks; they
are left to the paper's budget. The quick budget trains what is clear within a few minutes: laws for signals, initial
gradients, numbers of circles for a few p, and the head start of two circles. With six networks instead of eight, laws
and planes are left open. Its fleets share compiled programs where they look alike.
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
STRONGEST = "circles/strongest"
DYNAMICS = "circles/dynamics"


def _linspace(low: float, high: float, count: int) -> tuple[float, ...]:
    return tuple(np.linspace(low, high, count).round(6).tolist())


_PRIMES = (13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127)
_COMPOSITES = tuple(p for p in range(16, 102) if p not in _PRIMES)
# Rounded: the last digits of exp are those of the processor, and a config is to be the same everywhere.
_RATIOS = tuple(np.exp(np.linspace(-4, 0, 16)).round(6).tolist())
_LITTLE_DECAY = tuple(np.geomspace(0.002, 0.01, 6).round(5).tolist())

# Every fleet has its own seeds, except that those that are started again are networks of the competition.
EXPERIMENTS = {
    COMPETITION: Sizes.of(
        CircleFleet(embeddings=100, steps=30_000, look_test=20, snapshots=60),
        # "Nearly all" can be shown by 36 networks without exception, not by fewer.
        standard={"embeddings": 36, "steps": 4000, "snapshots": 2},
        quick={"embeddings": 8, "steps": 2000, "snapshots": 30},
    ),
    LONG: Sizes.of(
        CircleFleet(first_seed=100_000, embeddings=6, steps=30_000, snapshots=80, look_ablation=500), quick=None
    ),
    SURVIVAL: Sizes.of(
        CircleFleet(first_seed=200_000, embeddings=10, trials=50, steps=30_000, look=1),
        standard={"trials": 10, "steps": 2000},
        quick={"embeddings": 6, "trials": 1},
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
        # Far enough for nearly every embedding to have the frequency three standard deviations from the others.
        standard={"factor": (0.75, 1.25), "embeddings": 40, "trials": 1, "steps": 2000, "stop_when_clear": True},
        quick=None,
    ),
    LINES: Sizes.of(
        CircleFleet(first_seed=400_000, start="lines", ratio=_RATIOS, embeddings=100, steps=30_000, look=100),
        standard={"ratio": (0.02, 0.1, 0.3, 0.8), "embeddings": 10, "steps": 2000},
        quick=None,
    ),
    ROUND: Sizes.of(
        CircleFleet(first_seed=500_000, start="circles", ratio=_RATIOS, embeddings=100, steps=30_000, look=100),
        standard={"ratio": (0.1, 0.8), "embeddings": 2, "steps": 2000},
        quick=None,
    ),
    PRIMES: Sizes.of(
        CircleFleet(first_seed=600_000, p=_PRIMES, embeddings=100, steps=30_000, look=100),
        standard={"p": (17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 67), "embeddings": 6, "steps": 2500, "look": 20},
        quick={"p": (17, 29, 41), "steps": 2000},
    ),
    COMPOSITES: Sizes.of(
        CircleFleet(first_seed=700_000, p=_COMPOSITES, embeddings=20, steps=30_000, look=100),
        standard={"p": (18, 20, 22, 24, 27, 30, 34, 38, 42, 48, 54), "embeddings": 6, "steps": 2500, "look": 20},
        quick=None,
    ),
    DIMENSIONS: Sizes.of(
        CircleFleet(first_seed=800_000, dim=tuple(range(16, 128, 4)), embeddings=50, steps=30_000, look=100),
        standard={"dim": (16, 32, 64), "embeddings": 6, "steps": 4000, "look": 20, "stop_when_clear": True},
        quick=None,
    ),
    FROZEN: Sizes.of(
        CircleFleet(first_seed=900_000, dim=tuple(range(16, 59, 2)), frozen=True, embeddings=5, steps=10_000, look=500),
        standard={"dim": (18, 38, 52), "embeddings": 6},
        quick=None,
    ),
    FROZEN_LARGE: Sizes.of(
        CircleFleet(
            first_seed=1_000_000, dim=tuple(range(60, 129, 4)), frozen=True, embeddings=5, steps=10_000, look=500
        ),
        standard={"dim": (66, 80), "embeddings": 6, "steps": 5000},
        quick=None,
    ),
    DECAY: Sizes.of(
        CircleFleet(first_seed=1_100_000, wd=_linspace(0.1, 1.5, 16), embeddings=50, steps=30_000, look=100),
        standard={"wd": (0.2, 0.35, 1.0, 1.5), "embeddings": 6, "steps": 4000, "look": 20, "stop_when_clear": True},
        quick=None,
    ),
    NO_DECAY: Sizes.of(
        CircleFleet(first_seed=1_200_000, wd=(0.0, *_LITTLE_DECAY), embeddings=50, steps=30_000, look=100),
        standard=None,
    ),
    STRONGEST: Sizes.of(
        CircleFleet(
            start="kept",
            source=COMPETITION,
            variants=("A", "B"),
            embeddings=20,
            steps=4000,
            look=100,
            look_test=20,
        ),
        standard={"embeddings": 10, "steps": 2000},
        quick={"embeddings": 6, "steps": 500},
    ),
    ABLATED: Sizes.of(
        CircleFleet(start="kept", source=COMPETITION, embeddings=20, steps=30_000, look=100, look_test=20),
        standard=None,
    ),
    DYNAMICS: Sizes.of(
        CircleFleet(first_seed=1_400_000, dim=(16, 32, 48, 64, 96, 128), embeddings=20, steps=1000, look=1),
        standard={"dim": (16, 48, 128), "embeddings": 4},
        quick={"dim": (16, 128)},
    ),
}
