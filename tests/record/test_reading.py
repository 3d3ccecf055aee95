import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from nucleate.record import MissingColumn, Outcome, at_the_end, last_row, naming_columns, stayed_finite


@pytest.fixture
def record() -> xr.Dataset:
    """Three members: one to the end, one stopped between two looks, one at the start; and a sparser axis."""
    steps, sparse = np.array([0, 10, 20, 30]), np.array([0, 25])
    return xr.Dataset(
        {
            "loss": (("member", "step"), np.arange(12.0).reshape(3, 4)),
            "embedding": (("member", "step_late", "dim"), np.arange(12).reshape(3, 2, 2)),
            "last_step": ("member", [30, 19, 0]),
            "outcome": ("member", np.array([Outcome.OK, Outcome.DIVERGED, Outcome.OK], np.int8)),
        },
        coords={"step": steps, "step_late": sparse},
    )


def test_the_last_row_is_the_last_look_before_the_member_stopped(record):
    assert last_row(record).tolist() == [3, 1, 0]
    assert last_row(record, "step_late").tolist() == [1, 0, 0]


def test_final_values_are_taken_along_the_variables_own_axis(record):
    assert at_the_end(record, "loss").tolist() == [3.0, 5.0, 8.0]
    assert at_the_end(record, "embedding").tolist() == [[2, 3], [4, 5], [8, 9]]


def test_members_that_diverged_are_left_out(record):
    kept = stayed_finite(record)
    assert kept.loss.values[:, 0].tolist() == [0.0, 8.0]
    assert stayed_finite(kept.isel(member=[])).sizes["member"] == 0


@given(st.lists(st.integers(0, 100), min_size=1, max_size=9, unique=True), st.integers(0, 120))
def test_the_last_row_is_the_largest_step_that_is_not_later(steps, stopped):
    looks = sorted({0, *steps})
    record = xr.Dataset({"last_step": ("member", [stopped])}, coords={"step": looks})
    assert looks[last_row(record)[0]] == max(step for step in looks if step <= stopped)


@pytest.mark.parametrize(
    "read",
    [
        lambda record: record.lost,
        lambda record: record["lost"],
        lambda record: record.isel(member=[0]).lost,
        lambda record: at_the_end(record, "lost"),
    ],
)
def test_a_column_that_is_not_there_is_named_with_its_record_and_what_there_is(record, read):
    others = {"toy/other": record.assign(lost=0), "toy/first": record}
    message = "the record of toy/first has no 'lost'; it has .*loss.*"
    with pytest.raises(MissingColumn, match=message), naming_columns(lambda: others):
        read(record)


@pytest.mark.parametrize(
    ("read", "error"),
    [
        (lambda record: {}["lost"], KeyError),
        (lambda record: record.loss.lost, AttributeError),
        (lambda record: record.sel(step=7), KeyError),
        (lambda record: (record.loss, "lost".lost), AttributeError),
    ],
)
def test_other_errors_stay_as_they_are(record, read, error):
    with pytest.raises(error), naming_columns(lambda: {"toy/first": record}):
        read(record)
