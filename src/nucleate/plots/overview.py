"""A first look at any record."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from nucleate.plots.style import PALETTE, panels

_MOST_LINES = 100


def overview(record: xr.Dataset) -> Figure:
    """Every recorded scalar against its step: a thin line for each member, a bold one for their median.

    If there is none, the root mean square of every array.

    >>> from nucleate.plots import style
    >>> loss = (("member", "step"), np.exp(-np.arange(5.0)) * np.ones((3, 1)))
    >>> with style():
    ...     figure = overview(xr.Dataset({"loss": loss}, coords={"step": np.arange(5)}))
    >>> figure.axes[0].get_title(loc="left")
    'loss'
    """
    histories = [value for value in record.data_vars.values() if _is_history(value)]
    scalars = [value for value in histories if value.ndim == 2] or [_root_mean_square(value) for value in histories]
    if not scalars:
        raise ValueError("overview needs a variable over (member, step); the record has none.")
    columns = min(3, len(scalars))
    figure, axes = panels(-(-len(scalars) // columns), columns, size=(4.2, 3.0))
    for ax, value in zip(axes, scalars, strict=False):
        _history(ax, value)
    for ax in axes[len(scalars) :]:
        ax.set_axis_off()
    return figure


def _is_history(value: xr.DataArray) -> bool:
    return value.ndim > 1 and value.dims[0] == "member" and str(value.dims[1]).startswith("step")


def _root_mean_square(value: xr.DataArray) -> xr.DataArray:
    size = np.sqrt(np.mean(np.abs(value.values) ** 2, axis=tuple(range(2, value.ndim))))
    history = value.isel(dict.fromkeys(value.dims[2:], 0), drop=True).copy(data=size)
    return history.assign_attrs(long_name=f"{value.attrs.get('long_name', value.name)}: root mean square")


def _history(ax, value: xr.DataArray) -> None:
    steps = value[value.dims[1]].values
    lines = np.asarray(value.values, float)
    shown = lines[:: max(1, len(lines) // _MOST_LINES)]
    ax.plot(steps, shown.T, color=PALETTE[0], alpha=max(0.15, 1 / len(shown)), lw=0.7)
    alive = np.isfinite(lines).any(0)
    ax.plot(steps[alive], np.nanmedian(lines[:, alive], axis=0), color=PALETTE[1], lw=2)
    positive = lines[np.isfinite(lines) & (lines > 0)]
    if positive.size and np.nanmin(lines) > 0 and positive.max() / positive.min() > 100:
        ax.set_yscale("log")
    name = value.attrs.get("long_name", str(value.name).replace("_", " "))
    ax.set_title(str(name), parse_math=False)  # a dollar in a name is a dollar
    ax.set_xlabel("training step")
