"""Configs: frozen dataclasses whose fields check themselves, and that JSON can hold."""

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar, final, get_type_hints

from nucleate.checking import Checked

_Config = TypeVar("_Config", bound="Config")  # for `Self`, which runtime checks of single methods cannot resolve


@final
class Later:
    """An annotation of a field that older files lack: in them it has its default, with which all was as before."""


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

        Fields may be missing only if they came `Later` than the file: any other that is missing was lost.
        """
        hints = get_type_hints(cls, include_extras=True)
        known = {field.name for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
        if not isinstance(fields, Mapping):
            raise ValueError(f"{cls.__name__} must be an object of the fields {sorted(known)}; got {fields!r}.")
        later = {name for name in known if Later in getattr(hints[name], "__metadata__", ())}
        if wrong := (set(fields) ^ known) - (later - set(fields)):
            raise ValueError(f"{cls.__name__} has other fields than this config: {sorted(wrong, key=str)}.")
        return cls(**{name: tuples(value) for name, value in fields.items()})


def tuples(value: Any) -> Any:
    """What JSON holds, with tuples for its lists."""
    return tuple(map(tuples, value)) if isinstance(value, list | tuple) else value
