"""One error names all that a record lacks."""

import numpy as np
import pytest
import xarray as xr

from nucleate.record import Need, require

STEP = Need("step", ("step",), "the training step of each row")
LABEL = Need("label", ("pair",), "the answer to each pair")
ETA = Need("eta", ("member",), "the learning rate", broadcasts=True)
STATE = Need("x", ("member", "step", "*"), "the state")
RECORD = xr.Dataset(
    {"x": (("mode", "step", "member"), np.arange(12.0).reshape(2, 3, 2)), "note": "a word"},
    coords={"step": [0, 5, 20], "eta": ("member", [1.0, 2.0])},
)


def test_a_record_that_has_everything_passes_in_any_order_of_dims():
    require(RECORD, "Law", (STATE, STEP, ETA, Need("x", None, "whatever its dims")))
    require(RECORD.drop_vars("eta").assign_coords(eta=1.0), "Law", [ETA])


def test_all_problems_are_in_one_message():
    poor = RECORD.drop_vars("step").isel(mode=0).rename(eta="rate")
    with pytest.raises(ValueError, match="Law cannot read this record") as error:
        require(poor, "Law", (STATE, STEP, ETA, LABEL))
    message = str(error.value)
    assert "over (step, member) instead: 'x' (member, step, *), the state" in message
    for name in ("step", "eta", "label"):
        assert f"missing: '{name}'" in message
    assert "the variables ['x', 'note'] and the coordinates ['rate']" in message


def test_a_dimension_without_a_coordinate_is_missing():
    with pytest.raises(ValueError, match="missing: 'step'"):
        require(RECORD.drop_vars("step"), "Law", [STEP])


def test_a_lost_member_axis_comes_with_a_hint():
    with pytest.raises(ValueError, match=r"over \(mode, step\) instead: 'x'.*isel\(member=\[i\]\)"):
        require(RECORD.isel(member=0), "Law", [STATE])


@pytest.mark.parametrize(
    ("dims", "fits"),
    [
        (("member", "step", "freq"), True),
        (("freq", "member", "step"), True),
        (("member", "step"), False),
        (("member", "step", "freq", "more"), False),
        (("step", "freq", "more"), False),
        ((), False),
    ],
)
def test_a_star_is_one_dimension_of_any_name(dims, fits):
    assert STATE.accepts(dims) == fits


def test_what_is_mapped_may_have_more_dimensions():
    need = Need("x", ("mode",), "the state", mapped=True)
    assert need.accepts(("member", "step", "mode"))
    assert need.accepts(("mode",))
    assert not need.accepts(("member", "step"))
