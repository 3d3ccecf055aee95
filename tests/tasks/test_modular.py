import jax
import numpy as np
import pytest

from nucleate.tasks import ModularAdditionTask


@pytest.mark.parametrize("p", [3, 8, 59])
def test_every_ordered_pair_has_its_sum(p):
    task = ModularAdditionTask(p)
    seen = {(a, b): c for (a, b), c in zip(task.pairs.tolist(), task.label.tolist(), strict=True)}
    assert seen == {(a, b): (a + b) % p for a in range(p) for b in range(p)}


def test_splits_have_the_authors_size_and_differ():
    task = ModularAdditionTask(59)
    first, second = (task.split(jax.random.key(seed)) for seed in (0, 1))
    assert first.in_train.sum() == second.in_train.sum() == int(0.8 * 59**2)
    assert np.any(first.in_train != second.in_train)


def test_bad_input():
    with pytest.raises(ValueError, match=r"ModularAdditionTask.p must be >= 3; got 2"):
        ModularAdditionTask(2)
    with pytest.raises(ValueError, match=r"train_share must leave 1 to 121 pairs for p=11; got 0"):
        ModularAdditionTask(11).split(jax.random.key(0), 0.0)
