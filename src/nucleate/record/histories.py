"""What a record says of members as they trained: scalars over steps, and which members differ in seeds alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.record.reading import last_row
from nucleate.record.schema import Outcome


def histories(record: xr.Dataset) -> dict[str, xr.DataArray]:
    """Every scalar over (member, step) by its name or, if there is none, the root mean square of every array.

    >>> record = xr.Dataset({"loss": (("member", "step"), [[3.0, 1.0]]), "seen": ("member", [7])})
    >>> list(histories(record))
    ['loss']
    """
    every = sorted(record.data_vars.items(), key=lambda item: str(item[0]))  # a store has an order of its own
    over_steps = {str(name): value for name, value in every if _is_over_steps(value)}
    scalars = {name: value for name, value in over_steps.items() if value.ndim == 2}
    return scalars or {name: _root_mean_square(value) for name, value in over_steps.items()}


def _is_over_steps(value: xr.DataArray) -> bool:
    return value.ndim > 1 and value.dims[0] == "member" and str(value.dims[1]).startswith("step")


def _root_mean_square(value: xr.DataArray) -> xr.DataArray:
    size = np.sqrt(np.mean(np.abs(value.values) ** 2, axis=tuple(range(2, value.ndim))))
    history = value.isel(dict.fromkeys(value.dims[2:], 0), drop=True).copy(data=size)
    return history.assign_attrs(long_name=f"{value.attrs.get('long_name', value.name)}: root mean square")


def ends(record: xr.Dataset, history: xr.DataArray, step: int | None = None) -> np.ndarray:
    """The last value of each member up to `step`, wherever it stopped; NaN for members that diverged or saw none.

    >>> record = xr.Dataset({"loss": (("member", "step"), [[3.0, 2.0, 1.0], [3.0, 2.0, np.nan]])},
    ...                     coords={"step": [0, 10, 20], "last_step": ("member", [20, 15])})
    >>> ends(record, record.loss).tolist(), ends(record, record.loss, step=10).tolist()
    ([1.0, 2.0], [2.0, 2.0])
    """
    axis = str(history.dims[1])
    rows = last_row(record, axis) if "last_step" in record else np.full(record.sizes["member"], record.sizes[axis] - 1)
    if step is not None:
        rows = np.minimum(rows, np.searchsorted(record[axis].values, step, side="right") - 1)
    values = history.values[np.arange(len(rows)), rows].astype(float)
    lost = record.outcome.values == Outcome.DIVERGED if "outcome" in record else False
    return np.where(lost | (rows < 0), np.nan, values)


def tells_repeats_apart(name: str) -> bool:
    """Whether a column only tells networks apart that are otherwise alike: seeds, and what counts them.

    >>> [name for name in ("seed", "seed_split", "data_seed", "repeat", "reseeded", "eta") if tells_repeats_apart(name)]
    ['seed', 'seed_split', 'data_seed', 'repeat']
    """
    return name in ("seed", "repeat", "trial") or name.startswith("seed_") or name.endswith("_seed")


def hyperparameters(record: xr.Dataset) -> list[str]:
    """The columns of the members, but for those that tell repeats apart."""
    columns = (str(name) for name, coord in record.coords.items() if coord.dims == ("member",) and name != "member")
    return sorted(name for name in columns if not tells_repeats_apart(name) and record[name].dtype.kind in "biuf")


def swept(record: xr.Dataset) -> tuple[str, ...]:
    """The hyperparameters by which members differ, that with the most values first.

    One that others determine is left out, such as a rate that always changes with another.

    >>> coords = {"eta": [0.1, 0.1, 0.2, 0.2], "half": [0.05, 0.05, 0.1, 0.1], "width": [8, 8, 8, 8], "seed": range(4)}
    >>> swept(xr.Dataset(coords={name: ("member", list(column)) for name, column in coords.items()}))
    ('eta',)
    """
    counts = {name: len(np.unique(record[name].values)) for name in hyperparameters(record)}
    axes = [name for name in sorted(counts, key=lambda name: (counts[name], name)) if counts[name] > 1]
    for name in reversed(axes.copy()):
        others = [other for other in axes if other != name]
        if others and len(cells(record, others)) == len(cells(record, axes)):
            axes = others
    return tuple(reversed(axes))


@dataclass(frozen=True)
class Cell:
    """Members with equal hyperparameters: the `values` of the axes, and the numbers of the members."""

    values: tuple[float, ...]
    members: np.ndarray


def cells(record: xr.Dataset, axes: Sequence[str]) -> list[Cell]:
    """The members at each combination of the values of some hyperparameters, in rising order.

    >>> record = xr.Dataset(coords={"eta": ("member", [0.2, 0.1, 0.2])})
    >>> [(cell.values, cell.members.tolist()) for cell in cells(record, ["eta"])]
    [((0.1,), [1]), ((0.2,), [0, 2])]
    """
    members = np.arange(record.sizes["member"])
    if not axes:
        return [Cell((), members)]
    columns = np.stack([record[name].values.astype(float) for name in axes], axis=1)
    values, which = np.unique(columns, axis=0, return_inverse=True)
    return [Cell(tuple(row.tolist()), members[which.ravel() == number]) for number, row in enumerate(values)]
