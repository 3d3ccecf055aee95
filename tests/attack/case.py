"""What an attack is: cases without end, each of which can be found again by its number and a seed."""

import abc
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Case:
    """One attempt to break something. `what`: in words; `strike` carries it out and says what went wrong, or ""."""

    what: str
    strike: Callable[[], str]


class Attack(abc.ABC):
    """A kind of attack, with everything it needs prepared in the current folder, which it may fill.

    `enough`: the number of cases that the test suite strikes. `seconds`: after which a case counts as hanging.
    """

    name: ClassVar[str]
    enough: ClassVar[int]
    seconds: ClassVar[float] = 120.0  # of the clock, and other work may share the cores

    @abc.abstractmethod
    def case(self, number: int, rng: random.Random) -> Case:
        """The case of that number. All chance is drawn from `rng`, so that the case does not depend on those before."""


def chance(kind: str, seed: int, number: int) -> random.Random:
    """The chance of one case.

    >>> chance("kills", 0, 7).random() == chance("kills", 0, 7).random()
    True
    """
    return random.Random(f"{kind} {seed} {number}")
