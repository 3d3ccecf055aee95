"""Several records of one experiment, trained from different seeds, as one."""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from nucleate.record.schema import RunError

_SEED = "seed"
_REPEAT = "repeat"  # numbers the networks of a combination, from 0 in each record


def joined(records: Mapping[str, xr.Dataset]) -> xr.Dataset:
    """The members of all records, one after the other, numbered anew; the attributes are those of the first.

    `records`: by what they are called in an error. They must have the same variables, the same steps and shapes, and no
    seed in common: a network that counts twice would make intervals too narrow.

    >>> first, second = (xr.Dataset(coords={"seed": ("member", seeds)}, attrs={"steps": 9}) for seeds in ([0, 1], [7]))
    >>> joined({"first": first, "second": second}).seed.values.tolist()
    [0, 1, 7]
    >>> joined({"first": first, "second": second, "third": first})
    Traceback (most recent call last):
    nucleate.record.schema.RunError: third has networks of first: both have seed 0. Train it from seeds of its own.
    """
    refuse_unlike(records)
    parts = list(records.values())
    numbered = [_renumbered(part, parts[:i]) for i, part in enumerate(parts)]
    alike = {"coords": "minimal", "data_vars": "minimal", "compat": "equals", "join": "exact"}  # the facts of the task
    whole = xr.concat(numbered, "member", **alike)  # type: ignore[arg-type]
    whole.attrs = parts[0].attrs | {"steps": min(part.attrs["steps"] for part in parts)}
    return whole


def refuse_unlike(records: Mapping[str, xr.Dataset]) -> None:
    """Refuse records that cannot be one, by a `RunError` that names them and what is otherwise; reads no more than
    their coordinates."""
    (first, model), *others = records.items()
    for name, record in others:
        if lacking := sorted(map(str, model.variables.keys() ^ record.variables.keys())):
            has = name if lacking[0] in record else first
            lacks = first if has == name else name
            raise RunError(f"{has} has '{lacking[0]}' and {lacks} has not: they are not runs of one experiment.")
        for column, variable in model.variables.items():
            mine = _inside(variable), _inside(record.variables[column])
            if mine[0] != mine[1]:
                raise RunError(
                    f"'{column}' is {mine[1]} in {name} and {mine[0]} in {first}: they cannot be one record."
                )
            if variable.dims and "member" not in variable.dims and not np.array_equal(variable, record[column]):
                raise RunError(f"{name} was recorded at other values of '{column}' than {first}.")
    held: dict[tuple[str, int], str] = {}
    for name, record in records.items():
        for column in (str(column) for column in record.coords if str(column).startswith(_SEED)):
            seeds = np.unique(record[column].values).tolist()
            if common := [seed for seed in seeds if (column, seed) in held]:
                other = held[column, common[0]]
                raise RunError(
                    f"{name} has networks of {other}: both have {column} {common[0]}. Train it from seeds of its own."
                )
            held |= {(column, seed): name for seed in seeds}


def _inside(variable: xr.Variable) -> str:
    """Type and axes of what is recorded of one member."""
    axes = [f"{dim} {size}" for dim, size in variable.sizes.items() if dim != "member"]
    return f"{variable.dtype}" + (f" [{', '.join(axes)}]" if axes else "")


def _renumbered(record: xr.Dataset, before: list[xr.Dataset]) -> xr.Dataset:
    """With members, and repeats of a combination, that count on from those of the records before."""
    start = sum(other.sizes["member"] for other in before)
    numbers = {"member": np.arange(start, start + record.sizes["member"])}
    if _REPEAT in record.coords:
        repeats = record[_REPEAT].values + sum(int(other[_REPEAT].max()) + 1 for other in before)
        numbers[_REPEAT] = ("member", repeats)  # type: ignore[assignment]
    return record.assign_coords(numbers)
