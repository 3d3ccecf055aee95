"""The fleet's table: one row per member, one column per hyperparameter or seed."""

from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from nucleate.checking import Bits, Checked, shown
from nucleate.hypertext import Html, brief
from nucleate.hypertext import table as table_of
from nucleate.machine import TooLarge, require_memory

_BYTES = 16  # of a value: in its column, and in another copy while the table is made


class Row(dict[str, Any]):
    """One member's columns, as a recipe reads them: a column that is not there is named, with those that are.

    >>> Row(seed=0)["eta"]
    Traceback (most recent call last):
    ValueError: the fleet's table has no column 'eta', which the recipe reads; it has seed.
    """

    def __missing__(self, name: str) -> Any:
        raise ValueError(
            f"the fleet's table has no column '{name}', which the recipe reads; it has {', '.join(map(str, self))}."
        )


@dataclass(frozen=True, repr=False)
class Members(Checked, Mapping[str, np.ndarray]):
    """Columns of equal length, one of them `seed`.

    >>> table(eta=[0.1, 0.2], seed=[0, 1])
    Members(2 networks: eta 0.1, 0.2; seed 0, 1)
    """

    columns: dict[str, np.ndarray]

    def check(self) -> None:
        columns = {name: _column(name, column) for name, column in self.columns.items()}
        object.__setattr__(self, "columns", columns)
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"Members: columns must have equal length; got {lengths}.")
        if "seed" not in self.columns:
            raise ValueError("Members: a column 'seed' is required.")
        if self.count == 0:
            raise ValueError("Members: the fleet is empty; every axis of a grid needs at least one value.")

    @property
    def count(self) -> int:
        return len(next(iter(self.columns.values())))

    def __repr__(self) -> str:
        columns = "; ".join(f"{name} {brief(np.unique(column))}" for name, column in self.columns.items())
        return f"Members({self.count} network{'s' * (self.count > 1)}: {columns})"

    def _repr_html_(self) -> Html:
        rows = [(name, brief(np.unique(column))) for name, column in self.columns.items()]
        return table_of(rows, ("column", "values"), f"{self.count} network{'s' * (self.count > 1)}")

    def row(self, index: int) -> Row:
        """One member, in plain Python numbers."""
        if not isinstance(index, int | np.integer) or not -self.count <= index < self.count:
            raise ValueError(f"Members.row: index must be a row of the {self.count}; got {index!r}.")
        return Row((name, column[index].item()) for name, column in self.columns.items())

    def only(self, index: Iterable[int]) -> "Members":
        """The table of the chosen rows."""
        chosen = np.asarray(list(index))
        if chosen.dtype.kind not in "iu" or not np.all((chosen >= -self.count) & (chosen < self.count)):
            raise ValueError(f"Members.only: index must be rows of the {self.count}; got {index!r}.")
        return Members({name: column[chosen] for name, column in self.columns.items()})

    def with_columns(self, **columns: np.ndarray) -> "Members":
        """The table with these columns added, replacing any of the same name."""
        return Members({**self.columns, **columns})

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


def grid(**axes: Any) -> Members:
    """All combinations of the axes' values; a single number is an axis of one value.

    >>> members = grid(eta=[1e-3, 1e-2], seed=range(3), decay=0.0)
    >>> members.count, members.row(4)
    (6, {'eta': 0.01, 'seed': 1, 'decay': 0.0})
    """
    lists = {name: _listed(values) for name, values in axes.items()}
    count = prod(map(_length, lists.values()))
    _require_room(count, len(lists))
    columns, repeats = {}, count
    for name, values in lists.items():
        column = np.asarray(_column(name, values).tolist())
        repeats //= max(len(column), 1)
        columns[name] = np.resize(np.repeat(column, repeats), count)
    return Members(columns)


def table(**columns: Any) -> Members:
    """A table from its columns; a single number is repeated in every row.

    >>> table(train_size=[10, 20], seed=[0, 7], decay=0.0).row(1)
    {'train_size': 20, 'seed': 7, 'decay': 0.0}
    """
    lists = {name: _listed(values) for name, values in columns.items()}
    count = max((_length(lists[name]) for name, values in columns.items() if _is_many(values)), default=1)
    _require_room(count, len(lists))
    return Members(
        {n: _column(n, v) if _is_many(columns[n]) else np.repeat(_column(n, v), count) for n, v in lists.items()}
    )


def _is_many(values: Any) -> bool:
    """Whether there are several values. Text is one, which is refused when it becomes a column."""
    return isinstance(values, Iterable) and not isinstance(values, str | bytes) and getattr(values, "shape", None) != ()


def _listed(values: Any) -> Sized:
    if not _is_many(values):
        return [values]
    return values if isinstance(values, Sized) else list(values)


def _length(values: Sized) -> int:
    try:
        return len(values)
    except OverflowError:  # a range can be longer than `len` can say
        return 2**63


def _require_room(rows: int, columns: int) -> None:
    what, advice = f"Members: a table of {rows:,} networks", "Choose fewer seeds, or fewer values of each axis."
    if not Bits(31).holds(rows):
        raise TooLarge(f"{what} is too long: they are numbered in 31 bits. {advice}")
    require_memory(rows * columns * _BYTES, what, advice)


def _column(name: str, values: Any) -> np.ndarray:
    """One number for each member."""
    try:
        column = np.asarray(values if isinstance(values, np.ndarray) else list(values))
    except (TypeError, ValueError):  # no list, or lists of different lengths
        column = np.empty((), object)
    if column.ndim != 1 or (column.dtype.kind not in "biuf" and len(column)):
        raise ValueError(
            f"Members.{name} must hold one number for each member; got {shown(values)}. "
            "Put other choices into the recipe."
        )
    return column
