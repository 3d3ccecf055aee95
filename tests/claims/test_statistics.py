import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from nucleate.claims import Estimate, bootstrap, pearson, share, spearman


@given(st.integers(1, 400), st.data())
def test_share_is_wilsons_interval(total, data):
    hits = data.draw(st.integers(0, total))
    expected = stats.binomtest(hits, total).proportion_ci(method="wilson")
    found = share(hits, total)
    assert found.value == hits / total
    assert found.low == pytest.approx(expected.low, abs=1e-9)
    assert found.high == pytest.approx(expected.high, abs=1e-9)
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_a_share_of_nothing_is_unknown():
    assert all(map(math.isnan, vars(share(0, 0)).values()))


def test_an_exact_number_is_its_own_interval():
    assert Estimate.exact(0.25) == Estimate(0.25, 0.25, 0.25)


def test_bootstrap_intervals_cover_a_known_mean():
    rng = np.random.default_rng(0)
    trials = [bootstrap(np.mean, rng.normal(3.0, 2.0, 40), resamples=300, seed=i) for i in range(200)]
    assert 0.90 <= np.mean([trial.low <= 3.0 <= trial.high for trial in trials]) <= 0.99


def test_bootstrap_width_is_that_of_the_standard_error():
    sample = np.random.default_rng(1).normal(size=400)
    found = bootstrap(np.mean, sample)
    assert found.value == sample.mean()
    assert found.high - found.low == pytest.approx(2 * 1.96 * sample.std() / 20, rel=0.1)


def test_bootstrap_resamples_columns_together():
    x = np.random.default_rng(2).normal(size=30)
    found = bootstrap(pearson, x, 2 * x + 1)
    assert found.low == pytest.approx(1)
    assert found.high == pytest.approx(1)


def test_bootstrap_is_reproducible():
    sample = np.random.default_rng(3).normal(size=20)
    assert bootstrap(np.mean, sample, seed=3) == bootstrap(np.mean, sample, seed=3)
    assert bootstrap(np.mean, sample, seed=3) != bootstrap(np.mean, sample, seed=4)


@pytest.mark.parametrize("x", [np.array([]), np.full(10, 0.1)], ids=["empty", "constant"])
def test_bootstrap_of_what_is_undefined_is_unknown(x):
    assert all(map(math.isnan, vars(bootstrap(pearson, x, np.arange(float(len(x))))).values()))


def test_bootstrap_leaves_out_few_undefined_resamples_and_gives_up_on_many():
    # Without a 1 among the zeros a resample has no correlation: 0.9⁴⁰ of all with four of them, e⁻¹ with one.
    few, many = (np.arange(40.0) % period == 0 for period in (10, 40))
    found = bootstrap(pearson, few, np.arange(40.0))
    assert -1 <= found.low < found.value < found.high <= 1
    assert math.isnan(bootstrap(pearson, many, np.arange(40.0)).value)


def test_bootstrap_counts_never_as_later_than_any_step():
    def first(sample):
        return float(sample.min()) if len(sample) else math.inf

    steps = np.array([10.0, 20.0] + [math.inf] * 18)
    found = bootstrap(first, steps)
    assert (found.value, found.low, found.high) == (10.0, 10.0, math.inf)  # 0.9²⁰ of the resamples have neither


def test_bootstrap_resamples_columns_of_different_lengths_apart():
    rng = np.random.default_rng(4)
    a, b = rng.normal(1.0, 1.0, 50), rng.normal(0.0, 1.0, 200)
    found = bootstrap(lambda a, b: float(np.mean(a) - np.mean(b)), a, b)
    assert found.value == np.mean(a) - np.mean(b)
    assert found.high - found.low == pytest.approx(2 * 1.96 * np.sqrt(a.var() / 50 + b.var() / 200), rel=0.1)


columns = arrays(float, st.shared(st.integers(3, 30), key="n"), elements=st.integers(-50, 50).map(float))


@given(columns, columns)
def test_correlations_are_scipys(x, y):
    if len(np.unique(x)) < 2 or len(np.unique(y)) < 2:
        assert math.isnan(pearson(x, y))
        assert math.isnan(spearman(x, y))
    else:
        assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
        assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


@given(st.floats(1e-3, 1e3), st.integers(2, 40))
def test_a_constant_column_has_no_correlation_however_it_is_rounded(value, count):
    # The mean of equal numbers need not be that number: 0.1 three times is off by 1e-17.
    constant, ramp = np.full(count, value), np.arange(count)
    assert math.isnan(pearson(constant, ramp))
    assert math.isnan(spearman(ramp, constant))
