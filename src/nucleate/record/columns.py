"""The columns of a fleet's table as a record has them: coordinates along `member`.

A column that is called like an axis of the record has another name there. Only what numbers an axis may be called like
it: xarray could neither select along the axis nor make a table of the record.
"""

from collections.abc import Iterable, Mapping

import xarray as xr

from nucleate.record.reading import MissingColumn
from nucleate.record.schema import Variable

_COLUMN = "column"
"""The attribute of a coordinate that says which column it is, if it is called otherwise."""


def told_apart(record: xr.Dataset, variables: Iterable[Variable] = ()) -> xr.Dataset:
    """A record in which no column is called like an axis, also not of `variables` that it will have: `dim` becomes
    `dim_size`, if nothing else is called that.

    >>> record = xr.Dataset({"embedding": (("member", "dim"), [[7.0, 8.0]])}, {"dim": ("member", [2])})
    >>> told_apart(record).dim_size.values.tolist(), told_apart(record).embedding.sel(dim=1).values.tolist()
    ([2], [8.0])
    """
    axes, known = {*record.dims}, {*record.variables}
    for variable in variables:
        axes, known = axes | {*variable.dims}, known | {variable.name}
    sizes = {name: f"{name}_size" for name, coord in record.coords.items() if _is_column(coord) and name in axes}
    sizes = {name: size for name, size in sizes.items() if size not in known}
    apart = record.rename_vars(sizes)
    for name, size in sizes.items():
        apart[size].attrs = {_COLUMN: name} | record[name].attrs
    return apart


def columns(record: xr.Dataset) -> Mapping[str, xr.DataArray]:
    """The columns of the fleet's table by the names that they have there; of one member, if one is selected.

    >>> record = xr.Dataset({"embedding": (("member", "dim"), [[7.0, 8.0]])}, {"dim": ("member", [2])})
    >>> [columns(each)["dim"].item() for each in (record, told_apart(record), told_apart(record).isel(member=0))]
    [2, 2, 2]
    """
    held = {name: coord for name, coord in record.coords.items() if _is_column(coord)}
    return {str(coord.attrs.get(_COLUMN, name)): coord for name, coord in held.items()}


def column(record: xr.Dataset, name: str) -> xr.DataArray:
    """One column of the fleet's table, or an error that names it."""
    if name not in (held := columns(record)):
        raise MissingColumn(name, record)
    return held[name]


def _is_column(coord: xr.DataArray) -> bool:
    return coord.dims in ((), ("member",)) and coord.name != "member"
