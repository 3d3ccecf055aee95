import math

import pytest

from nucleate.claims import ERROR, ONCE, SEQUENTIAL, Looks, at_level, level
from nucleate.claims.looks import percent


def test_a_level_is_set_for_a_block_and_what_is_in_it():
    asked = []
    with at_level(0.99, lambda: asked.append("outer")):
        assert level() == 0.99
        with at_level(0.9, lambda: asked.append("inner")):
            assert level() == 0.9
        with pytest.raises(ZeroDivisionError), at_level(0.8):
            _ = 1 / 0
        assert level() == 0.99
    assert level() == 0.95
    assert asked == ["outer", "inner", "outer"]


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, math.nan, "high"])
def test_a_level_is_a_share(share):
    with pytest.raises(ValueError, match="at_level: share"):
        at_level(share)


def test_looks_share_five_percent():
    assert math.fsum(ONCE.errors) == math.fsum(SEQUENTIAL.errors) == ERROR
    assert SEQUENTIAL.level(1) == 1 - SEQUENTIAL.errors[0]
    assert SEQUENTIAL.errors[0] >= 2**-5  # the range of six units holds their median with 1 − 2⁻⁵
    assert (ONCE.count, SEQUENTIAL.count) == (1, 5)
    assert str(SEQUENTIAL) == "5 looks, with intervals of 96.8 % and 99.55 %"
    assert percent(SEQUENTIAL.level(1)) == "96.8 %"


@pytest.mark.parametrize("errors", [(), (0.05, 0.001), (0.0, 0.05), (1.0,)])
def test_looks_that_spend_more_or_nothing_are_refused(errors):
    with pytest.raises(ValueError, match=r"Looks\.errors"):
        Looks(errors)
