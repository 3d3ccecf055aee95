"""Test losses over time."""

import numpy as np
import xarray as xr


def loss_at(record: xr.Dataset, step: int) -> np.ndarray:
    """Each network's test loss at the last record up to `step`; NaN where it had stopped by then."""
    row = int(np.searchsorted(record.step_test.values, step, side="right")) - 1
    return record.test_loss.values[:, row]


def reached(record: xr.Dataset, loss: float) -> np.ndarray:
    """First recorded step at which each network's test loss is at most `loss`; infinite where it never was."""
    below = np.nan_to_num(record.test_loss.values, nan=np.inf) <= loss
    step = record.step_test.values.astype(float)
    return np.where(below.any(1), step[below.argmax(1)], np.inf)


def of_variant(record: xr.Dataset, variant: int) -> xr.Dataset:
    """The ablated networks of one variant, A to D counted from 0; one per network of the source, in its order."""
    return record.isel(member=np.flatnonzero(record.variant.values == variant))


def originals(source: xr.Dataset, again: xr.Dataset) -> xr.Dataset:
    """The networks of `source` that were trained `again`, in the order of their seeds there."""
    return source.isel(member=np.searchsorted(source.seed.values, again.seed.values))
