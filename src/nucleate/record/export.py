"""Records for other programs: one row for each member, or all curves, as CSV or Parquet; everything as netCDF."""

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from nucleate.record.disk import replacing
from nucleate.record.document import fields
from nucleate.record.reading import last_row
from nucleate.record.run import Run
from nucleate.record.schema import NEVER, Outcome

_ENDS = ("outcome", "last_step")


@dataclass(frozen=True)
class Column:
    """Values, and which of them there are: where `known` is false, a table has an empty cell."""

    values: np.ndarray
    known: np.ndarray

    @classmethod
    def full(cls, values: np.ndarray) -> "Column":
        return cls(values, np.ones(len(values), bool))

    def cells(self) -> Iterator[Any]:
        """Plain Python values, None for an empty cell."""
        return (value if known else None for value, known in zip(self.values.tolist(), self.known, strict=True))


Table = Mapping[str, Column]
"""Columns of equal length, by name."""


def members_table(record: xr.Dataset) -> Table:
    """One row for each member: its hyperparameters and seeds, how and when it ended, the step of each crossing (empty:
    never), and the last value of every scalar that was recorded (`final_…`).

    >>> record = xr.Dataset(
    ...     {"loss": (("member", "step"), [[3.0, 1.0], [3.0, np.nan]]), "valid90_step": ("member", [7, -1]),
    ...      "outcome": ("member", [1, 3]), "last_step": ("member", [10, 5])},
    ...     coords={"member": [0, 1], "step": [0, 10], "eta": ("member", [0.1, 0.2])})
    >>> for name, column in members_table(record).items():
    ...     print(name, list(column.cells()))
    member [0, 1]
    eta [0.1, 0.2]
    outcome ['ok', 'diverged']
    last_step [10, 5]
    valid90_step [7, None]
    final_loss [1.0, 3.0]
    """
    # Sorted, because a store lists its variables in an order of its own.
    given = sorted(str(name) for name, variable in record.variables.items() if variable.dims == ("member",))
    first = ["member", *(name for name in given if name in record.coords and name != "member"), *_ENDS]
    crossings = [name for name in given if name.endswith("_step") and name not in first]
    rest = [name for name in given if name not in first and name not in crossings]
    table = {name: _given(record[name]) for name in (*first, *crossings, *rest)}
    return table | {f"final_{name}": _last(record, name) for name in _scalars(record)}


def curves_table(record: xr.Dataset) -> Table:
    """One row for each member, step and scalar variable, as far as each member was trained.

    >>> record = xr.Dataset(
    ...     {"loss": (("member", "step"), [[3.0, 1.0], [3.0, np.nan]]), "last_step": ("member", [10, 5])},
    ...     coords={"member": [0, 1], "step": [0, 10]})
    >>> list(zip(*(column.cells() for column in curves_table(record).values())))
    [(0, 0, 'loss', 3.0), (0, 10, 'loss', 1.0), (1, 0, 'loss', 3.0)]
    """
    parts: dict[str, list[np.ndarray]] = {"member": [], "step": [], "variable": [], "value": []}
    for name in _scalars(record):
        axis = str(record[name].dims[1])
        member, row = np.nonzero(np.arange(record.sizes[axis]) <= last_row(record, axis)[:, None])
        parts["member"].append(record.member.values[member])
        parts["step"].append(record[axis].values[row])
        parts["variable"].append(np.full(len(row), name))
        parts["value"].append(record[name].values[member, row].astype(float))
    return {key: Column.full(np.concatenate(arrays) if arrays else np.array([])) for key, arrays in parts.items()}


def _scalars(record: xr.Dataset) -> list[str]:
    """The variables that hold one number for each member and step."""
    return sorted(str(name) for name, variable in record.data_vars.items() if _is_scalar(variable))


def _arrays(record: xr.Dataset) -> list[str]:
    """The variables that a table has no room for."""
    return sorted(str(name) for name, v in record.data_vars.items() if v.dims != ("member",) and not _is_scalar(v))


def _is_scalar(variable: xr.DataArray) -> bool:
    return variable.ndim == 2 and variable.dims[0] == "member" and str(variable.dims[1]).startswith("step")


def _given(variable: xr.DataArray) -> Column:
    values = variable.values
    if variable.name == "outcome":
        values = np.array([Outcome(code).name.lower() for code in values.tolist()])
    return Column(values, values != NEVER) if str(variable.name).endswith("_step") else Column.full(values)


def _last(record: xr.Dataset, name: str) -> Column:
    """Where a member ended before its first look there is nothing."""
    rows = last_row(record, str(record[name].dims[1]))
    return Column(record[name].values[np.arange(len(rows)), rows], rows >= 0)


# --- files -----------------------------------------------------------------------------------------------------------


def export_members(run: Run, path: Path) -> list[str]:
    """`members_table` of a run, as CSV or Parquet, by the name of the file; the variables that it has no room for."""
    return _export_table(run, path, members_table)


def export_curves(run: Run, path: Path) -> list[str]:
    """`curves_table` of a run, as CSV or Parquet, by the name of the file; the variables that it has no room for."""
    return _export_table(run, path, curves_table)


def export_all(run: Run, path: Path) -> list[str]:
    """All of a run's record as netCDF 4, with the contents of its run.json as the attribute `run`."""
    import h5netcdf  # noqa: F401 - asked for by its name first: xarray's own message does not say what to install

    record = run.record().load().drop_encoding().assign_attrs(run=json.dumps(fields(run.about), default=str))
    packed = {name: {"zlib": True, "complevel": 1} for name, variable in record.variables.items() if variable.ndim > 1}
    with replacing(path) as temporary:
        record.to_netcdf(temporary, engine="h5netcdf", encoding=packed)
    return []


def _export_table(run: Run, path: Path, make) -> list[str]:
    record = run.record()
    large = _arrays(record)
    table = make(record.drop_vars(large).load())
    with replacing(path) as temporary:
        _WRITERS[path.suffix](table, temporary)
    return large


def _write_csv(table: Table, path: Path) -> None:
    # Python writes the shortest decimals that are read back as the same number.
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*(column.cells() for column in table.values()), strict=True))


def _write_parquet(table: Table, path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    columns = {name: pyarrow.array(column.values, mask=~column.known) for name, column in table.items()}
    parquet.write_table(pyarrow.table(columns), path)


_WRITERS = {".csv": _write_csv, ".parquet": _write_parquet}
