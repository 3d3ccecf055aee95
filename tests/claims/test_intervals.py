"""Intervals hold the truth as often as they say. `benchmarks/intervals.py` looks closer, and at more of them."""

import math

import numpy as np
import pytest
from scipy import stats

from nucleate.claims import ONCE, SEQUENTIAL, spearman
from nucleate.claims.intervals import (
    chance_constant,
    chance_order,
    of_correlation,
    of_difference_of_shares,
    of_mean,
    of_median,
    of_share,
)

CASES = {
    "share": (lambda rng, size: rng.random(size) < 0.8, lambda x, error: of_share(int(x.sum()), len(x), error), 0.8),
    "median": (lambda rng, size: rng.exponential(1, size), of_median, math.log(2)),
    "mean": (lambda rng, size: rng.normal(3, 2, size), of_mean, 3.0),
    "mean, skewed": (lambda rng, size: rng.exponential(1, size), of_mean, 1.0),
    "ranks": (
        lambda rng, size: rng.normal(size=(*size, 2)) @ np.array([[1, 1], [0, math.sqrt(3)]]),  # correlated by 1/2
        lambda x, error: of_correlation(min(spearman(x[:, 0], x[:, 1]), 0.99), len(x), error, ranks=True),
        6 / math.pi * math.asin(0.25),
    ),
}


@pytest.mark.parametrize(("units", "looks"), [(6, SEQUENTIAL), (20, SEQUENTIAL), (100, ONCE)], ids=["6", "20", "100"])
@pytest.mark.parametrize("case", CASES)
def test_all_looks_hold_the_truth(case, units, looks):
    draw, interval, truth = CASES[case]
    samples = draw(np.random.default_rng(units), (200, units * 2 ** (looks.count - 1)))
    missed = 0
    for sample in samples:
        ends = [interval(sample[: units * 2**look], error) for look, error in enumerate(looks.errors)]
        missed += not all(low <= truth <= high for low, high in ends)
    assert missed <= 16  # 8 %: what 5 % may look like in 200 samples


def test_the_ends_of_a_median_are_units():
    ordered = np.arange(1.0, 21.0)
    shuffled = np.random.default_rng(0).permutation(ordered)
    assert of_median(shuffled, 0.05) == (6.0, 15.0)  # as in every table: 95.9 %
    assert of_median(shuffled, 0.03) == (5.0, 16.0)
    assert of_median(np.append(shuffled, [math.inf] * 20), 0.05)[1] == math.inf


@pytest.mark.parametrize("units", [5, 6, 8, 9])
def test_a_median_is_open_below_the_fewest_units_of_its_level(units):
    for error in (0.05, 0.0045):
        enough = 2.0 ** (1 - units) <= error
        assert math.isfinite(of_median(np.arange(units), error)[0]) == enough


def test_a_mean_of_an_even_spread_has_students_interval():
    sample = np.array([-2.0, -1.0, 0.0, 0.0, 1.0, 2.0])
    t = stats.t.interval(0.95, 5, sample.mean(), stats.sem(sample))
    assert of_mean(sample, 0.05) == pytest.approx(t)


def test_a_mean_allows_for_more_on_the_side_of_its_tail():
    sample = np.array([0.1, 0.2, 0.2, 0.3, 0.4, 2.0])
    t = stats.t.interval(0.95, 5, sample.mean(), stats.sem(sample))
    low, high = of_mean(sample, 0.05)
    assert low == pytest.approx(t[0])
    assert high > t[1]
    assert of_mean(-sample, 0.05) == pytest.approx((-high, -low))


def test_ranks_are_less_sure_than_values():
    values, ranks = (of_correlation(0.8, 20, 0.05, ranks=ranks) for ranks in (False, True))
    assert values == pytest.approx((0.5534, 0.9177), abs=1e-3)
    assert ranks[0] < values[0] < 0.8 < values[1] < ranks[1]


def test_a_share_is_that_of_scipy():
    for hits, total in ((0, 7), (3, 7), (7, 7)):
        expected = stats.binomtest(hits, total).proportion_ci(0.99, method="exact")
        assert of_share(hits, total, 0.01) == pytest.approx(expected)


@pytest.mark.parametrize("units", [(6, 6), (6, 15), (20, 6)])
@pytest.mark.parametrize("error", [0.05, 0.0045])
def test_a_difference_of_shares_covers_the_truth_at_least_as_often_as_it_says(units, error):
    ends = np.array(
        [[of_difference_of_shares((x, units[0]), (y, units[1]), error) for y in range(units[1] + 1)]
         for x in range(units[0] + 1)]
    )  # fmt: skip
    truths = np.array([0.005, 0.03, 0.1, 0.3, 0.5, 0.8, 0.95, 0.99])
    first, other = (stats.binom.pmf(np.arange(n + 1)[:, None], n, truths) for n in units)
    for i, p in enumerate(truths):
        for j, q in enumerate(truths):
            held = (ends[..., 0] <= p - q + 1e-9) & (p - q - 1e-9 <= ends[..., 1])
            assert first[:, i] @ held @ other[:, j] >= 1 - error


def test_a_difference_of_shares_is_that_of_large_samples_and_turns_with_its_order():
    few = of_difference_of_shares((8, 10), (1, 10), 0.05)
    assert of_difference_of_shares((1, 10), (8, 10), 0.05) == pytest.approx((-few[1], -few[0]))
    assert few[0] > 0  # Fisher's exact test of the two shares: 0.5 %
    many = of_difference_of_shares((480, 800), (200, 500), 0.05)
    half = 1.96 * math.sqrt(0.6 * 0.4 / 800 + 0.4 * 0.6 / 500)
    assert many == pytest.approx((0.2 - half, 0.2 + half), abs=0.003)
    assert of_difference_of_shares((6, 6), (0, 6), 0.05)[1] == pytest.approx(1)


def test_chances_are_those_of_counting():
    assert chance_order(np.array([0, 1, 1]), np.arange(3)) == pytest.approx(2 / 3)
    assert chance_order(np.arange(5)) == pytest.approx(2 / 120)
    assert chance_constant(np.array([1, 1, 2])) == pytest.approx((2 / 3) ** 3 + (1 / 3) ** 3)
