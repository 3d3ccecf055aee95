"""How much is computed where nothing is trained."""

from dataclasses import dataclass

from nucleate.checking import Count
from nucleate.papers.paper import Sizes


@dataclass(frozen=True)
class Effort:
    """How many solutions are drawn at random where nothing is trained."""

    solutions: Count = 200
    """Random solutions of each group, to try identities on."""
    products: Count = 500
    """Random products y * z', to try the norm inequality on."""
    times: Count = 101
    """Points of each path of zero loss."""


EFFORT = Sizes.of(
    Effort(),
    standard={"solutions": 50, "products": 200},
    quick={"solutions": 10, "products": 50, "times": 21},
)
