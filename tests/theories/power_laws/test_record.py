"""Which rows of a history are read, and what a record lacks."""

import numpy as np
import pytest
import xarray as xr

from nucleate.theories import PowerLaw, RecordedLimit
from nucleate.theories.power_laws.record import after_last_crossing, histories

RECORD = xr.Dataset({"c": (("step", "member"), np.arange(12.0).reshape(6, 2))}, coords={"step": np.arange(6)})


def test_histories_have_their_steps_last():
    step, held = histories(RECORD, "c")
    assert step.tolist() == [0, 1, 2, 3, 4, 5]
    assert held.dims == ("member", "step")


@pytest.mark.parametrize(
    ("value", "limit", "kept"),
    [
        ([1.0, -1.0, 2.0, 3.0], 0.0, [2, 3]),
        ([9.0, 1.0, 2.0, 3.0], 0.0, [1, 2, 3]),  # step 0 is left out
        ([1.0, 3.0, 0.5, 0.2], 1.0, [2, 3]),
        ([1.0, 2.0, 0.0, 3.0], 0.0, [3]),  # a row on the limit has no side
        ([1.0, 2.0, np.inf, 3.0], 0.0, [1, 3]),
        ([1.0, -2.0, 3.0, 4.0], np.nan, [2, 3]),  # an unknown limit counts as 0
        ([np.nan] * 4, 0.0, []),
    ],
)
def test_a_history_begins_after_its_last_crossing(value, limit, kept):
    step, rows = after_last_crossing(np.arange(4.0), np.array(value), limit)
    assert step.tolist() == kept
    assert rows.tolist() == [value[i] for i in kept]


def test_everything_that_is_missing_is_named_at_once():
    with pytest.raises(
        ValueError, match=r"missing: 'd', the observable(.|\n)*missing: 'd_star'(.|\n)*variables \['c'\]"
    ):
        PowerLaw("d", limit=RecordedLimit("d_star")).fit(RECORD)


@pytest.mark.parametrize(
    ("record", "match"),
    [
        (xr.Dataset({"c": ("member", [1.0])}), r"exactly one axis of steps; it is over \('member',\)"),
        (RECORD.drop_vars("step"), "needs the coordinate 'step', the training step of each row of 'c'"),
        (RECORD.isel(step=[1, 0, 2]), "needs rising steps"),
    ],
)
def test_steps_must_be_known_and_rise(record, match):
    with pytest.raises(ValueError, match=match):
        histories(record, "c")
