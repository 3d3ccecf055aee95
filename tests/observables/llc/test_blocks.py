import jax.numpy as jnp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

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
