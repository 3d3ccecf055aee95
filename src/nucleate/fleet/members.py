"""The fleet's table: one row per member, one column per hyperparameter or seed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Members(Mapping[str, np.ndarray]):
    """Columns of equal length, one of them `seed`."""

    columns: dict[str, np.ndarray]

    def __post_init__(self):
        lengths = {name: len(column) for name, column in self.columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"Members: columns must have equal length; got {lengths}.")
        if "seed" not in self.columns:
            raise ValueError("Members: a column 'seed' is required.")
        if self.count == 0:
            raise ValueError("Members: the fleet is empty; every axis of a grid needs at least one value.")

    @property
    def count(self) -> int:
        return len(next(iter(self.columns.values())))

    def row(self, index: int) -> dict[str, Any]:
        """One member, in plain Python numbers."""
        return {name: column[index].item() for name, column in self.columns.items()}

    def only(self, index: Iterable[int]) -> "Members":
        """The table of the chosen rows."""
        chosen = np.asarray(list(index))
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
    values = [np.atleast_1d(np.asarray(list(v) if isinstance(v, Iterable) else v)).tolist() for v in axes.values()]
    rows = list(product(*values))
    return Members({name: np.asarray([row[i] for row in rows]) for i, name in enumerate(axes)})


def table(**columns: Any) -> Members:
    """A table from its columns; a single number is repeated in every row.

    >>> table(train_size=[10, 20], seed=[0, 7], decay=0.0).row(1)
    {'train_size': 20, 'seed': 7, 'decay': 0.0}
    """
    length = max((len(c) for c in columns.values() if isinstance(c, Iterable)), default=1)  # type: ignore[arg-type]
    return Members(
        {n: np.asarray(list(c)) if isinstance(c, Iterable) else np.full(length, c) for n, c in columns.items()}
    )
