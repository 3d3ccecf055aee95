import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nucleate.claims import Estimate, Reason, Region, Verdict

REPLICATED, CONTRADICTED, INCONCLUSIVE = Verdict.REPLICATED, Verdict.CONTRADICTED, Verdict.INCONCLUSIVE
CLOSED, OPEN = Region.between(0, 1), Region.strictly_between(0, 1)


@pytest.mark.parametrize(
    ("region", "interval", "verdict"),
    [
        (CLOSED, (0.2, 0.8), REPLICATED),
        (CLOSED, (0.0, 1.0), REPLICATED),  # the bounds belong to the region
        (CLOSED, (-0.1, 0.8), INCONCLUSIVE),
        (CLOSED, (0.2, 1.1), INCONCLUSIVE),
        (CLOSED, (-1.0, 2.0), INCONCLUSIVE),  # too wide to tell
        (CLOSED, (1.1, 2.0), CONTRADICTED),
        (CLOSED, (-2.0, -0.1), CONTRADICTED),
        (CLOSED, (1.0, 2.0), INCONCLUSIVE),  # touches
        (OPEN, (0.2, 0.8), REPLICATED),
        (OPEN, (0.0, 0.8), INCONCLUSIVE),  # the bounds do not belong to it
        (OPEN, (0.2, 1.0), INCONCLUSIVE),
        (OPEN, (1.0, 2.0), CONTRADICTED),
        (OPEN, (-1.0, 0.0), CONTRADICTED),
        (Region.at_least(0.5), (0.5, 9.0), REPLICATED),
        (Region.at_least(0.5), (0.1, 0.4), CONTRADICTED),
        (Region.at_least(0.5), (0.1, 0.5), INCONCLUSIVE),
        (Region.above(0.5), (0.5, 9.0), INCONCLUSIVE),
        (Region.above(0.5), (0.1, 0.5), CONTRADICTED),
        (Region.at_most(0.5), (-9.0, 0.5), REPLICATED),
        (Region.at_most(0.5), (0.6, 0.7), CONTRADICTED),
        (Region.below(0.5), (-9.0, 0.5), INCONCLUSIVE),
        (Region.below(0.5), (0.5, 0.5), CONTRADICTED),
        (Region.exactly(2), (2.0, 2.0), REPLICATED),
        (Region.exactly(2), (3.0, 3.0), CONTRADICTED),
        (Region.exactly(2), (2.0, 3.0), INCONCLUSIVE),
        (Region.around(2, 0.5), (1.5, 2.5), REPLICATED),
        (Region(), (-1e9, 1e9), REPLICATED),
        (CLOSED, (math.nan, math.nan), INCONCLUSIVE),
        (CLOSED, (0.5, math.nan), INCONCLUSIVE),
        # "Never" is a number larger than all others.
        (Region.at_least(0), (1.0, math.inf), REPLICATED),
        (Region.at_least(0), (math.inf, math.inf), REPLICATED),
        (CLOSED, (0.5, math.inf), INCONCLUSIVE),
        (CLOSED, (1.5, math.inf), CONTRADICTED),
    ],
)
def test_an_interval_is_judged_by_where_it_lies(region, interval, verdict):
    assert region.judge(Estimate(sum(interval) / 2, *interval)) == verdict


@pytest.mark.parametrize("reason", Reason)
@pytest.mark.parametrize("low", [0.4, 5.0])
def test_an_estimate_with_a_reason_decides_nothing_wherever_it_lies(reason, low):
    assert CLOSED.judge(Estimate(low, low, low + 0.1, 10, reason)) == INCONCLUSIVE


numbers = st.integers(-3, 3).map(float)


@given(numbers, numbers, numbers, numbers, st.booleans(), st.booleans())
def test_a_verdict_is_what_all_numbers_of_the_interval_agree_on(a, b, c, d, low_open, high_open):
    low, high = sorted((a, b))
    if low == high:
        low_open = high_open = False
    region = Region(low, high, low_open, high_open)
    start, end = sorted((c, d))
    inside = lambda x: (low < x if low_open else low <= x) and (x < high if high_open else x <= high)
    halves = [start + i / 2 for i in range(int(2 * (end - start)) + 1)]  # bounds are whole: nothing is missed
    verdict = region.judge(Estimate(start, start, end))
    assert (verdict == REPLICATED) == all(map(inside, halves))
    assert (verdict == CONTRADICTED) == (not any(map(inside, halves)))


def test_regions_say_what_they_are():
    regions = {
        Region.exactly(1): "= 1",
        Region.at_least(0.5): "≥ 0.5",
        Region.above(0.5): "> 0.5",
        Region.at_most(2): "≤ 2",
        Region.below(2): "< 2",
        CLOSED: "in [0, 1]",
        OPEN: "in (0, 1)",
        Region(0, 1, high_open=True): "in [0, 1)",
        Region.around(0.4, 0.05): "in [0.35, 0.45]",
        Region(): "any number",
    }
    assert {region: str(region) for region in regions} == regions


@pytest.mark.parametrize("bounds", [(1, 0), (math.nan, 1)])
def test_a_region_of_no_numbers_is_refused(bounds):
    with pytest.raises(ValueError, match=r"Region\.low must be (<= high|a number or ±inf); got"):
        Region(*bounds)
    with pytest.raises(ValueError, match=r"Region is empty: 1 with an open bound"):
        Region.strictly_between(1, 1)
