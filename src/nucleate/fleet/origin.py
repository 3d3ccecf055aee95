"""What made a run, as its run.json says it, and the same made again."""

import dataclasses
import hashlib
import pkgutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from nucleate.fleet.code import file_of, name_of
from nucleate.fleet.files import home_of, import_file
from nucleate.fleet.members import Members
from nucleate.fleet.plan import Plan
from nucleate.fleet.recipe import Recipe
from nucleate.fleet.schedule import Schedule
from nucleate.record import MadeBy, Run, RunError, columns, open_record

_IN_PYTHON = "In Python, `train` with the plan that began it continues it, and `open_run(…, recipe=…)` opens it."


@runtime_checkable
class Maker(Protocol):
    """What a recipe and a plan are made from, and is itself made from a config: a paper's experiment."""

    def recipe(self) -> Recipe: ...
    def plan(self, name: str) -> Plan: ...


def origin_of(plan: Plan) -> dict[str, Any]:
    """What run.json says of where a plan comes from: its maker and that one's config, and which weights are kept."""
    kept = {"keep_weights": {} if plan.keep_weights is None else described(plan.keep_weights)}
    if plan.made_by is None and "config" in plan.about:
        return kept  # of nobody knows what
    kind = plan.made_by or type(plan.recipe)
    config = {} if plan.made_by else {"config": {k: v for k, v in described(plan.recipe).items() if k != _TYPE}}
    return kept | config | {"made_by": vars(MadeBy(name_of(kind), file_of(kind)))}


def plan_of(run: Run) -> Plan:
    """The plan of a run that has been begun, made again."""
    about = run.about
    maker = _maker(run)
    if isinstance(maker, Recipe):
        if about.block is None:
            raise RunError(f"{run.path} was stopped before anything was trained. {_IN_PYTHON}")
        plan = Plan(maker, _members(run), about.steps, about.block)
    else:
        plan = maker.plan(about.experiment or "")
    plan = dataclasses.replace(plan, keep_weights=kept_by(run))
    if about.fingerprint not in (None, plan.fingerprint()):
        raise RunError(f"{run.path} was begun by another {_named(run)}, which has been changed since. {_IN_PYTHON}")
    return plan


def recipe_of(run: Run) -> Recipe:
    """The recipe of a run, made again."""
    maker = _maker(run)
    return maker if isinstance(maker, Recipe) else maker.recipe()


def kept_by(run: Run) -> Schedule | None:
    """When a run keeps weights; None if it does not, or does not say."""
    return _made(run.about.keep_weights, None) if run.about.keep_weights else None


_TYPE, _NOT_KEPT = "type", ("array", "function", "object")


def described(value: Any) -> Any:
    """A recipe or a schedule in JSON's types: a dataclass with its type; of arrays, functions and what has an
    `identity`, only which."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): described(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [described(item) for item in value]
    if hasattr(value, "__array__"):
        array = np.asarray(value)
        digest = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]
        return {"array": f"{array.dtype}{[*array.shape]} {digest}"}
    if hasattr(value, "__qualname__"):
        return {"function": name_of(value)}
    if isinstance(identity := getattr(value, "identity", None), str):
        return {"object": f"{name_of(type(value))} {identity}"}
    fields = [field.name for field in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else vars(value)
    return {_TYPE: name_of(type(value)), **{name: described(getattr(value, name)) for name in sorted(fields)}}


def _made(tree: Any, file: str | None) -> Any:
    """What `described` has described; a `ValueError` if that is not possible."""
    if isinstance(tree, list):
        return tuple(_made(item, file) for item in tree)
    if not isinstance(tree, Mapping):
        return tree
    if lost := [name for name in _NOT_KEPT if [*tree] == [name]]:
        raise ValueError(f"run.json does not hold the {lost[0]} {tree[lost[0]]}")
    fields = {name: _made(item, file) for name, item in tree.items() if name != _TYPE}
    if _TYPE not in tree:
        return fields
    kind = _class(str(tree[_TYPE]), file)
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):  # nothing else is called by what a file says
        raise ValueError(f"{tree[_TYPE]} is not a dataclass")
    return kind(**fields)


def _maker(run: Run) -> Recipe | Maker:
    about = run.about
    if about.made_by is None:
        raise RunError(f"{run.path}/run.json does not say what made the run. {_IN_PYTHON}")
    kind = _class(about.made_by.name, about.made_by.file)
    try:
        if isinstance(kind, type) and issubclass(kind, Recipe):
            return kind(**{name: _made(item, about.made_by.file) for name, item in about.config.items()})
        if hasattr(kind, "from_json") and isinstance(made := kind.from_json(about.config), Maker):  # type: ignore
            return made
        raise ValueError("it is neither a recipe nor an experiment")
    except (TypeError, ValueError) as problem:
        raise RunError(f"{_named(run)} cannot be made again for {run.path}: {problem}. {_IN_PYTHON}") from problem


def _class(name: str, file: str | None) -> Any:
    """What a class of nucleate, of an installed package, or of a file is called."""
    try:
        if file:
            module = import_file(file)
            _, home = home_of(Path(file))
            if name.startswith(f"{home}."):
                return pkgutil.resolve_name(f"{module.__name__}:{name.removeprefix(f'{home}.')}")
        return pkgutil.resolve_name(name)
    except (ImportError, AttributeError, ValueError):
        raise RunError(f"There is no {name}{f' in {file}' if file else ''} any more. {_IN_PYTHON}") from None


def _named(run: Run) -> str:
    made_by = run.about.made_by
    return f"{made_by.name}{f' of {made_by.file}' if made_by.file else ''}" if made_by else "recipe"


def _members(run: Run) -> Members:
    record = open_record(run.record_path, complete=False)
    return Members({name: column.values for name, column in columns(record).items()})
