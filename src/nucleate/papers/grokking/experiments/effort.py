"""How much is computed where nothing is trained."""

from dataclasses import dataclass

from nucleate.papers.paper import Sizes


@dataclass(frozen=True)
class Effort:
    """How much is drawn at random where nothing is trained."""

    training_sets: int = 10_000
    """Random training sets of each size."""
    embeddings: int = 10_000
    """Random embeddings, to try Proposition 1 on."""
    decoders: int = 500
    """Random linear decoders, to try Proposition 2 on."""
    representations: int = 2000
    """Random representations, whose quality should be zero."""


EFFORT = Sizes.of(Effort(), quick={"training_sets": 500, "embeddings": 500, "representations": 500})
