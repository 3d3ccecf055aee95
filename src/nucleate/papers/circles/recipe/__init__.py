"""The paper's network, and where its embedding starts."""

from nucleate.papers.circles.recipe.network import KEPT, TRAIN_SHARE, CircleNetwork
from nucleate.papers.circles.recipe.starts import (
    ConstructedStart,
    GivenStart,
    KeptStart,
    PerturbedStart,
    RandomStart,
    Start,
)

__all__ = [
    "KEPT",
    "TRAIN_SHARE",
    "CircleNetwork",
    "ConstructedStart",
    "GivenStart",
    "KeptStart",
    "PerturbedStart",
    "RandomStart",
    "Start",
]
