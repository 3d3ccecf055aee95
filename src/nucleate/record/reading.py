"""Where members of a record stopped, and what they had come to; and what is said of a column that is not there."""

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import xarray as xr

from nucleate.record.schema import Outcome


class MissingColumn(ValueError):
    """A record is asked for a variable or a coordinate that it does not have."""

    def __init__(self, column: str, record: xr.Dataset, names: tuple[str, ...] = ()):
        self.column = column
        which = f"the record of {' or '.join(names)}" if names else "the record"
        super().__init__(f"{which} has no '{column}'; it has {', '.join(map(str, record.variables))}.")


@contextlib.contextmanager
def naming_columns(records: Callable[[], Mapping[str, xr.Dataset]]) -> Iterator[None]:
    """In this block, what is asked of a record in vain, as `record.x` or `record["x"]`, is a `MissingColumn`.

    It names the record by its key in `records()`, and all that lack the column if there are several.

    >>> record = xr.Dataset({"loss": ("member", [0.1])})
    >>> with naming_columns(lambda: {"toy/first": record}):
    ...     record["los"]
    Traceback (most recent call last):
    nucleate.record.reading.MissingColumn: the record of toy/first has no 'los'; it has loss.
    """
    try:
        yield
    except (KeyError, AttributeError, MissingColumn) as error:
        column = _asked_in_vain(error)
        lacking = {name: record for name, record in records().items() if column and column not in record}
        if not column or not lacking:
            raise
        raise MissingColumn(column, next(iter(lacking.values())), tuple(lacking)) from error


def _asked_in_vain(error: Exception) -> str | None:
    """The column that a record was asked for when this error was raised."""
    if isinstance(error, MissingColumn):
        return error.column
    if isinstance(error, AttributeError):
        return error.name if isinstance(error.obj, xr.Dataset) else None
    in_words = re.match("No variable named '(.+?)'", str(error.args[0]) if error.args else "")  # as xarray says it
    return in_words and in_words[1]


def last_row(record: xr.Dataset, axis: str = "step") -> np.ndarray:
    """The row of each member's last record along a step axis, wherever it stopped.

    >>> record = xr.Dataset({"last_step": ("member", [20, 15])}, coords={"step": [0, 10, 20]})
    >>> last_row(record).tolist()
    [2, 1]
    """
    return np.searchsorted(record[axis].values, record.last_step.values, side="right") - 1


def at_the_end(record: xr.Dataset, name: str) -> np.ndarray:
    """Each member's last recorded value of a variable, wherever it stopped: [member, ...].

    >>> record = xr.Dataset({"loss": (("member", "step"), [[3.0, 2.0, 1.0], [3.0, 2.0, np.nan]])},
    ...                     coords={"step": [0, 10, 20], "last_step": ("member", [20, 15])})
    >>> at_the_end(record, "loss").tolist()
    [1.0, 2.0]
    """
    variable = _found(record, name)
    if len(variable.dims) < 2 or "last_step" not in record:
        raise ValueError(f"at_the_end: '{name}' must be recorded over steps, by a fleet; its axes are {variable.dims}.")
    rows = last_row(record, str(variable.dims[1]))
    return variable.values[np.arange(record.sizes["member"]), rows]


def stayed_finite(record: xr.Dataset) -> xr.Dataset:
    """The members that did not diverge.

    >>> record = xr.Dataset({"outcome": ("member", [Outcome.OK, Outcome.DIVERGED])})
    >>> stayed_finite(record).sizes["member"]
    1
    """
    finite = _found(record, "outcome").values != Outcome.DIVERGED
    # A selection copies everything, weights included.
    return record if finite.all() else record.isel(member=np.flatnonzero(finite))


def _found(record: xr.Dataset, name: str) -> xr.DataArray:
    if name not in record:
        raise MissingColumn(name, record)
    return record[name]
