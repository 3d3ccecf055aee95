"""Annotations and values in the words of a message."""

import inspect
import types
import typing
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, SupportsIndex, Union

from nucleate.checking.bounds import Bound, Limit

_NOUNS: dict[Any, tuple[str, str]] = {  # one, and many
    int: ("a whole number", "whole numbers"),
    SupportsIndex: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    str: ("text", "texts"),
    bool: ("True or False", "True or False"),
    Path: ("a path", "paths"),
    tuple: ("a tuple", "tuples"),
}


def words(hint: Any, many: bool = False, outer: tuple[Bound, ...] = ()) -> str:
    """What an annotation asks for: "a tuple of whole numbers >= 1, or None"."""
    bounds = (*outer, *bounds_of(hint))
    origin, parts = taken_apart(hint)
    if origin is Union:
        return ", or ".join(dict.fromkeys(words(part, many, bounds) for part in parts))
    if origin is Literal:
        return f"one of {', '.join(map(repr, parts))}"
    if origin is tuple and parts[-1:] == (...,):
        return f"{'tuples' if many else 'a tuple'} of {words(parts[0], True, bounds)}"
    if origin is tuple and hint is not tuple:
        return f"({', '.join(words(part, False, bounds) for part in parts)})"
    limits = limits_of(bounds) if origin in (int, float) else ""
    return f"{_noun(origin, many)} {limits}".strip()


def limits_of(bounds: Iterable[Bound]) -> str:
    """>= 0 and < 1"""
    return " and ".join(str(bound) for bound in bounds if isinstance(bound, Limit))


def shown(value: Any) -> str:
    """A value for a message: in one line, and not too long.

    >>> shown(list(range(100)))
    '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, …'
    """
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python writes no integer of more than 4300 digits
        text = "a number of thousands of digits"
    return text if len(text) <= 60 else f"{text[:59]}…"


def taken_apart(hint: Any) -> tuple[Any, tuple]:
    """What an annotation is of, without bounds: a class, `Union`, `Literal` or something else; and its parts."""
    while typing.get_origin(hint) is Annotated:
        hint = hint.__origin__
    origin = typing.get_origin(hint) or (types.NoneType if hint is None else hint)
    return Union if origin is types.UnionType else origin, typing.get_args(hint)


def bounds_of(hint: Any) -> list[Bound]:
    return [extra for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, Bound)]


def is_of_arrays(kind: Any) -> bool:
    # By name: whoever only reads results has no JAX. jaxtyping's annotations have an `array_type`.
    name = getattr(kind, "__name__", "").rpartition(".")[-1]
    return hasattr(kind, "array_type") or name in ("Array", "ndarray")


def _noun(kind: Any, many: bool) -> str:
    if kind is types.NoneType:
        return "None"
    if is_of_arrays(kind):
        return "arrays of numbers" if many else "an array of numbers"
    if kind in _NOUNS:
        return _NOUNS[kind][many]
    name = getattr(kind, "__name__", str(kind))
    room = ".".join(getattr(kind, "__module__", "").split(".")[:2])
    choices = kind.__subclasses__() if inspect.isabstract(kind) else []
    listed = ", ".join(sorted(each.__name__ for each in choices if each.__module__.startswith(f"{room}.")))
    noun = f"objects of {name}" if many else f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
    return f"{noun} ({listed})" if listed else noun
