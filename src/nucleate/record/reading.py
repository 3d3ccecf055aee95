"""Where members of a record stopped, and what they had come to."""

import numpy as np
import xarray as xr

from nucleate.record.schema import Outcome


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
        raise ValueError(f"the record has no '{name}'; it has {', '.join(map(str, record.variables))}.")
    return record[name]
