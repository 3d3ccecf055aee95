"""The readings of words fit together, and can be told apart."""

import pytest

from nucleate.claims import Verdict, share, words


def test_opposite_words_leave_something_between_them():
    assert words.NONE.high < words.RARELY.high <= words.OFTEN.low < words.MOST.low < words.NEARLY_ALL.low
    assert words.COMPARABLE.low < words.CLOSE.low < 1 < words.CLOSE.high < words.COMPARABLE.high
    assert words.NEGLIGIBLE.high < words.COMPARABLE.low


@pytest.mark.parametrize(("value", "low", "high"), [(8, 6.4, 10), (-4, -5, -3.2)])
def test_about_a_number(value, low, high):
    region = words.about(value)
    assert (region.low, region.high) == pytest.approx((low, high))


def test_how_many_networks_show_that_there_are_none():
    """36 without one; the docstring says so."""
    assert words.NONE.judge(share(0, 36)) == Verdict.REPLICATED
    assert words.NONE.judge(share(0, 35)) == Verdict.INCONCLUSIVE
