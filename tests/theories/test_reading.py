"""Rows count until one is not finite."""

import numpy as np
import pytest
import xarray as xr

from nucleate.theories.reading import coords_over, finite_rows, labelled_pairs, rising_steps, scaled_times

RECORD = xr.Dataset(
    {"x": (("mode", "step", "member"), np.arange(12.0).reshape(2, 3, 2)), "note": "a word"},
    coords={"step": [0, 5, 20], "eta": ("member", [1.0, 2.0])},
)


def test_rows_count_until_one_is_not_finite_in_any_variable():
    x, y = np.ones((2, 4, 3), np.float32), np.ones((2, 4, 3), np.float32)
    x[0, 2, 1], y[1, 1, 0] = np.nan, np.inf
    dims = ("member", "step", "freq")
    record = xr.Dataset({"x": (dims, x), "y": (dims, y)}).transpose("freq", "step", "member")
    (first, second), finite = finite_rows(record, ("x", "y"), dims)
    assert finite.tolist() == [[True, True, False, False], [True, False, False, False]]
    assert first.dtype == np.float64
    for values in (first, second):
        assert np.array_equal(values, np.where(finite[..., None], 1.0, 0.0) * np.ones(3))


def test_steps_rise_and_are_enough():
    assert rising_steps(RECORD["x"], "Law", least=3).tolist() == [0, 5, 20]
    with pytest.raises(ValueError, match=r"Law needs rising steps, at least 4; got step = \[ 0.  5. 20.\]"):
        rising_steps(RECORD["x"], "Law", least=4)
    with pytest.raises(ValueError, match="rising steps"):
        rising_steps(RECORD["x"].isel(step=[0, 2, 1]), "Law")
    with pytest.raises(ValueError, match="needs the coordinate 'step', the training step of each row of 'x'"):
        rising_steps(RECORD["x"].drop_vars("step"), "Law")


def test_times_begin_at_the_first_row_and_run_at_the_learning_rate():
    later = RECORD.assign_coords(step=[10, 15, 30])
    assert scaled_times(later, "eta").tolist() == [[0, 5, 20], [0, 10, 40]]
    assert scaled_times(later.assign_coords(eta=3.0), "eta").tolist() == [[0, 15, 60]] * 2


def test_pairs_and_their_labels():
    record = xr.Dataset({"left": ("pair", [0, 1]), "right": ("pair", [2, 1]), "label": ("pair", [2, 2])})
    pairs, label = labelled_pairs(record)
    assert (pairs.tolist(), label.tolist()) == ([[0, 2], [1, 1]], [2, 2])


def test_coordinates_are_kept_if_they_have_no_other_dims():
    record = RECORD.assign_coords(both=(("member", "mode"), np.ones((2, 2))), scalar=1.0)
    assert sorted(coords_over(record, "member")) == ["eta", "scalar"]
    assert sorted(coords_over(record, "member", "step")) == ["eta", "scalar", "step"]
