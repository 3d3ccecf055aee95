"""How sure intervals are, and how looks at growing evidence share what they may be wrong."""

import contextlib
import math
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated

from nucleate.checking import Above, Below, Checked, checked

ERROR = 0.05
"""The share of intervals that may miss the truth, over all looks at the evidence."""

_Share = Annotated[float, Above(0), Below(1)]
_Asked = Callable[[], None]

_now: ContextVar[tuple[float, _Asked]] = ContextVar("level", default=(1 - ERROR, lambda: None))


def level() -> float:
    """The share of intervals that are to hold the truth where this is asked.

    >>> level()
    0.95
    """
    value, asked = _now.get()
    asked()
    return value


@checked
def at_level(share: _Share, asked: _Asked = lambda: None) -> contextlib.AbstractContextManager[None]:
    """Within this block, intervals hold the truth with probability `share`; `asked` is called when one is made.

    >>> with at_level(0.99):
    ...     level()
    0.99
    """
    return _at_level(share, asked)


@contextlib.contextmanager
def _at_level(share: float, asked: _Asked) -> Iterator[None]:
    token = _now.set((share, asked))
    try:
        yield
    finally:
        _now.reset(token)


@dataclass(frozen=True)
class Looks(Checked):
    """Planned looks at evidence that grows in between, and the probability that each of them is wrong.

    By Bonferroni, all intervals of a claim hold the truth with a probability of at least 1 − Σₖ errorsₖ, whenever it is
    decided to stop. So the sum is at most 5 %, and the plan is made before the first look.

    >>> print(Looks((0.03, 0.02)))
    2 looks, with intervals of 97 % and 98 %
    """

    errors: tuple[_Share, ...] = (ERROR,)

    def check(self) -> None:
        if not self.errors or math.fsum(self.errors) > ERROR * (1 + 1e-9):
            self.refuse("errors", f"must be one or more with a sum of at most {ERROR}; got {self.errors}")

    @property
    def count(self) -> int:
        return len(self.errors)

    def level(self, look: int) -> float:
        """Of the intervals at a look, counted from 1."""
        return 1 - self.errors[look - 1]

    def __str__(self) -> str:
        levels = list(dict.fromkeys(percent(1 - error) for error in self.errors))
        looks = "1 look" if self.count == 1 else f"{self.count} looks"
        return f"{looks}, with intervals of {' and '.join(levels)}"


ONCE = Looks()
"""A single look."""

SEQUENTIAL = Looks((0.032, 0.0045, 0.0045, 0.0045, 0.0045))
"""Five looks. The first has most of the error, since most claims are decided there, and just enough for the range of
six networks to hold their median (2⁻⁵ = 3.1 %). The others share what is left: with z = 2.84 instead of 1.96 they need
twice as many networks as a single look would, and each has twice as many as the one before."""


def percent(share: float) -> str:
    """
    >>> percent(0.9955), percent(0.95)
    ('99.55 %', '95 %')
    """
    return f"{100 * share:.4g} %"
