"""JSON files as input: parsed into frozen dataclasses, field by field, or refused in one line."""

import dataclasses
import functools
import json
import reprlib
import sys
import types
import typing
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

from nucleate.checking import Infinite
from nucleate.record.disk import write_atomically
from nucleate.record.schema import RunError

_REST = "rest"
_NOTHING = type(None)


def read(kind: Any, file: Path) -> Any:
    """The file as a `kind` (see `parse`); a `RunError` names the file, the field, its value and what would be right."""
    return read_as(kind, read_tree(file), file)


def read_as(kind: Any, tree: Any, file: Path) -> Any:
    """What was read from the file, as a `kind`."""
    try:
        return parse(kind, tree)
    except ValueError as problem:
        raise RunError(f"{file}: {problem}") from None


def read_tree(file: Path) -> Any:
    """What a JSON file holds, whatever it is."""
    try:
        tree = json.loads(file.read_bytes())
        json.dumps(tree, ensure_ascii=False).encode()  # half a surrogate pair could not be printed
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise RunError(f"{file} cannot be read: {reason}.") from error
    return tree


def update(kind: type, file: Path, /, **changes: Any) -> None:
    """Change fields of the file, which holds a `kind`, or make it; atomically, and other fields stay as they are."""
    before = read_tree(file) if file.exists() else {}
    read_as(Mapping[str, Any], before, file)
    text = json.dumps(before | changes, indent=2, default=str)
    read_as(kind, json.loads(text), file)  # what could not be read is not written
    write_atomically(file, f"{text}\n".encode())


def fields(document: Any) -> dict[str, Any]:
    """What a file says: the fields of its dataclass, without those that are None, and its `rest`."""
    known = {name: value for name, value in dataclasses.asdict(document).items() if value is not None}
    rest = known.pop(_REST, {})
    return known | rest


def parse(kind: Any, tree: Any, where: str = "") -> Any:
    """A JSON tree as a `kind`: a dataclass, a plain type, or an optional, tuple, mapping, enumeration or choice.

    What an object has beyond the fields of its dataclass is let pass; it goes to the field `rest`, if there is one. A
    `ValueError` tells by its path what is not as it should be; so does one that a dataclass raises in its constructor.

    >>> @dataclasses.dataclass(frozen=True)
    ... class Fleet:
    ...     status: Literal["running", "complete"]
    ...     seeds: tuple[int, ...] = ()
    >>> parse(Fleet, {"status": "running", "seeds": [1, 2], "mood": "good"})
    Fleet(status='running', seeds=(1, 2))
    >>> parse(Fleet, {"status": "running", "seeds": [1, "2"]})
    Traceback (most recent call last):
    ValueError: seeds[1] must be a whole number; got '2'.
    """
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return tree
    if origin is Annotated:  # the bounds of numbers are checked by who makes them; infinite ones are text in JSON
        infinite = any(isinstance(note, Infinite) for note in parts[1:]) and tree in ("Infinity", "-Infinity")
        return float(tree) if infinite else parse(parts[0], tree, where)
    if dataclasses.is_dataclass(kind):
        return _object(kind, tree, where)
    if origin in (typing.Union, types.UnionType):
        (other,) = (part for part in parts if part is not _NOTHING)
        return None if tree is None else parse(other, tree, where)
    if origin is tuple:
        return _tuple(parts, tree, where)
    if origin is Mapping:
        _expect(isinstance(tree, dict), "an object", tree, where)
        return {key: parse(parts[1], value, _below(where, key)) for key, value in tree.items()}
    if origin is Literal:
        _expect(tree in parts, f"one of {', '.join(map(str, parts))}", tree, where)
        return tree
    if issubclass(kind, Enum):
        _expect(
            tree in [choice.value for choice in kind],
            f"one of {', '.join(choice.value for choice in kind)}",
            tree,
            where,
        )
        return kind(tree)
    return _plain(kind, tree, where)


def _object(kind: Any, tree: Any, where: str) -> Any:
    _expect(isinstance(tree, dict), "an object", tree, where)
    hints = _hints(kind)
    known = {field.name: field for field in dataclasses.fields(kind) if field.name != _REST}
    for name, field in known.items():
        if name not in tree and field.default is field.default_factory is dataclasses.MISSING:
            raise ValueError(f"{_below(where, name)} is missing.")
    given = {name: parse(hints[name], tree[name], _below(where, name)) for name in known if name in tree}
    if _REST in hints:
        given[_REST] = {name: value for name, value in tree.items() if name not in known}
    try:
        return kind(**given)
    except ValueError as refusal:
        raise ValueError(_below(where, str(refusal))) from None


@functools.cache
def _hints(kind: type) -> Mapping[str, Any]:
    return typing.get_type_hints(kind, include_extras=True)


def _tuple(parts: tuple, tree: Any, where: str) -> tuple:
    endless = parts[-1] is Ellipsis
    _expect(isinstance(tree, list), "a list", tree, where)
    _expect(endless or len(tree) == len(parts), f"a list of {len(parts)}", tree, where)
    kinds = parts[:1] * len(tree) if endless else parts
    return tuple(parse(kind, item, f"{where}[{i}]") for i, (kind, item) in enumerate(zip(kinds, tree, strict=True)))


def _plain(kind: Any, tree: Any, where: str) -> Any:
    if kind is float:
        # Whole numbers are numbers, and JSON does not keep 2.0 apart from 2; true and false are not numbers.
        _expect(type(tree) in (int, float) and abs(tree) <= sys.float_info.max, "a finite number", tree, where)
        return float(tree)
    _expect(type(tree) is kind, {str: "text", int: "a whole number", bool: "true or false"}[kind], tree, where)
    return tree


def _expect(holds: bool, what: str, tree: Any, where: str) -> None:
    if not holds:
        raise ValueError(f"{where or 'the whole'} must be {what}; got {reprlib.repr(tree)}.")


def _below(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
