from math import comb

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from nucleate.observables import (
    covered,
    gram,
    grokking_rate,
    ideal_accuracy,
    ideal_rqi,
    ideal_test_accuracy,
    implied,
    is_linear,
    known,
    null_space,
    nullity,
)

repeatable = settings(deadline=None, derandomize=True, max_examples=50)
seeds = st.integers(0, 10**6)


@pytest.fixture(scope="session")
def ten(addition):
    return addition(10)


@pytest.fixture(scope="session")
def in_train(ten):
    """Two training sets of every size from 0 to 55."""
    return np.concatenate([ten.training_sets(size, count=2, seed=size) for size in range(56)])


def rank(rows):
    return int(np.linalg.matrix_rank(rows)) if len(rows) else 0


def test_gram_is_that_of_the_known_rows(ten, in_train):
    rows = known(ten.quads, in_train)
    for one, found in zip(rows, gram(ten.equations, rows), strict=True):
        assert np.array_equal(found, ten.equations[one].T @ ten.equations[one])


@pytest.mark.parametrize("p", [3, 4, 6, 10, 15])
def test_all_parallelograms_leave_shift_and_scale(addition, p):
    task = addition(p)
    everything = np.ones(len(task.quads), bool)
    assert nullity(task.equations, everything) == 2
    assert is_linear(task.equations, everything)


def test_nullity_matches_the_rank(ten, in_train):
    rows = known(ten.quads, in_train)
    expected = [10 - rank(ten.equations[one]) for one in rows]
    assert nullity(ten.equations, rows).tolist() == expected
    assert set(range(2, 11)) == set(expected)
    assert is_linear(ten.equations, rows).tolist() == [n == 2 for n in expected]


def test_float32_equations_are_counted_in_float64(ten, in_train):
    rows = known(ten.quads, in_train)
    assert np.array_equal(nullity(ten.equations.astype(np.float32), rows), nullity(ten.equations, rows))


def test_null_space_matches_scipy(ten, in_train):
    for one in known(ten.quads, in_train)[20::7]:
        ours, theirs = null_space(ten.equations, one), scipy.linalg.null_space(ten.equations[one])
        assert ours.shape == (10, nullity(ten.equations, one))
        np.testing.assert_allclose(ours.T @ ours, np.eye(ours.shape[1]), atol=1e-12)
        np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-10)


def test_null_space_of_everything_is_the_line(ten):
    basis = null_space(ten.equations, np.ones(70, bool))
    line = np.stack([np.ones(10), np.arange(10)], axis=1)
    np.testing.assert_allclose(basis @ basis.T @ line, line, atol=1e-12)


def test_implied_leaves_the_rank_unchanged(ten, in_train):
    rows = known(ten.quads, in_train)[::3]
    for one, found in zip(rows, implied(ten.equations, rows), strict=True):
        base = ten.equations[one]
        expected = [rank(np.vstack([base, row])) == rank(base) for row in ten.equations]
        assert found.tolist() == expected


def test_deduction_of_appendix_c(addition):
    # (0,4)~(1,3) and (1,5)~(2,4) imply (0,5)~(2,3), and nothing else.
    six = addition(6)
    rows = known(six.quads, six.having((0, 4), (1, 3), (1, 5), (2, 4)))
    news = implied(six.equations, rows) & ~rows
    assert rows.sum() == 2
    assert [six.pairs[quad].tolist() for quad in six.quads[news]] == [[[0, 5], [2, 3]]]


def test_training_set_of_appendix_e_determines_everything(addition):
    # Eq. 21 states three parallelograms, and they are all of P0.
    four = addition(4)
    rows = known(four.quads, four.having((0, 2), (1, 1), (0, 3), (1, 2), (1, 3), (2, 2)))
    assert rows.all()
    assert ideal_rqi(four.equations, rows) == 1
    # Any two of the three imply the third; one implies only itself.
    two, one = ~np.eye(3, dtype=bool), np.eye(3, dtype=bool)
    assert implied(four.equations, two).all()
    assert np.array_equal(implied(four.equations, one), one)


@repeatable
@given(seeds, st.integers(0, 55), st.integers(3, 10))
def test_implied_is_a_closure(addition, seed, size, p):
    task = addition(p)
    train = task.training_sets(size, count=2, seed=seed)
    rows = known(task.quads, train)
    follows = implied(task.equations, rows)
    assert not np.any(rows & ~follows)
    assert np.array_equal(implied(task.equations, follows), follows)
    assert np.array_equal(nullity(task.equations, follows), nullity(task.equations, rows))
    wider = known(task.quads, train | train[::-1])
    assert not np.any(follows & ~implied(task.equations, wider))


@repeatable
@given(seeds, st.integers(0, 54))
def test_more_data_never_determines_less(ten, seed, size):
    few, many = ten.training_sets(size, count=3, seed=seed), ten.training_sets(size + 1, count=3, seed=seed)
    assert not np.any(few & ~many)
    less, more = known(ten.quads, few), known(ten.quads, many)
    assert np.all(nullity(ten.equations, less) >= nullity(ten.equations, more))
    assert np.all(ideal_rqi(ten.equations, less) <= ideal_rqi(ten.equations, more))
    assert np.all(ideal_accuracy(ten.equations, ten.quads, few) <= ideal_accuracy(ten.equations, ten.quads, many))
    assert np.all(grokking_rate(ten.equations, less, 10.0) <= grokking_rate(ten.equations, more, 10.0) + 1e-12)


def test_ideal_rqi_is_the_share_of_implied(ten, in_train):
    rows = known(ten.quads, in_train)
    expected = [np.count_nonzero(implied(ten.equations, one)) / 70 for one in rows]
    np.testing.assert_allclose(ideal_rqi(ten.equations, rows), expected)


def test_ideal_accuracies_match_sets(ten, in_train):
    overall = ideal_accuracy(ten.equations, ten.quads, in_train)
    on_test = ideal_test_accuracy(ten.equations, ten.quads, in_train)
    for train, accuracy, test_accuracy in zip(in_train, overall, on_test, strict=True):
        follows = implied(ten.equations, known(ten.quads, train))
        right = set(np.flatnonzero(train).tolist())
        for first, second in ten.quads[follows].tolist():
            right |= {second} if train[first] else set()
            right |= {first} if train[second] else set()
        assert accuracy == pytest.approx(len(right) / 55)
        if not train.all():
            assert test_accuracy == pytest.approx((len(right) - train.sum()) / (55 - train.sum()))


def test_ideal_test_accuracy_without_test_pairs_is_nan(ten):
    full, empty = np.ones(55, bool), np.zeros(55, bool)
    found = ideal_test_accuracy(ten.equations, ten.quads, np.stack([full, empty]))
    assert np.isnan(found[0])
    assert found[1] == 0
    assert ideal_accuracy(ten.equations, ten.quads, full) == 1


def test_share_of_infeasible_splits_is_exact(ten):
    """A test pair is lost, once the line is determined, exactly when its whole label is in the test set."""
    train = ten.training_sets(45, count=4000, seed=0)
    assert is_linear(ten.equations, known(ten.quads, train)).all()
    found = ideal_test_accuracy(ten.equations, ten.quads, train)
    lost = [np.sum(~np.isin(ten.label[~one], ten.label[one])) for one in train[:200]]
    np.testing.assert_allclose(found[:200], 1 - np.array(lost) / 10)

    # Count test sets by (size, pairs of labels wholly inside), label by label.
    ways = np.zeros((11, 11))
    ways[0, 0] = 1
    for members in np.bincount(ten.label):
        step = np.zeros_like(ways)
        for taken in range(min(members, 10) + 1):
            lose = taken if taken == members else 0
            step[taken:, lose:] += comb(members, taken) * ways[: 11 - taken, : 11 - lose]
        ways = step
    infeasible = ways[10, 2:].sum() / comb(55, 10)
    assert ways[10].sum() == comb(55, 10)
    assert infeasible == pytest.approx(0.27, abs=0.005)
    assert np.mean(found < 0.9) == pytest.approx(infeasible, abs=4 * np.sqrt(0.27 * 0.73 / 4000))


def test_grokking_rate_matches_the_singular_values(ten, in_train):
    rows = known(ten.quads, in_train)
    plain = grokking_rate(ten.equations, rows, z0=4.0)
    scaled = grokking_rate(ten.equations, rows, z0=4.0, per_parallelogram=True)
    for one, rate, scaled_rate in zip(rows, plain, scaled, strict=True):
        singular = np.linalg.svd(np.vstack([ten.equations[one], np.zeros((10, 10))]), compute_uv=False)
        assert rate == pytest.approx(2 * singular[-3] ** 2 / 4, abs=1e-10)
        assert scaled_rate == pytest.approx(rate / max(one.sum(), 1), abs=1e-12)
    assert np.array_equal(plain > 0, is_linear(ten.equations, rows))
    assert plain[0] == scaled[0] == 0


def test_grokking_rate_closed_forms(addition):
    three = addition(3)
    assert grokking_rate(three.equations, np.array([True]), z0=1.0) == pytest.approx(12)
    ten = addition(10)
    assert grokking_rate(ten.equations, np.ones(70, bool), z0=10) == pytest.approx(6)


def test_grokking_rate_is_the_slowest_decay_of_the_flow(ten):
    rows = known(ten.quads, ten.training_sets(35, count=1, seed=3)[0])
    start = np.random.default_rng(0).normal(size=10)
    start -= null_space(ten.equations, rows) @ (null_space(ten.equations, rows).T @ start)
    z0 = 7.0
    rate = grokking_rate(ten.equations, rows, z0)
    flow = -2 / z0 * gram(ten.equations, rows)
    early, late = (np.linalg.norm(scipy.linalg.expm(flow * time) @ start) for time in (20 / rate, 21 / rate))
    assert late / early == pytest.approx(np.exp(-1), rel=1e-3)


def test_grokking_rate_takes_one_z0_a_set(ten, in_train):
    rows = known(ten.quads, in_train[-3:])
    found = grokking_rate(ten.equations, rows, np.array([1.0, 2.0, 4.0]))
    expected = [grokking_rate(ten.equations, one, z0) for one, z0 in zip(rows, (1.0, 2.0, 4.0), strict=True)]
    assert found.tolist() == pytest.approx(expected)


def test_grokking_rate_needs_three_tokens():
    with pytest.raises(ValueError, match=r"grokking_rate needs equations of >= 3 tokens; got 2\."):
        grokking_rate(np.array([[1.0, -1.0]]), np.array([True]), z0=1.0)


def test_leading_axes_are_sets(ten, in_train):
    sets = in_train[40:52].reshape(3, 4, 55)
    rows = known(ten.quads, sets)
    measures = {
        "nullity": lambda r, t: nullity(ten.equations, r),
        "implied": lambda r, t: implied(ten.equations, r),
        "ideal_rqi": lambda r, t: ideal_rqi(ten.equations, r),
        "grokking_rate": lambda r, t: grokking_rate(ten.equations, r, 2.0),
        "ideal_accuracy": lambda r, t: ideal_accuracy(ten.equations, ten.quads, t),
        "ideal_test_accuracy": lambda r, t: ideal_test_accuracy(ten.equations, ten.quads, t),
    }
    for name, measure in measures.items():
        together = measure(rows, sets)
        for index in np.ndindex(3, 4):
            np.testing.assert_allclose(together[index], measure(rows[index], sets[index]), atol=1e-9, err_msg=name)


def test_ideal_accuracy_bounds_the_predicted(ten, in_train):
    """Eq. 17: fewer parallelograms than the data imply cannot answer more pairs."""
    follows = implied(ten.equations, known(ten.quads, in_train))
    some = follows & (np.random.default_rng(0).random(follows.shape) < 0.5)
    predicted = np.asarray(covered(some, ten.quads, in_train)).mean(axis=-1)
    bound = ideal_accuracy(ten.equations, ten.quads, in_train)
    assert np.all(predicted <= bound)
    assert np.any(predicted < bound)


def test_ideal_accuracy_is_that_of_all_implied_parallelograms(ten, in_train):
    follows = implied(ten.equations, known(ten.quads, in_train))
    wanted = np.asarray(covered(follows, ten.quads, in_train)).mean(axis=-1)
    np.testing.assert_array_equal(ideal_accuracy(ten.equations, ten.quads, in_train), wanted)
