"""When networks have trained long enough for what is asked of them, in optimiser steps."""

from nucleate.claims import Revision

RATES = 2000
"""For rates, trends and shapes: one circle more or less in a few networks moves none of these far. In a pilot of twelve
networks seven had the survivors that they had at 2,000 steps by 1,000, and nine by 1,500."""

COUNTS = 4000
"""For the number of circles of each network: of 16 networks none changed it after 3,000 steps."""

TRAINED = 30_000
"""For the end of training. App. E: "In each experiment, the model is trained for 3×10⁴ steps.\""""


def any_length(verdict: str) -> Revision:
    """A rule that was the same but for the steps from which on it is judged, and its verdict."""
    return Revision(
        "The same, of runs of any length.", verdict, "a run much shorter than the paper's decides nothing about it."
    )
