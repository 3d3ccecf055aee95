"""Every experiment's config with wrong types and values in its fields, from Python and from JSON.

A config is made whose fields are of their types, or a `ValueError` names the class and the field that is wrong.
"""

import dataclasses
import random
import re
import traceback
import types
import typing
from typing import Any, ClassVar, final

import numpy as np
from tests.attack.case import Attack, Case
from tests.attack.ground import place
from tests.papers.toy_paper import Lines

from nucleate.machine import TooLarge
from nucleate.papers import PAPERS, Experiment, Later, paper

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, 3, -1, 10**6, 2**31, 2**63, 2**64, 10**30, 0.0, 0.5, 1.0, 1.5, -0.5, 1e-300, 1e308),
    *(float("nan"), float("inf"), -float("inf"), 1j, "", "x", "1", "[/bold]", "regression", b"x", (), [], {}, set()),
    *((1,), (1, 2), (0.1, -0.1), ("x",), (None,), ((1,), 2), [1, 2], {"a": 1}, object(), int, len, np.array([1, 2])),
    *(np.float32(0.5), np.int64(3), np.nan, range(3), lambda: 0, Ellipsis, (float("nan"),), (10**30,), "é\ud800"),
)


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of an annotated type. An int is a good float.

    >>> fits(1, float), fits(1.0, int), fits((1, 2), tuple[int, ...]), fits(None, int | None), fits("a", int)
    (True, False, True, True, False)
    """
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return fits(value, inner[0])
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, each) for each in inner)
    if origin is typing.Literal:
        return any(value is each or (type(value) is type(each) and value == each) for each in inner)
    if origin is tuple and inner[-1:] == (Ellipsis,):
        return isinstance(value, tuple) and all(fits(item, inner[0]) for item in value)
    if origin is tuple:
        return isinstance(value, tuple) and len(value) == len(inner) and all(map(fits, value, inner))
    if hint in (int, float):
        return isinstance(value, (int, np.integer) if hint is int else (int, float, np.integer, np.floating))
    return value is None if hint in (None, type(None)) else isinstance(value, origin or hint)


@final
class Configs(Attack):
    """One or two fields of one experiment are replaced by anything, or its JSON is not what `to_json` wrote."""

    name: ClassVar[str] = "configs"
    enough: ClassVar[int] = 300

    def __init__(self):
        sizes = [each for name in PAPERS for each in paper(name).experiments.values()]
        self._configs: list[Experiment] = [
            *{type(each.paper): each.quick or each.standard or each.paper for each in sizes}.values(),
            Lines(),
        ]

    def case(self, number: int, rng: random.Random) -> Case:
        config = self._configs[number % len(self._configs)]
        names = [field.name for field in dataclasses.fields(config)]
        chosen = {name: rng.choice(VALUES) for name in rng.sample(names, rng.choice((1, 1, 1, 2)))}
        way = rng.choice(("constructor", "constructor", "from_json", "other json"))
        if way == "other json":
            return self._other_json(type(config), config.to_json(), rng)
        words = ", ".join(f"{name}={value!r}" for name, value in chosen.items())
        return Case(f"{type(config).__name__}({words}) by {way}", lambda: _strike(config, chosen, way))

    def _other_json(self, kind: type[Experiment], fields: dict[str, Any], rng: random.Random) -> Case:
        whole = rng.choice((None, [], "x", 3, {}, list(fields.items()), {1: 2}))
        hints = typing.get_type_hints(kind, include_extras=True)
        # Those that came later may be missing from an older file.
        lost = rng.choice([name for name in fields if Later not in getattr(hints[name], "__metadata__", ())])
        missing = {name: value for name, value in fields.items() if name != lost}
        given = rng.choice((whole, missing, fields | {"no_such_field": 1}, fields | {"": None}, {None: 1, **missing}))
        return Case(f"{kind.__name__}.from_json({given!r:.200})", lambda: _refused(kind, given))


def _strike(config: Experiment, chosen: dict[str, Any], way: str) -> str:
    kind, hints = type(config), typing.get_type_hints(type(config), include_extras=True)
    try:
        made = (
            kind.from_json(config.to_json() | chosen) if way == "from_json" else dataclasses.replace(config, **chosen)
        )
    except ValueError as error:
        named = isinstance(error, TooLarge) or re.search(r"[A-Z]\w+\.\w+", str(error))  # that says what to reduce
        return "" if named else f"names no field: {place(_said(error))}"
    except Exception as error:
        return f"not a ValueError: {place(_said(error))}"
    bad = [name for name in chosen if not fits(getattr(made, name), hints[name])]
    return f"accepted: {kind.__name__}.{bad[0]} = {getattr(made, bad[0])!r}" if bad else ""


def _refused(kind: type[Experiment], fields: Any) -> str:
    try:
        made = kind.from_json(fields)
    except ValueError as error:
        return "" if kind.__name__ in str(error) else f"does not name {kind.__name__}: {error}"
    except Exception as error:
        return f"not a ValueError: {place(_said(error))}"
    return f"accepted: {made!r:.200}"


def _said(error: Exception) -> str:
    return "".join(traceback.format_exception(error))
