"""What power laws read in a record: the histories of one observable, each from its last crossing of the limit."""

import numpy as np
import xarray as xr
from jaxtyping import Float

from nucleate.record import Need, require
from nucleate.theories.reading import rising_steps


def histories(
    record: xr.Dataset, variable: str, needs: tuple[Need, ...] = ()
) -> tuple[Float[np.ndarray, " step"], xr.DataArray]:
    """The steps, and the observable `variable` with its step axis last; `needs`: what else the record must hold.

    >>> record = xr.Dataset({"c": (("step_c", "member"), np.ones((2, 3)))}, coords={"step_c": [0, 5]})
    >>> step, held = histories(record, "c")
    >>> step.tolist(), held.dims
    ([0.0, 5.0], ('member', 'step_c'))
    """
    require(record, "PowerLaw", (Need(variable, None, "the observable, over steps and any other axes"), *needs))
    held = record[variable]
    axes = [str(name) for name in held.dims if str(name).split("_")[0] == "step"]
    if len(axes) != 1:
        raise ValueError(f"PowerLaw needs '{variable}' over exactly one axis of steps; it is over {held.dims}.")
    return rising_steps(held, "PowerLaw", dim=axes[0]), held.transpose(..., axes[0])


def after_last_crossing(
    step: Float[np.ndarray, " step"], value: Float[np.ndarray, " step"], limit: float
) -> tuple[Float[np.ndarray, " row"], Float[np.ndarray, " row"]]:
    """The finite rows, without step 0, after the last one that lies on the limit or on its other side.

    A `limit` of NaN is unknown, and counts as 0.

    >>> after_last_crossing(np.arange(5.0), np.array([9.0, -1.0, 2.0, np.nan, 1.0]), limit=0.0)
    (array([2., 4.]), array([2., 1.]))
    """
    there = np.isfinite(value) & (step > 0)
    step, value = step[there], value[there]
    side = np.sign(value - np.nan_to_num(limit))
    crossed = np.flatnonzero((side != side[-1:]) | (side == 0))
    first = crossed[-1] + 1 if len(crossed) else 0
    return step[first:], value[first:]
