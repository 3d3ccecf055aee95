"""From when on networks can be judged: before heads form, and before a network has learned, it is too early."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
import xarray as xr

from nucleate.claims import Evidence, Maturity, When
from nucleate.observables import HeadClass
from nucleate.papers.collisions.experiments import LARGE, SMALL
from nucleate.papers.collisions.readings.fleets import fleets
from nucleate.papers.collisions.readings.heads import final_class
from nucleate.record import stayed_finite

UNTRAINED = 0.5
"""Of the variance of accelerations: a network that leaves more unexplained is not a simulator yet."""


@final
@dataclass(frozen=True)
class InEitherBox(Maturity):
    """`holds` of the networks that stayed finite in at least one box; `says` what that means."""

    says: str
    holds: Callable[[xr.Dataset], bool]

    @property
    def experiments(self) -> tuple[str, ...]:
        return (SMALL, LARGE)

    def lacks(self, evidence: Evidence) -> str:
        boxes = fleets(evidence).values()
        if not boxes or any(map(self.holds, boxes)):
            return ""  # where no network is left, none is still to come
        return f"not yet in either box: {self.says}"

    def __str__(self) -> str:
        return f"when, in either box, {self.says}"


def trained(record: xr.Dataset) -> np.ndarray:
    """Which networks have learned enough to be simulators, [member]."""
    return record.fvu.values[:, -1] <= UNTRAINED


def _formed(record: xr.Dataset) -> bool:
    return bool((final_class(stayed_finite(record)) > HeadClass.NONE).any())


FORMED_IN_LARGE = When("a head detects collisions", LARGE, _formed)
TRUE_HEAD = InEitherBox(
    "a head is a true collision head", lambda record: bool((final_class(record) == HeadClass.TRUE).any())
)
TRAINED = InEitherBox(
    f"a network leaves at most {UNTRAINED:.0%} of the variance unexplained", lambda record: bool(trained(record).any())
)
