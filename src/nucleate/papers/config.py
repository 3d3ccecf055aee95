"""Configs: frozen dataclasses whose fields check themselves, and that JSON can hold."""

import abc
import dataclasses
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, final

_Config = TypeVar("_Config", bound="Config")  # for `Self`, which runtime checks of single methods cannot resolve


class Bound(abc.ABC):
    """What a field's numbers must be: an annotation, `Annotated[int, AtLeast(1)]`."""

    @abc.abstractmethod
    def holds(self, value: float) -> bool: ...

    @abc.abstractmethod
    def __str__(self) -> str: ...


@final
@dataclass(frozen=True)
class AtLeast(Bound):
    """x ≥ low"""

    low: float

    def holds(self, value: float) -> bool:
        return value >= self.low

    def __str__(self) -> str:
        return f">= {self.low:g}"


@final
@dataclass(frozen=True)
class Above(Bound):
    """x > low"""

    low: float

    def holds(self, value: float) -> bool:
        return value > self.low

    def __str__(self) -> str:
        return f"> {self.low:g}"


class Config:
    """A description that is checked when it is made. Implementations are frozen dataclasses.

    A field annotated with a bound, or a tuple of such numbers, must be within it; a tuple with a bound must not be
    empty. What several fields must be together is checked by `check`.

    >>> from typing import Annotated
    >>> @dataclass(frozen=True)
    ... class Sweep(Config):
    ...     rates: Annotated[tuple[float, ...], Above(0)] = (0.1,)
    >>> Sweep(rates=(0.1, -1))
    Traceback (most recent call last):
    ValueError: Sweep.rates must be > 0; got -1.
    >>> Sweep.from_json(Sweep().to_json())
    Sweep(rates=(0.1,))
    """

    @final
    def __post_init__(self):
        for name, hint in typing.get_type_hints(type(self), include_extras=True).items():
            bounds = [extra for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, Bound)]
            value = getattr(self, name)
            if not bounds or value is None:
                continue
            if isinstance(value, tuple) and not value:
                self.refuse(name, "needs at least one value; got none")
            for number in value if isinstance(value, tuple) else (value,):
                for bound in bounds:
                    if not bound.holds(number):
                        self.refuse(name, f"must be {bound}; got {number}")
        self.check()

    def check(self) -> None:
        """Refuse fields that do not go together, with `refuse`."""
        return

    @final
    def refuse(self, name: str, why: str) -> typing.NoReturn:
        """Say what is wrong with a field: "must be <= 54 for p = 10; got 60"."""
        raise ValueError(f"{type(self).__name__}.{name} {why}.")

    @final
    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)  # type: ignore[call-overload]

    @final
    @classmethod
    def from_json(cls: type[_Config], fields: Mapping[str, Any]) -> _Config:
        """The config that `to_json` wrote, read back from a file, which has lists for tuples."""
        known = {field.name for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
        if set(fields) != known:
            raise ValueError(f"{cls.__name__} has other fields than this config: {sorted(set(fields) ^ known)}.")
        return cls(**{name: _tuples(value) for name, value in fields.items()})


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list | tuple) else value
