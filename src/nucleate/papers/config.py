"""Configs: frozen dataclasses whose fields check themselves, and that JSON can hold."""

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar, final

from nucleate.checking import Above as Above  # bounds are for the fields of configs, so they are found here, too
from nucleate.checking import AtLeast as AtLeast
from nucleate.checking import AtMost as AtMost
from nucleate.checking import Below as Below
from nucleate.checking import Bound as Bound
from nucleate.checking import Checked
from nucleate.checking import Count as Count
from nucleate.checking import Infinite as Infinite
from nucleate.checking import Seed as Seed

_Config = TypeVar("_Config", bound="Config")  # for `Self`, which runtime checks of single methods cannot resolve


class Config(Checked):
    """A description that is checked when it is made, see `Checked`. Implementations are frozen dataclasses.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Sweep(Config):
    ...     rates: tuple[float, ...] = (0.1,)
    >>> Sweep.from_json(Sweep().to_json())
    Sweep(rates=(0.1,))
    >>> Sweep.from_json({"rates": "fast"})
    Traceback (most recent call last):
    ValueError: Sweep.rates must be a tuple of numbers; got 'fast'.
    """

    @final
    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)  # type: ignore[call-overload]

    @final
    @classmethod
    def from_json(cls: type[_Config], fields: Mapping[str, Any]) -> _Config:
        """The config that `to_json` wrote, read back from a file, which has lists for tuples.

        An older file may lack fields that came later: they have their defaults, with which all was as before.
        """
        known = {field.name: field for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
        if not isinstance(fields, Mapping):
            raise ValueError(f"{cls.__name__} must be an object of the fields {sorted(known)}; got {fields!r}.")
        required = {name for name, field in known.items() if field.default is dataclasses.MISSING}
        if wrong := (set(fields) - known.keys()) | (required - set(fields)):
            raise ValueError(f"{cls.__name__} has other fields than this config: {sorted(wrong, key=str)}.")
        return cls(**{name: _tuples(value) for name, value in fields.items()})


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list | tuple) else value
