"""The options of a paper's experiments: read from a file beside its code, so that none of that is imported for help."""

import ast
import dataclasses
import inspect
import itertools
import json
import textwrap
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nucleate.papers.config import tuples
from nucleate.record import document

FILE = "options.json"


@dataclass(frozen=True)
class Option:
    """A field of a config: its name, its type as Python writes it, and what it means."""

    name: str
    kind: str
    meaning: str


@dataclass(frozen=True)
class Fields:
    """A config: what it says of itself, which of its fields says how many networks are otherwise alike, and all."""

    about: str
    repeats: str
    options: tuple[Option, ...]

    def kinds(self) -> Mapping[str, Any]:
        """The type of each field.

        >>> Fields("", "seeds", (Option("p", "tuple[int, ...]", "Moduli."),)).kinds()
        {'p': tuple[int, ...]}
        """
        config = type("Config", (), {"__annotations__": {each.name: each.kind for each in self.options}})
        return typing.get_type_hints(config, vars(typing) | {"typing": typing})


@dataclass(frozen=True)
class Values:
    """An experiment: its config, and the fields' values at the paper's size; what they are at others, None if it has
    no such size."""

    config: str
    paper: Mapping[str, Any]
    standard: Mapping[str, Any] | None
    quick: Mapping[str, Any] | None

    def at(self, budget: str) -> Mapping[str, Any] | None:
        changes = {} if budget == "paper" else getattr(self, budget)
        return None if changes is None else {name: tuples(value) for name, value in {**self.paper, **changes}.items()}


@dataclass(frozen=True)
class Options:
    """Those of all experiments of a paper."""

    configs: Mapping[str, Fields]
    experiments: Mapping[str, Values]


def options(paper: str) -> Options:
    """The options of the experiments of one of nucleate's papers."""
    return document.read(Options, Path(__file__).parent / paper / FILE)


def described_options(experiments: Mapping[str, Any]) -> Options:
    """The options of experiments, each at its sizes, whose configs are imported."""
    kinds = {type(sizes.paper).__name__: type(sizes.paper) for sizes in experiments.values()}
    return Options(
        {name: _fields(kind) for name, kind in kinds.items()},
        {name: _values(sizes) for name, sizes in experiments.items()},
    )


def _fields(kind: Any) -> Fields:
    hints, meanings = typing.get_type_hints(kind), dict(_meanings(kind))
    fields = (
        Option(each.name, inspect.formatannotation(hints[each.name]), meanings.get(each.name, ""))
        for each in dataclasses.fields(kind)
    )
    return Fields(inspect.cleandoc(kind.__doc__ or ""), kind.repeats, tuple(fields))


def _values(sizes: Any) -> Values:
    """As JSON has them."""
    paper, *others = (
        size and json.loads(json.dumps(size.to_json())) for size in (sizes.paper, sizes.standard, sizes.quick)
    )
    changes = (each and {name: value for name, value in each.items() if value != paper[name]} for each in others)
    return Values(type(sizes.paper).__name__, paper, *changes)


def _meanings(kind: type) -> Iterator[tuple[str, str]]:
    """What the source says of each field of a dataclass, in the line below it."""
    for each in reversed(kind.__mro__):
        if dataclasses.is_dataclass(each):
            (made,) = ast.parse(textwrap.dedent(inspect.getsource(each))).body
            for field, below in itertools.pairwise(made.body):  # type: ignore[attr-defined]
                match field, below:
                    case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                        yield name, " ".join(text.split())
