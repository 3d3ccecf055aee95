"""The fleets behind the paper's figures: their names, their config, and the three sizes of each."""

from nucleate.papers.circles.experiments.fleet import VARIANTS, CircleFleet
from nucleate.papers.circles.experiments.sizes import (
    ABLATED,
    COMPETITION,
    COMPOSITES,
    DECAY,
    DIMENSIONS,
    DYNAMICS,
    EXPERIMENTS,
    FROZEN,
    FROZEN_LARGE,
    LINES,
    LONG,
    NO_DECAY,
    PERTURBED,
    PRIMES,
    ROUND,
    STRONGEST,
    SURVIVAL,
)

__all__ = [
    "ABLATED",
    "COMPETITION",
    "COMPOSITES",
    "DECAY",
    "DIMENSIONS",
    "DYNAMICS",
    "EXPERIMENTS",
    "FROZEN",
    "FROZEN_LARGE",
    "LINES",
    "LONG",
    "NO_DECAY",
    "PERTURBED",
    "PRIMES",
    "ROUND",
    "STRONGEST",
    "SURVIVAL",
    "VARIANTS",
    "CircleFleet",
]
