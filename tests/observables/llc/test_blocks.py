import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nucleate.machine import mapped_by
from nucleate.models import MLP
from nucleate.observables import MALA, Everything, Sampling, Setting, Whole, learning_coefficient
from nucleate.observables.llc.blocks import _even, lanes_at_once


@given(count=st.integers(1, 200), most=st.integers(1, 250))
def test_blocks_are_as_few_as_possible_and_nearly_equal(count, most):
    size = _even(count, most)
    fewest = -(-count // most)
    assert size <= most
    assert -(-count // size) == fewest
    assert size - 1 < count / fewest  # one less would not do


def test_large_cells_go_alone_and_small_ones_together():
    assert lanes_at_once(free=10**6, chains=4) == 1
    assert lanes_at_once(free=8, chains=4) == 4 * lanes_at_once(free=32, chains=4) > 100


def loss(w, _):
    return jnp.sum(w**2)


def test_how_cells_are_cut_into_blocks_does_not_matter():
    cells = {
        "checkpoints": [jnp.zeros(3), jnp.full(3, 0.01), jnp.full(3, 0.02)],
        "settings": [Setting(0.01, nbeta) for nbeta in (10.0, 20.0, 30.0, 40.0, 50.0)],
        "subsets": [Everything()],
    }
    one, several = (
        learning_coefficient(loss, Whole(()), sampling=Sampling(MALA(), draws=20, burn_in=5, at_once=at_once), **cells)
        for at_once in (15, 4)
    )
    assert one.value.shape == (3, 1, 5)
    np.testing.assert_allclose(one.loss, several.loss, rtol=1e-4, atol=1e-6)


def test_blocks_can_be_done_by_another_process():
    """Whose functions and modules are unpickled ones."""
    cloudpickle = pytest.importorskip("cloudpickle")
    model, x = MLP((2, 3, 1), key=jax.random.key(0)), jnp.ones((4, 2))

    def squared(model, x):
        return jnp.mean(jax.vmap(model)(x) ** 2)

    def elsewhere(work, items):
        again = pickle.loads(cloudpickle.dumps(work))
        return [pickle.loads(pickle.dumps(again(pickle.loads(cloudpickle.dumps(item))))) for item in items]

    sampling = Sampling(draws=20, burn_in=5, at_once=1)
    here = learning_coefficient(squared, Whole(x), [model, model], [Setting(1e-4, 10.0)], sampling)
    with mapped_by(elsewhere):
        there = learning_coefficient(squared, Whole(x), [model, model], [Setting(1e-4, 10.0)], sampling)
    np.testing.assert_array_equal(here.excess, there.excess)
