"""What a record of any loop has besides what is logged: its members, the facts of its task, and its dimensions."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from nucleate.checking import Count, conform, shown, to_numpy
from nucleate.record.schema import DIMS, FACTS, NEVER, OUTCOME_ATTRS, Outcome, refuse_clashing_sizes
from nucleate.record.store import as_attr

_TAKEN = ("member", "outcome", "last_step")
_NAME = re.compile(r"(?!__)[A-Za-z0-9_]+")
_SEPARATORS = re.compile(r"[^A-Za-z0-9]+")

Dims = Mapping[str, Any]
"""Names of the axes of one network's value, by variable."""


def bare_record(members: Any, facts: Mapping[str, Any] | None, dims: Dims) -> xr.Dataset:
    """A record in which nothing is logged yet.

    >>> record = bare_record({"eta": [0.1, 0.2]}, {"label": [3, 4, 5]}, {})
    >>> record.eta.values.tolist(), record.label.dims, record.last_step.values.tolist()
    ([0.1, 0.2], ('pair',), [-1, -1])
    """
    count, columns = _columns(members)
    given = {name: _fact(name, value, dims) for name, value in (facts or {}).items()}
    for name in (*columns, *given):
        refuse_name(name)
    if both := columns.keys() & given.keys():
        raise ValueError(f"'{min(both)}' is a column of members and one of facts; choose another name for one of them.")
    refuse_alike((*columns, *given))
    sizes = {"members": (("member",), (count,))}
    refuse_misfits({}, {}, sizes | {name: (axes, value.shape) for name, (axes, value) in given.items()}, {})
    ends = {
        "outcome": ("member", np.full(count, Outcome.PENDING, np.int8), OUTCOME_ATTRS),
        "last_step": ("member", np.full(count, NEVER, np.int32)),
    }
    coords = {"member": np.arange(count)} | {name: ("member", column) for name, column in columns.items()}
    return xr.Dataset(given | ends, coords, {"about": as_attr({}), "outcomes": as_attr({o.name: o for o in Outcome})})


def dims_of(name: str, shape: tuple[int, ...], given: Dims) -> tuple[str, ...]:
    """What the axes of one network's value are called: as given, as theories call them, or after the variable.

    >>> dims_of("embedding", (59, 128), {}), dims_of("angle", (3,), {}), dims_of("map", (8, 8), {"map": ["x", "y"]})
    (('token', 'dim'), ('angle_0',), ('x', 'y'))
    """
    if name in given:
        dims = (given[name],) if isinstance(given[name], str) else tuple(given[name])
        if len(dims) != len(shape) or not all(isinstance(dim, str) and dim for dim in dims) or len({*dims}) < len(dims):
            raise ValueError(
                f"dims must name each axis of '{name}', which has the shape {shape} for one network; got {dims}."
            )
        for dim in dims:
            if dim == "member" or dim.startswith("step"):
                raise ValueError(
                    f"dims: '{dim}' of '{name}' is the name of an axis that every record has; choose another."
                )
        return dims
    known = DIMS.get(name, ())
    return known if len(known) == len(shape) else tuple(f"{name}_{axis}" for axis in range(len(shape)))


Shapes = Mapping[str, tuple[tuple[str, ...], tuple[int, ...]]]
"""Dimensions and their sizes, by variable."""


def refuse_misfits(fresh: Mapping[str, tuple[int, ...]], known: Shapes, fixed: Shapes, dims: Dims) -> None:
    """Refuse variables, of which the shapes for one network are given, that do not fit beside those of a record.

    `known`: what else is recorded over steps, for one network; `fixed`: what is not.
    """
    inside = {name: (dims_of(name, shape, dims), shape) for name, shape in fresh.items()}
    axes = {axis: name for name, (its, _) in {**fixed, **known, **inside}.items() for axis in its}
    for name in (*known, *fresh):
        if name in fresh:
            refuse_name(name)
        if name in fixed:
            raise ValueError(f"'{name}' is a column of members or one of facts; log it under another name.")
        if name in axes:
            raise ValueError(f"'{name}' is the name of an axis of '{axes[name]}'; choose another for one of them.")
    for name, (its, _) in fixed.items():
        if name in axes and its != (name,):
            raise ValueError(f"'{name}' is the name of an axis of '{axes[name]}'; choose another for one of them.")
    refuse_alike((*fixed, *known, *fresh))
    refuse_clashing_sizes({**fixed, **known, **inside})


def refuse_alike(names: Iterable[str]) -> None:
    """Refuse names of which a disk could make one: each is that of a folder."""
    folded: dict[str, str] = {}
    for name in names:
        if (other := folded.setdefault(name.casefold(), name)) != name:
            raise ValueError(f"'{other}' and '{name}' are one name to many disks; choose another for one of them.")


def refuse_name(name: Any) -> None:
    """Refuse what cannot be the name of a variable or a column."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"{shown(name)} cannot be the name of a variable: use letters from a to z, digits and '_', as in "
            f"'{_SEPARATORS.sub('_', str(name)).strip('_') or 'loss'}'."
        )
    if name.casefold() in _TAKEN or name.casefold().startswith("step"):
        raise ValueError(
            f"'{name}' has a meaning of its own in every record; choose another name, such as 'my_{name}'."
        )


def _columns(members: Any) -> tuple[int, dict[str, np.ndarray]]:
    """How many members there are, and what tells them apart."""
    if isinstance(members, Mapping):
        columns = {name: np.atleast_1d(_numbers(name, column)) for name, column in members.items()}
        count = max(map(len, columns.values()), default=0)
        columns = {name: np.repeat(c, count) if np.ndim(members[name]) == 0 else c for name, c in columns.items()}
        lengths = {name: len(column) for name, column in columns.items()}
        if len({*lengths.values()}) != 1 or not count:
            raise ValueError(f"members: columns must have equal lengths of at least 1; got {lengths}.")
        return count, columns
    if isinstance(members, Iterable) and not isinstance(members, str | bytes):
        rows = list(members)
        if not rows or not all(isinstance(row, Mapping) and row.keys() == rows[0].keys() for row in rows):
            raise ValueError(
                f"members: a list must hold one dict for each member, all with the same keys; got {shown(rows)}."
            )
        return len(rows), {name: _numbers(name, [row[name] for row in rows]) for name in rows[0]}
    return conform("members", 1 if members is None else members, Count), {}


def _numbers(name: str, column: Any) -> np.ndarray:
    try:
        values = to_numpy(name, column)
    except ValueError:
        values = None
    if values is None or values.ndim > 1 or values.dtype.kind == "c":
        raise ValueError(f"members: '{name}' must be one number for each member; got {shown(column)}.")
    return values


def _fact(name: str, value: Any, dims: Dims) -> tuple[tuple[str, ...], np.ndarray]:
    if isinstance(value, tuple) and len(value) == 2 and _are_names(value[0]):
        dims, value = {name: value[0]}, value[1]
    array = to_numpy(f"facts: {name}", value)
    if name not in dims:
        known = FACTS.get(name)
        axes = known if known and len(known) == array.ndim else tuple(f"{name}_{axis}" for axis in range(array.ndim))
        return axes, array
    axes = (dims[name],) if isinstance(dims[name], str) else tuple(dims[name])
    if len(axes) != array.ndim or any(axis.startswith("step") for axis in axes):
        raise ValueError(f"facts: '{name}' has the shape {array.shape}, but the dimensions {axes}.")
    return axes, array


def _are_names(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, tuple | list) and all(isinstance(name, str) for name in value))
