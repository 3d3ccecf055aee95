import numpy as np
import pytest

from nucleate.record import NEVER, Outcome, Variable, fill_value
from nucleate.record.schema import OUTCOME_ATTRS


@pytest.mark.parametrize(
    ("dtype", "fill"), [("float32", np.nan), ("complex64", np.nan), ("bool", False), ("int32", NEVER), ("uint8", 0)]
)
def test_nothing_here_has_a_value_in_every_type(dtype, fill):
    assert np.array_equal(fill_value(np.dtype(dtype)), fill, equal_nan=True)
    assert np.array_equal(Variable("x", (), (), np.dtype(dtype), ()).fill, fill, equal_nan=True)


def test_outcomes_are_stable_numbers_and_described_for_others():
    # Numbers in files: changing one needs a new schema version.
    assert {o.name: int(o) for o in Outcome} == {"PENDING": 0, "OK": 1, "STOPPED": 2, "DIVERGED": 3}
    assert dict(zip(OUTCOME_ATTRS["flag_values"], OUTCOME_ATTRS["flag_meanings"].split(), strict=True)) == {
        0: "pending",
        1: "ok",
        2: "stopped",
        3: "diverged",
    }
