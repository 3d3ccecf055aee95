import jax
import numpy as np
import pytest

from nucleate.tasks import Split


@pytest.mark.parametrize(("size", "slots"), [(0, 0), (1, 16), (16, 16), (17, 32)])
def test_slots_are_padded_without_weight(size, slots):
    split = Split.of(np.arange(3, 3 + size), 40)
    assert split.index.shape == split.weight.shape == (slots,)
    assert split.weight.tolist() == [1.0] * size + [0.0] * (slots - size)
    assert split.index[split.weight == 1].tolist() == list(range(3, 3 + size))


def test_the_mask_marks_the_listed_pairs():
    split = Split.draw(jax.random.key(0), 20, 55)
    assert np.flatnonzero(split.in_train).tolist() == split.index[split.weight == 1].tolist()
    assert split.in_train.shape == (55,)


def test_every_pair_is_drawn_equally_often():
    draws = np.array([Split.draw(key, 3, 6).in_train for key in jax.random.split(jax.random.key(0), 400)])
    assert np.all(draws.sum(1) == 3)
    assert np.abs(draws.sum(0) - 200).max() < 4 * 10  # four standard deviations of Binomial(400, 1/2)


def test_all_pairs_are_all_pairs_whatever_the_key():
    splits = [Split.draw(jax.random.key(seed), 6, 6) for seed in range(2)]
    assert all(split.in_train.all() and split.index[:6].tolist() == list(range(6)) for split in splits)
