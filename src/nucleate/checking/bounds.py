"""What numbers must be, as part of an annotation: `Annotated[int, AtLeast(1)]`."""

import abc
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, final


class Bound(abc.ABC):
    """What numbers must be: an annotation, `Annotated[int, AtLeast(1)]`."""

    @abc.abstractmethod
    def holds(self, value: float) -> bool: ...

    @abc.abstractmethod
    def __str__(self) -> str: ...


@dataclass(frozen=True)
class Limit(Bound):
    """A number on one side of another."""

    limit: float
    sign: ClassVar[str]
    compare: ClassVar[Callable[[float, float], bool]]

    def holds(self, value: float) -> bool:
        return self.compare(value, self.limit)

    def __str__(self) -> str:
        return f"{self.sign} {self.limit}"


@final
class AtLeast(Limit):
    """x ≥ limit"""

    sign, compare = ">=", operator.ge


@final
class Above(Limit):
    """x > limit"""

    sign, compare = ">", operator.gt


@final
class AtMost(Limit):
    """x ≤ limit"""

    sign, compare = "<=", operator.le


@final
class Below(Limit):
    """x < limit"""

    sign, compare = "<", operator.lt


@final
@dataclass(frozen=True)
class Bits(Bound):
    """|x| < 2^bits: what the numbers of a machine can hold, which goes without saying."""

    bits: int

    def holds(self, value: float) -> bool:
        return abs(value) < 2**self.bits

    def __str__(self) -> str:
        return f"< 2**{self.bits}"


@final
@dataclass(frozen=True)
class Infinite(Bound):
    """x may be ±∞, which no number may be without this."""

    def holds(self, value: float) -> bool:
        return not math.isnan(value)

    def __str__(self) -> str:
        return "a number or ±inf"


Count = Annotated[int, AtLeast(1), Bits(31)]
"""A number of things, one or more: sizes and steps are 32-bit integers in JAX."""

Seed = Annotated[int, AtLeast(0), Bits(32)]
"""Where random numbers start: JAX tells 2³² seeds apart."""
