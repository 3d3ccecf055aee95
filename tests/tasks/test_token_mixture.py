"""Mixtures of tokens: what is refused, and what is drawn."""

import jax
import numpy as np
import pytest

from nucleate.tasks import TokenMixtureTask

UNEVEN = TokenMixtureTask(((0.5, 0.5, 0.0, 0.0), (0.2, 0.0, 0.3, 0.5)), last=(0, 1), frequency=(0.25, 0.75), length=40)


def test_the_authors_mixtures_have_common_and_distinct_tokens():
    task = TokenMixtureTask.uniform_and_linear(lasts=3, nexts=2)
    assert (task.classes, task.lasts, task.contextual, task.tokens) == (6, 3, 70, 79)
    np.testing.assert_allclose(task.matrix.sum(1), 1, rtol=1e-12)
    assert task.is_common.sum() == 10
    np.testing.assert_array_equal(task.is_distinct.sum(1), np.full(6, 10))
    own = task.matrix[4, task.is_distinct[4]]
    np.testing.assert_allclose(own / own[-1], np.linspace(0.1, 1, 10))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"probability": ((0.5, 0.5), (0.5, 0.4))}, "probability must sum to 1 in every row.*row 1 sums to 0.9"),
        ({"probability": ((0.5, 0.5), (1.0,))}, "one entry for each token"),
        ({"probability": ((1.5, -0.5), (0.5, 0.5))}, "probability must be"),
        ({"last": (0,)}, "last must name a last token for each of the 2 classes"),
        ({"last": (0, 2)}, "last must number the last tokens 0, 1, 2"),
        ({"frequency": (0.5, 0.6)}, "frequency must be 2 numbers that sum to 1"),
        ({"length": 1}, "length must be"),
    ],
)
def test_what_is_no_mixture_is_refused(change, message):
    with pytest.raises(ValueError, match=f"TokenMixtureTask.{message}" if "one entry" not in message else message):
        TokenMixtureTask(**({"probability": ((0.5, 0.5), (0.5, 0.5)), "last": (0, 1)} | change))


def test_counts_are_those_of_the_sequences_with_the_same_key():
    both = jax.jit(lambda key: (UNEVEN.sequences(key, 30), UNEVEN.sample(key, 30)))
    (sequence, label), batch = both(jax.random.key(1))
    counted = np.stack([np.bincount(row, minlength=4) for row in np.asarray(sequence)])
    np.testing.assert_array_equal(batch.count, counted)
    np.testing.assert_array_equal(batch.label, label)
    np.testing.assert_array_equal(batch.last, label)


def test_tokens_and_classes_are_drawn_as_often_as_they_should_be():
    batch = jax.jit(lambda key: UNEVEN.sample(key, 4000))(jax.random.key(2))
    label, count = np.asarray(batch.label), np.asarray(batch.count)
    assert abs(np.mean(label == 1) - 0.75) < 5 * np.sqrt(0.75 * 0.25 / 4000)
    for n in range(2):
        drawn = count[label == n].sum(0)
        expected = UNEVEN.matrix[n] * drawn.sum()
        assert np.all(np.abs(drawn - expected) <= 5 * np.sqrt(expected))


def test_sequences_without_end_are_their_expectation():
    task = TokenMixtureTask.uniform_and_linear(lasts=2, length=None)
    batch = task.sample(jax.random.key(0), 7)
    np.testing.assert_array_equal(batch.count, task.matrix)
    assert batch.weight.sum() == 1
    with pytest.raises(ValueError, match=r"TokenMixtureTask\.length must be a number"):
        task.sequences(jax.random.key(0), 7)
