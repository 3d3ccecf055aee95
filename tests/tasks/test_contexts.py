"""Contexts: probabilities against enumeration by hand, and draws against both."""

from itertools import product

import jax
import numpy as np
import pytest

from nucleate.tasks import ContextTask

KEY = jax.random.key(0)


def test_distinct_tokens_peak_at_their_class_and_rows_sum_to_one():
    task = ContextTask()
    P = task.frequencies(KEY)
    assert P.shape == (20, 20)
    np.testing.assert_allclose(P.sum(1), 1, rtol=1e-12)
    assert np.abs(P[:, :10].argmax(1) - np.arange(20) / 2).max() <= 0.5
    assert not np.allclose(P, task.frequencies(jax.random.key(1)))


def test_expectations_over_all_contexts_are_those_over_all_sequences():
    task = ContextTask(distinct=2, common=1, classes=2, queries=2, length=3)
    P = task.frequencies(KEY)
    seen = task.contexts(P)
    assert seen.weight.sum() == pytest.approx(1, abs=1e-12)
    for n in range(2):
        brute = sum(
            np.prod(P[n, list(tokens)]) * (np.bincount(tokens, minlength=3) / 3) ** 2
            for tokens in product(range(3), repeat=3)
        )
        mine = seen.label == n
        np.testing.assert_allclose(2 * seen.weight[mine] @ seen.x[mine] ** 2, brute, rtol=1e-12)
        assert set(seen.query[mine]) == {n}


def test_draws_agree_with_the_exact_distribution():
    task = ContextTask(distinct=2, common=1, classes=2, length=4)
    P = task.frequencies(KEY)
    drawn, exact = task.draw(P, 20_000, KEY), task.contexts(P)
    np.testing.assert_allclose(drawn.weight @ drawn.x**2, exact.weight @ exact.x**2, atol=0.01)
    whole = ContextTask(distinct=2, common=1, classes=2).draw(P, 5, KEY)
    np.testing.assert_array_equal(whole.x, P[whole.label])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ContextTask(classes=2, queries=3), r"ContextTask\.queries must be at most the 2 classes; got 3"),
        (lambda: ContextTask(distinct=0), r"ContextTask\.distinct must be >= 1; got 0"),
        (lambda: ContextTask(length=20).contexts(ContextTask().frequencies(KEY)), r"more than 1,048,576; use `draw`"),
        (lambda: ContextTask(2, 0, 1).contexts(np.array([[0.5, 0.6]])), r"sum to 1 for each class; .*sum to 1\.1"),
        (lambda: ContextTask(2, 0, 1).contexts(np.array([[1.5, -0.5]])), r"the smallest of all is -0\.5"),
        (lambda: ContextTask(2, 0, 1).contexts(np.ones((1, 3)) / 3), r"must be \[class, token\] = \(1, 2\)"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ValueError, match=message):
        make()
