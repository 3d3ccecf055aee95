import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from nucleate.claims import partial_spearman, pearson, spearman

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


def test_a_partial_rank_correlation_is_that_of_the_residuals():
    rng = np.random.default_rng(0)
    given = rng.normal(size=400)
    x, y = given + 0.1 * rng.normal(size=400), given + 0.1 * rng.normal(size=400)
    assert spearman(x, y) > 0.9
    assert abs(partial_spearman(x, y, given)) < 0.2
    assert partial_spearman(x, x, given) == pytest.approx(1)
    assert math.isnan(partial_spearman(given, y, given))
    assert partial_spearman(x, y, np.zeros(400)) == pytest.approx(spearman(x, y))


def test_never_is_the_last_rank_and_next_to_nan_nothing_has_one():
    x = np.array([1.0, 2.0, np.inf, np.inf])
    assert spearman(x, np.arange(4)) == pytest.approx(stats.spearmanr([1, 2, 3, 3], np.arange(4)).statistic)
    assert math.isnan(spearman(np.array([1.0, np.nan, 2.0]), np.arange(3)))
    assert math.isnan(spearman(np.array([]), np.array([])))
