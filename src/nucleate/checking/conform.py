"""Whether a value is what an annotation asks for: its type, then its bounds."""

import enum
import math
import operator
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, Union, cast

from nucleate.checking.bounds import Bits, Infinite, Limit
from nucleate.checking.tensors import detached
from nucleate.checking.words import bounds_of, is_of_arrays, limits_of, shown, taken_apart, words


def conform(name: str, value: Any, hint: Any) -> Any:
    """`value` as an annotation wants it, or a `ValueError` that says what it must be.

    >>> from nucleate.checking import Count
    >>> conform("MLP.sizes", [1, 20], tuple[Count, ...])
    (1, 20)
    >>> conform("MLP.sizes", 20, tuple[Count, ...])
    Traceback (most recent call last):
    ValueError: MLP.sizes must be a tuple of whole numbers >= 1; got 20.
    """
    try:
        right = _typed(value, hint)
    except _OtherType:
        raise ValueError(f"{name} must be {words(hint)}; got {shown(value)}.") from None
    for problem in _problems(right, hint):
        raise ValueError(f"{name} {problem}.")
    return right


class _OtherType(Exception):
    """The value is not of the annotated type."""


def _typed(value: Any, hint: Any) -> Any:
    """The value in the annotated type."""
    origin, parts = taken_apart(hint)
    if origin is Union:
        return _any_of(value, parts)
    if origin is Literal:
        value = _plain(value)
        return _if(any(type(value) is type(part) and value == part for part in parts), value)
    if origin is tuple and hint is not tuple:  # of nothing in particular, it is like any other class
        return _tuple(value, parts)
    if is_of_arrays(origin):
        value = detached("it", value)
        return _if(hasattr(value, "shape") or isinstance(value, int | float | complex | list | tuple), value)
    if origin in (int, float, bool):
        value = _plain(value)
        kind = (int, float) if origin is float else origin
        return _if(isinstance(value, kind) and (origin is bool) == isinstance(value, bool), value)
    if origin is Path:
        return Path(_if(isinstance(value, str | Path), value))
    if not isinstance(origin, type) or _cannot_tell(origin):
        return value
    if issubclass(origin, enum.Enum) and isinstance(value, str | int) and value in [each.value for each in origin]:
        return origin(value)
    text_for_items = isinstance(value, str | bytes) and origin is not str and issubclass(origin, Iterable)
    return _if(isinstance(value, origin) and not text_for_items, value)


def _if(good: bool, value: Any) -> Any:
    if not good:
        raise _OtherType
    return value


def _any_of(value: Any, hints: tuple) -> Any:
    for hint in hints:
        try:
            return _typed(value, hint)
        except _OtherType:
            continue
    raise _OtherType


def _tuple(value: Any, hints: tuple) -> tuple:
    if getattr(value, "shape", ()) and hasattr(value, "tolist"):
        value = value.tolist()
    _if(isinstance(value, tuple | list), value)
    if hints[-1:] == (...,):
        hints = hints[:1] * len(value)
    _if(len(hints) == len(value), value)
    made = tuple(map(_typed, value, hints))
    return value if isinstance(value, tuple) and all(map(operator.is_, made, value)) else made


def _plain(value: Any) -> Any:
    """A scalar of NumPy, or an array without axes, as a Python number."""
    if getattr(value, "shape", None) != () or not hasattr(value, "item"):
        return value
    try:
        return value.item()
    except Exception:  # JAX is tracing, and has no number yet
        raise _OtherType from None


def _cannot_tell(kind: type) -> bool:
    """Whether `isinstance` is of no use: `Any`, jaxtyping's trees, and protocols for static checkers alone."""
    is_protocol = getattr(kind, "_is_protocol", False) and not getattr(kind, "_is_runtime_protocol", False)
    return kind is Any or is_protocol or type(kind).__module__.startswith("jaxtyping")


def _problems(value: Any, hint: Any, may_be_infinite: bool = False) -> Iterator[str]:
    """What is wrong with the numbers of a value that has the right type."""
    bounds = bounds_of(hint)
    may_be_infinite |= any(isinstance(bound, Infinite) for bound in bounds)
    origin, parts = taken_apart(hint)
    if isinstance(value, tuple) and not value and (bounds or any(map(bounds_of, parts))):
        yield "needs at least one value; got none"
    for bound in bounds:
        asked = limits_of(bounds) if isinstance(bound, Limit) else str(bound)
        yield from (f"must be {asked}; got {shown(number)}" for number in _numbers(value) if not bound.holds(number))
    if origin is Union:
        yield from _problems(value, next(part for part in parts if _fits(value, part)), may_be_infinite)
    elif origin is tuple and parts:
        for item, part in zip(value, parts[:1] * len(value) if parts[-1:] == (...,) else parts, strict=True):
            yield from _problems(item, part, may_be_infinite)
    elif origin is float and not may_be_infinite and not _is_finite(cast(float, value)):
        yield f"must be finite; got {shown(value)}"
    elif origin is int and not Bits(63).holds(cast(int, value)):
        yield f"must be {Bits(63)}; got {shown(value)}"


def _fits(value: Any, hint: Any) -> bool:
    try:
        _typed(value, hint)
    except _OtherType:
        return False
    return True


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer too large for a float
        return False


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, tuple):
        for item in value:
            yield from _numbers(item)
    elif value is not None:
        yield value
