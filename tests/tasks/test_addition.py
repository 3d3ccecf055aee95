import itertools

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nucleate.tasks import AdditionTask, Split
from nucleate.tasks.split import SLOT


@pytest.mark.parametrize("p", [2, 3, 7, 10])
def test_pairs_are_all_unordered_pairs_and_labels_their_sums(p):
    task = AdditionTask(p)
    brute = [(i, j) for i, j in itertools.product(range(p), repeat=2) if i <= j]
    assert task.pairs.tolist() == [list(pair) for pair in brute]
    assert task.label.tolist() == [i + j for i, j in brute]
    assert task.labels == len({i + j for i, j in brute})


@pytest.mark.parametrize("p", [1, 0, -3])
def test_too_few_symbols_are_refused(p):
    with pytest.raises(ValueError, match=rf"AdditionTask\.p must be >= 2; got {p}\."):
        AdditionTask(p)


@pytest.mark.parametrize("size", [0, -1, 56])
def test_an_empty_or_too_large_split_is_refused(size):
    with pytest.raises(ValueError, match=rf"train_size must be between 1 and 55 for p=10; got {size}\."):
        AdditionTask(10).split(jax.random.key(0), size)


@settings(max_examples=25)
@given(st.integers(2, 12), st.data())
def test_a_split_lists_distinct_pairs_and_marks_padding(p, data):
    task = AdditionTask(p)
    size = data.draw(st.integers(1, len(task.pairs)))
    split = task.split(jax.random.key(data.draw(st.integers(0, 2**31 - 1))), size)

    real = split.index[split.weight == 1]
    assert len(set(real.tolist())) == size == split.in_train.sum() == split.weight.sum()
    assert np.array_equal(np.flatnonzero(split.in_train), np.sort(real))
    assert set(split.weight.tolist()) <= {0.0, 1.0}
    # Padding is less than a slot step, so nearly equal sizes share one program, and points at a pair that exists.
    assert len(split.index) % SLOT == 0
    assert len(split.index) - size < SLOT
    assert split.index.min() >= 0
    assert split.index.max() < len(task.pairs)


def test_a_split_is_fixed_by_its_key():
    task = AdditionTask(10)
    one, same, other = (task.split(jax.random.key(seed), 30).in_train for seed in (4, 4, 5))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_every_pair_is_chosen_equally_often():
    task, draws, size = AdditionTask(4), 400, 3
    hits = sum(task.split(jax.random.key(seed), size).in_train.astype(int) for seed in range(draws))
    share = size / len(task.pairs)
    spread = np.sqrt(draws * share * (1 - share))
    assert np.all(np.abs(hits - draws * share) < 4 * spread)


def test_a_split_of_chosen_pairs():
    split = Split.of(np.array([0, 2, 5]), 6)
    assert split.in_train.tolist() == [True, False, True, False, False, True]
    assert split.index[:3].tolist() == [0, 2, 5]
    assert split.weight.tolist() == [1.0] * 3 + [0.0] * (SLOT - 3)


def test_templates_are_standard_normal_one_for_each_label():
    templates = np.asarray(AdditionTask(40).templates(jax.random.key(0), 50))
    assert templates.shape == (79, 50)
    assert abs(templates.mean()) < 4 / np.sqrt(templates.size)
    assert abs(templates.std() - 1) < 4 / np.sqrt(2 * templates.size)
