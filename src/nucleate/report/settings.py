"""Settings as they were set: nested ones by dotted names, unrounded, long lists by their ends."""

from collections.abc import Iterator, Mapping
from typing import Any

_MANY = 12
"""A list that is longer than this is shown by its ends."""


def flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Nested keys joined by dots.

    >>> list(flat({"task": {"p": 10}, "seeds": [0, 1]}))
    [('task.p', 10), ('seeds', [0, 1])]
    """
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def exact(value: Any, most: float = _MANY) -> str:
    """A setting as it was set, unrounded: it must be possible to type it in again. `most`: of a list, in full.

    >>> exact([1e-3, None]), exact(list(range(20)))
    ('0.001, –', '0, 1, 2, …, 18, 19, (20 values)')
    """
    if isinstance(value, list | tuple):
        shown = [exact(item, most) for item in value]
        if len(shown) > most:
            shown = [*shown[:3], "…", *shown[-2:], f"({len(value)} values)"]
        return ", ".join(shown)
    return "–" if value is None else str(value)
