"""Which Cayley tables are those of finite abelian groups."""

import numpy as np
from jaxtyping import Int


def refuse_table(table: Int[np.ndarray, "element element"]) -> None:
    """Refuse a Cayley table that is not of a finite abelian group, with the elements that fail.

    Row x, column y of the table holds x + y.

    >>> refuse_table(np.array([[0, 1], [1, 0]]))
    >>> refuse_table(np.array([[0, 1], [1, 1]]))
    Traceback (most recent call last):
    ValueError: Characters.table must be of a group; 1 has no negative: 1 + y is never the identity 0.
    """
    elements = np.arange(len(table))
    for x, y in np.argwhere((table < 0) | (table >= len(table)))[:1]:
        _refuse(f"{x} + {y} is {table[x, y]}, which is none of the {len(table)} elements")
    for x, y in np.argwhere(table != table.T)[:1]:
        raise ValueError(
            f"Characters.table must be of an abelian group; {x} and {y} do not commute: "
            f"{x} + {y} is {table[x, y]}, {y} + {x} is {table[y, x]}."
        )
    neutral = np.flatnonzero((table == elements).all(axis=1))
    if not len(neutral):
        _refuse("no element x has x + y = y for every y")
    for x in np.flatnonzero(~(table == neutral[0]).any(axis=1))[:1]:
        _refuse(f"{x} has no negative: {x} + y is never the identity {neutral[0]}")
    for x in elements:  # a row at a time: all triples at once would not fit in memory for large groups
        for y, z in np.argwhere(table[table[x]] != table[x][table])[:1]:
            _refuse(f"({x} + {y}) + {z} is not {x} + ({y} + {z})")


def _refuse(why: str) -> None:
    raise ValueError(f"Characters.table must be of a group; {why}.")
