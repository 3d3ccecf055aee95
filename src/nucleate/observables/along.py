"""A function of one network at one step, along all members and steps of a record."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import numpy as np
import xarray as xr

from nucleate.record.needs import Need, require
from nucleate.record.schema import fill_value

_TOGETHER = 256  # networks and steps that one call takes


class Sources(NamedTuple):
    """Where arguments come from, by their names: read from a record, or made by a function of other arguments."""

    read: Mapping[str, Need]
    made: Mapping[str, Callable]


@dataclass(frozen=True)
class _Read:
    """An argument that is a variable; `axes`: what the function calls the last of its dimensions, or how long they are
    to be."""

    need: Need
    axes: tuple[str, ...]

    def inner(self, record: xr.Dataset) -> tuple[str, ...]:
        """The dimensions that the function takes."""
        named = self.need.dims
        return named if named is not None else tuple(map(str, record[self.need.name].dims[-len(self.axes) or None :]))

    def misfit(self, record: xr.Dataset) -> str:
        """What is wrong with the size of the variable."""
        for axis, dim in zip(self.axes, self.inner(record), strict=False):
            if axis.isdigit() and record.sizes[dim] != int(axis):
                return f"'{self.need.name}' must have {axis} along '{dim}'; it has {record.sizes[dim]}"
        return ""


@dataclass(frozen=True)
class _Chosen:
    """An argument that the caller gave."""

    value: Any


@dataclass(frozen=True, eq=False)
class Call:
    """A function with its arguments, as far as they are not left at their defaults."""

    function: Callable
    arguments: Mapping[str, _Read | _Chosen | Call] = field(default_factory=dict)

    @property
    def needs(self) -> tuple[Need, ...]:
        """What is read of a record."""
        return tuple(dict.fromkeys(leaf.need for leaf in self._leaves()))

    def suits(self, record: xr.Dataset) -> bool:
        """Whether a record has everything."""
        held = record.variables
        has_all = all(need.name in held and need.accepts(held[need.name].dims) for need in self.needs)
        return has_all and not any(leaf.misfit(record) for leaf in self._leaves())

    def _leaves(self) -> Iterator[_Read]:
        for argument in self.arguments.values():
            if isinstance(argument, Call):
                yield from argument._leaves()
            elif isinstance(argument, _Read):
                yield argument

    def along(self, record: xr.Dataset) -> xr.DataArray:
        """The values at every member and step where all that is read is finite; elsewhere the fill value of records."""
        name = f"record.nucleate.{self.function.__name__}"
        require(record, name, self.needs)
        if misfit := next(filter(None, (leaf.misfit(record) for leaf in self._leaves())), ""):
            raise ValueError(f"{name}: {misfit}.")
        rows = _Rows.of(record, list(self._leaves()))
        found = None
        for at in _batches(np.flatnonzero(rows.whole)):
            part = np.asarray(rows.value(self, at)[0])
            if found is None:
                found = np.full((rows.whole.size, *part.shape[1:]), fill_value(part.dtype), part.dtype)
            found[at] = part
        if found is None:
            names = " and ".join(need.name for need in self.needs)
            raise ValueError(f"{name}: nothing that this record has of {names} is finite.")
        coords = {key: coord for key, coord in record.coords.items() if {*coord.dims} <= {*rows.outer}}
        dims = [*rows.outer, *_axes(inspect.signature(_bare(self.function)).return_annotation)]
        return xr.DataArray(found.reshape((*rows.sizes, *found.shape[1:])), coords, dims, self.function.__name__)


def understood(function: Callable, sources: Sources, given: Mapping[str, Any]) -> Call:
    """A function with everything that its arguments are made of.

    `given`: its own arguments that are chosen: options, arrays, and names of variables to be read instead of the usual.
    """
    arguments: dict[str, _Read | _Chosen | Call] = {}
    for name, parameter in inspect.signature(_bare(function)).parameters.items():
        if isinstance(given.get(name), str):
            need = Need(given[name], None, f"which was named as {name}", mapped=True)
            arguments[name] = _Read(need, _axes(parameter.annotation))
        elif name in given:
            arguments[name] = _Chosen(given[name])
        elif parameter.default is not parameter.empty:
            continue
        elif name in sources.read:
            arguments[name] = _Read(sources.read[name], _axes(parameter.annotation))
        elif name in sources.made:
            arguments[name] = understood(sources.made[name], sources, {})
        else:
            raise TypeError(f"{function.__name__} takes '{name}', which no record has.")
    return Call(function, arguments)


@dataclass
class _Rows:
    """The places of a record, one row for each, and what is read at them.

    `outer`, `sizes`: the dimensions of the places; `whole`: at which of them everything that is read is finite.
    """

    outer: tuple[str, ...]
    sizes: tuple[int, ...]
    arrays: dict[_Read, tuple[tuple[str, ...], np.ndarray]]
    whole: np.ndarray
    constants: dict[Call, Any] = field(default_factory=dict)
    mapped: dict[Call, Callable] = field(default_factory=dict)

    @classmethod
    def of(cls, record: xr.Dataset, leaves: list[_Read]) -> _Rows:
        arrays = {}
        for leaf in leaves:
            variable, inner = record[leaf.need.name], leaf.inner(record)
            outer = tuple(str(dim) for dim in variable.dims if dim not in inner)
            arrays[leaf] = outer, variable.transpose(*outer, *inner).values
        outer = tuple(dict.fromkeys(dim for dims, _ in arrays.values() for dim in dims))
        rows = cls(outer, tuple(record.sizes[dim] for dim in outer), arrays, np.ones(0, bool))
        rows.whole = np.ones(int(np.prod(rows.sizes)), bool)
        every = np.arange(rows.whole.size)
        for dims, array in arrays.values():
            finite = np.isfinite(array).all(axis=tuple(range(len(dims), array.ndim)))
            rows.whole &= finite[rows.index(dims, every)]
        return rows

    def index(self, dims: tuple[str, ...], at: np.ndarray) -> tuple[np.ndarray, ...]:
        """Where rows are in an array with these leading dimensions."""
        places = dict(zip(self.outer, np.unravel_index(at, self.sizes), strict=True)) if self.outer else {}
        return tuple(places[dim] for dim in dims)

    def value(self, argument: _Read | _Chosen | Call, at: np.ndarray) -> tuple[Any, bool]:
        """The value of an argument at some rows, and whether it has an axis of rows."""
        if isinstance(argument, _Chosen):
            return argument.value, False
        if isinstance(argument, _Read):
            dims, array = self.arrays[argument]
            return (array[self.index(dims, at)], True) if dims else (array, False)
        if argument in self.constants:
            return self.constants[argument], False
        values = {name: self.value(each, at) for name, each in argument.arguments.items()}
        many = {name: value for name, (value, is_many) in values.items() if is_many}
        fixed = {name: value for name, (value, is_many) in values.items() if not is_many}
        if not many:
            self.constants[argument] = argument.function(**fixed)
            return self.constants[argument], False
        if _takes_many(argument.function, many):
            return argument.function(**many, **fixed), True
        if argument not in self.mapped:
            function = argument.function
            self.mapped[argument] = jax.jit(jax.vmap(lambda each: function(**each, **fixed)))
        return self.mapped[argument](many), True


def _batches(rows: np.ndarray) -> Iterator[np.ndarray]:
    """Rows in parts of one size, so that one program serves all: the last is filled up with its last row."""
    for start in range(0, len(rows), _TOGETHER):
        part = rows[start : start + _TOGETHER]
        yield np.append(part, np.repeat(part[-1], _TOGETHER - len(part))) if start else part


def _bare(function: Callable) -> Callable:
    return inspect.unwrap(function)


def _takes_many(function: Callable, names: Mapping[str, Any]) -> bool:
    """Whether a function takes any leading axes of these arguments."""
    parameters = inspect.signature(_bare(function)).parameters
    return all(_shape(parameters[name].annotation).startswith("*") for name in names)


def _axes(annotation: Any) -> tuple[str, ...]:
    """The axes of one value, by the words of its annotation.

    >>> from jaxtyping import Array, Float
    >>> _axes(Float[Array | np.ndarray, "*member token dim"])
    ('token', 'dim')
    """
    return tuple(word for word in _shape(annotation).split() if not word.startswith("*"))


def _shape(annotation: Any) -> str:
    kinds = (annotation, *typing.get_args(annotation))
    return next((kind.dim_str for kind in kinds if hasattr(kind, "dim_str")), "")
