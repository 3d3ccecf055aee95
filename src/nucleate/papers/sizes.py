"""How much a replication may cost: three budgets, and something at each of them."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_AS_IT_IS: Mapping[str, Any] = MappingProxyType({})


class Budget(StrEnum):
    """How much a replication may cost."""

    QUICK = "quick"
    STANDARD = "standard"
    PAPER = "paper"


@dataclass(frozen=True)
class Sizes(Generic[T]):
    """Something at the three budgets, side by side.

    >>> @dataclass(frozen=True)
    ... class Draws:
    ...     sets: int
    >>> Sizes.of(Draws(1000), quick={"sets": 10}).at(Budget.QUICK)
    Draws(sets=10)

    What would show nothing in a quick run, or cost too much of a standard one, has None there: it is left to larger
    budgets.

    >>> Sizes.of(Draws(1000), standard=None).at(Budget.STANDARD) is None
    True
    """

    paper: T
    standard: T | None
    quick: T | None

    @classmethod
    def of(
        cls,
        paper: T,
        *,
        standard: Mapping[str, Any] | None = _AS_IT_IS,
        quick: Mapping[str, Any] | None = _AS_IT_IS,
    ):
        """`paper`'s own size; `standard` changes some of its fields, and `quick` some of those, or leaves it out."""
        if standard is None:  # nor is there anything for a quick run to make smaller
            return cls(paper, None, None)
        middle = _changed(paper, standard, "standard")
        return cls(paper, middle, None if quick is None else _changed(middle, quick, "quick"))

    def at(self, budget: Budget) -> T | None:
        return getattr(self, budget)

    def each(self, change: Callable[[T], T]) -> "Sizes[T]":
        """All three of them, changed."""
        larger = (None if size is None else change(size) for size in (self.standard, self.quick))
        return Sizes(change(self.paper), *larger)


def _changed(larger: T, changes: Mapping[str, Any], size: str) -> T:
    """A dataclass with some of its fields changed."""
    known = [field.name for field in dataclasses.fields(larger) if field.init]  # type: ignore[arg-type]
    if unknown := [name for name in changes if name not in known]:
        raise ValueError(
            f"Sizes.of: {size} changes {', '.join(map(repr, unknown))}, which {type(larger).__name__} does not have; "
            f"its fields are {', '.join(known)}."
        )
    return dataclasses.replace(larger, **changes)  # type: ignore[type-var]
