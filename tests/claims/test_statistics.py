import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nucleate.claims import (
    Estimate,
    Reason,
    at_level,
    bootstrap,
    difference_of_shares,
    partial_spearman,
    pearson,
    ratio,
    share,
    spearman,
)
from nucleate.claims.resampling import resampled

UNITS = (6, 20, 100)


@given(st.integers(1, 400), st.data())
def test_a_share_has_the_exact_binomial_interval(total, data):
    hits = data.draw(st.integers(0, total))
    found = share(hits, total)
    assert (found.value, found.units, found.reason) == (hits / total, total, None)
    # At its ends the data are just as unlikely as 95 % allow, on either side.
    if hits:
        assert stats.binom.sf(hits - 1, total, found.low) == pytest.approx(0.025)
    if hits < total:
        assert stats.binom.cdf(hits, total, found.high) == pytest.approx(0.025)
    assert (found.low == 0) == (hits == 0)
    assert (found.high == 1) == (hits == total)


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("truth", [0.5, 0.8, 0.97])
def test_a_share_covers_the_truth_at_least_as_often_as_it_says(units, truth):
    hits = np.arange(units + 1)
    covered = [found.low <= truth <= found.high for found in (share(int(h), units) for h in hits)]
    assert stats.binom.pmf(hits, units, truth) @ covered >= 0.95


def test_a_share_of_nothing_is_unknown():
    found = share(0, 0)
    assert math.isnan(found.value)
    assert found.reason is Reason.TOO_FEW


def test_a_difference_of_shares_obeys_the_level_and_needs_units_of_both():
    found = difference_of_shares((8, 10), (3, 20))
    assert (found.value, found.units, found.reason) == (pytest.approx(0.65), 10, None)
    with at_level(0.9955):
        surer = difference_of_shares((8, 10), (3, 20))
    assert surer.low < found.low < found.high < surer.high
    assert difference_of_shares((8, 10), (0, 0)).reason is Reason.TOO_FEW
    with pytest.raises(ValueError, match=r"difference_of_shares: hits must be between 0 and total = 20; got 21\."):
        difference_of_shares((8, 10), (21, 20))


def test_bootstrap_width_is_that_of_the_standard_error():
    sample = np.random.default_rng(1).normal(size=400)
    found = bootstrap(np.mean, sample)
    assert (found.value, found.units) == (sample.mean(), 400)
    assert found.high - found.low == pytest.approx(2 * 1.96 * sample.std() / 20, rel=0.1)


@pytest.mark.parametrize("units", [1, 5])
def test_fewer_than_six_units_decide_nothing(units):
    assert bootstrap(np.mean, np.arange(float(units))) == Estimate.open((units - 1) / 2, Reason.TOO_FEW, units)
    assert bootstrap(lambda a, b: float(a.mean()), np.arange(9.0), np.arange(float(units))).reason is Reason.TOO_FEW


def test_six_units_have_an_interval():
    assert bootstrap(np.median, np.arange(6.0)) == Estimate(2.5, 0.0, 5.0, 6)  # all that was seen


def test_a_median_of_alike_units_is_not_moved_by_the_units_that_were_not_seen():
    for units in (6, 20, 100):
        assert bootstrap(np.median, np.full(units, 0.3)) == Estimate(0.3, 0.3, 0.3, units)


def test_a_mean_of_alike_units_is_open_without_bounds_and_like_a_share_with_them():
    assert bootstrap(np.mean, np.ones(20)) == Estimate(1.0, -math.inf, math.inf, 20)
    for units in UNITS:
        found, exact = bootstrap(np.mean, np.ones(units), bounds=(0, 1)), share(units, units)
        assert found.high == 1.0
        assert found.low == pytest.approx(exact.low, abs=1 / units)
        assert bootstrap(np.mean, np.zeros(units), bounds=(0, 1)).high == pytest.approx(1 - found.low)


def test_a_perfect_order_of_few_units_is_not_exact():
    widths = []
    for units in UNITS:
        found = bootstrap(spearman, np.arange(float(units)), np.arange(float(units)) ** 3, resamples=200)
        assert (found.value, found.high) == (pytest.approx(1), pytest.approx(1))
        assert found.low < 0.95
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True)


def test_samples_apart_are_widened_apart():
    above = lambda a, b: float(np.mean(a[:, None] > b))
    found = bootstrap(above, np.full(12, 2.0), np.full(20, 1.0))
    assert (found.value, found.high) == (1.0, 1.0)
    assert 0 < found.low < share(12, 12).low  # units of both may differ


def test_a_statistic_that_cannot_take_unseen_units_is_open():
    counts = lambda sample: float(int(sample.max()))  # no whole number is infinite
    assert bootstrap(counts, np.full(8, 3.0)) == Estimate(3.0, -math.inf, math.inf, 8)


def test_bootstrap_resamples_columns_together_unless_told_otherwise():
    x = np.random.default_rng(2).normal(size=30)
    gap = lambda a, b: float(np.mean(a) - np.mean(b))
    together, apart = bootstrap(gap, x, x + 1), bootstrap(gap, x, x + 1, apart=True)
    assert (together.value, apart.value) == (pytest.approx(-1), pytest.approx(-1))
    assert math.isinf(together.low)  # the gap is -1 in every resample, so that nothing is known of its spread
    assert apart.high - apart.low == pytest.approx(2 * 1.96 * np.sqrt(2 * x.var() / 30), rel=0.15)


def test_bootstrap_resamples_columns_of_different_lengths_apart():
    rng = np.random.default_rng(4)
    a, b = rng.normal(1.0, 1.0, 50), rng.normal(0.0, 1.0, 200)
    found = bootstrap(lambda a, b: float(np.mean(a) - np.mean(b)), a, b)
    assert (found.value, found.units) == (np.mean(a) - np.mean(b), 50)
    assert found.high - found.low == pytest.approx(2 * 1.96 * np.sqrt(a.var() / 50 + b.var() / 200), rel=0.1)


def test_bootstrap_is_reproducible():
    sample, gap = np.random.default_rng(3).normal(size=20), lambda sample: float(np.ptp(sample))
    assert bootstrap(gap, sample, seed=3) == bootstrap(gap, sample, seed=3)
    assert bootstrap(gap, sample, seed=3) != bootstrap(gap, sample, seed=4)


@pytest.mark.parametrize(
    ("x", "reason"), [(np.array([]), Reason.TOO_FEW), (np.full(10, 0.1), Reason.UNDEFINED)], ids=["empty", "constant"]
)
def test_bootstrap_of_what_is_undefined_is_unknown(x, reason):
    found = bootstrap(pearson, x, np.arange(float(len(x))))
    assert all(map(math.isnan, (found.value, found.low, found.high)))
    assert found.reason is reason


def test_bootstrap_leaves_out_few_undefined_resamples_and_gives_up_on_many():
    # Without a 1 among the zeros a resample has no correlation: 0.9⁴⁰ of all with four of them, e⁻¹ with one.
    few, many = (np.arange(40.0) % period == 0 for period in (10, 40))
    found = bootstrap(pearson, few, np.arange(40.0))
    assert -1 <= found.low < found.value < found.high <= 1
    assert bootstrap(pearson, many, np.arange(40.0)).reason is Reason.UNDEFINED


def test_bootstrap_counts_never_as_later_than_any_step():
    first = lambda sample: float(sample.min())
    steps = np.array([10.0, 20.0] + [math.inf] * 18)
    found = bootstrap(first, steps)
    assert (found.value, found.low, found.high) == (10.0, 10.0, math.inf)  # 0.9²⁰ of the resamples have neither


def test_an_exact_number_is_its_own_interval():
    assert Estimate.exact(0.25) == Estimate(0.25, 0.25, 0.25, units=0, reason=None)


@pytest.mark.parametrize("estimate", [Estimate(0.2, 0.1, 0.3, 10), Estimate.exact(0.2), Estimate.unknown()])
def test_too_early_keeps_the_number_and_opens_the_interval(estimate):
    early = estimate.too_early()
    assert (early.low, early.high, early.reason) == (-math.inf, math.inf, Reason.TOO_EARLY)
    assert early.units == estimate.units
    assert early.value == estimate.value or math.isnan(estimate.value)


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_a_ratio_is_defined_everywhere(numerator, denominator):
    found = ratio(numerator, denominator)
    if denominator:
        with np.errstate(over="ignore"):
            assert found == float(np.float64(numerator) / np.float64(denominator))
    else:
        assert math.isnan(found) if numerator == 0 else found == math.copysign(math.inf, numerator)


def test_a_ratio_takes_numpys_numbers_without_a_warning():
    assert ratio(np.float64(1), np.float64(0)) == math.inf


def test_what_may_still_happen_widens_the_interval_and_makes_it_too_early():
    now, lowest, highest = share(5, 10), share(3, 10), share(9, 10)
    later = now.or_later(lowest, highest)
    assert (later.value, later.low, later.high, later.units) == (0.5, lowest.low, highest.high, 10)
    assert later.pending
    assert not now.or_later(now, now).pending
    assert now.or_later(Estimate.unknown(Reason.TOO_FEW), highest).reason is Reason.TOO_FEW


@pytest.mark.parametrize("statistic", [np.mean, pearson, spearman, partial_spearman])
def test_resamples_taken_at_once_are_those_taken_one_by_one(statistic):
    rng = np.random.default_rng(0)
    columns = tuple(rng.integers(0, 9, 12) for _ in range({np.mean: 1, partial_spearman: 3}.get(statistic, 2)))
    drawn = [
        resampled(each, columns, True, 200, np.random.default_rng(1)) for each in (statistic, lambda *s: statistic(*s))
    ]
    assert drawn[0] == pytest.approx(drawn[1], abs=1e-12)
    assert len(np.unique(drawn[0])) > 20


def test_a_mean_that_may_be_infinite_is_resampled():
    never = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, math.inf])
    found = bootstrap(np.mean, never)
    assert (found.value, found.high) == (math.inf, math.inf)
    assert 1 <= found.low < 6  # a third of the resamples have no infinite unit
    with at_level(0.9999):  # for which 2,000 resamples are not enough
        assert bootstrap(np.mean, never).low == -math.inf


def test_a_mean_of_hits_and_misses_is_a_share():
    for sample, bounds in ((np.arange(20) < 18, (-math.inf, math.inf)), ((np.arange(20) < 18) * 1.0, (0, 1))):
        assert bootstrap(np.mean, sample, bounds=bounds) == share(18, 20)
    assert bootstrap(np.mean, (np.arange(20) < 18) * 1.0) != share(18, 20)


def test_the_rows_of_a_mean_are_its_units():
    rows = np.random.default_rng(5).normal(size=(12, 7))
    assert bootstrap(np.mean, rows) == replace(bootstrap(np.mean, rows.mean(1)), value=rows.mean())


def test_a_mean_stays_within_its_bounds():
    sample = np.array([0.5, 0.9, 0.99, 0.98, 0.97, 0.99])
    assert bootstrap(np.mean, sample).high > 1
    found = bootstrap(np.mean, sample, bounds=(0, 1))
    assert found.low == bootstrap(np.mean, sample).low
    assert found.high == 1


def test_ranks_that_chance_may_order_are_not_told_from_chance():
    sides, values = np.array([0, 0, 0, 1, 1, 1]), np.arange(6.0)
    assert bootstrap(spearman, sides, values).low == 0  # one of twenty ways to put three of six on a side
    assert bootstrap(spearman, np.tile(sides, 3), np.tile(values, 3)).low > 0


INTERVALS = {
    "share": lambda: share(9, 20),
    "median": lambda: bootstrap(np.median, np.random.default_rng(0).normal(size=20)),
    "mean": lambda: bootstrap(np.mean, np.random.default_rng(0).exponential(size=20)),
    "alike": lambda: bootstrap(np.mean, np.full(20, 0.3), bounds=(0, 1)),
    "ranks": lambda: bootstrap(spearman, *np.random.default_rng(0).normal(size=(2, 20))),
    "few ranks": lambda: bootstrap(spearman, *np.random.default_rng(0).normal(size=(2, 12))),
    "values": lambda: bootstrap(pearson, *np.random.default_rng(0).normal(size=(2, 20))),
    "apart": lambda: bootstrap(
        lambda a, b: float(a.mean() - b.mean()), *np.random.default_rng(0).normal(size=(2, 20)), apart=True
    ),
}


@pytest.mark.parametrize("kind", INTERVALS)
def test_every_interval_is_wider_at_a_higher_level(kind):
    found = []
    for level in (0.8, 0.95, 0.9955):
        with at_level(level):
            found.append(INTERVALS[kind]())
    assert INTERVALS[kind]() == found[1]  # the level is 95 % where none is set
    for narrow, wide in itertools.pairwise(found):
        assert wide.low <= narrow.low <= narrow.value == wide.value <= narrow.high <= wide.high
        assert wide.high - wide.low > narrow.high - narrow.low
