"""A network from its recipe and its recorded weights."""

import equinox as eqx
import jax
import numpy as np
import pytest
from small_fleets import Sums, members

from nucleate.fleet import flat_weights, rebuild

RECIPE = Sums(static=("width",))
MEMBERS = members(width=[3, 4, 5])


@pytest.mark.parametrize(("row", "count"), [(0, 29), (2, 41)])  # a static column decides how large a network is
def test_a_network_comes_back_from_its_weights(row, count):
    member, weights = MEMBERS.row(row), np.arange(count, dtype=np.float32)
    model = rebuild(RECIPE, member, weights)
    assert np.array_equal(flat_weights(model), weights)
    assert np.array_equal(model.embedding, weights[:8].reshape(4, 2))
    made = eqx.filter_eval_shape(RECIPE.model, member, jax.random.key(0))
    assert eqx.tree_equal(eqx.filter_eval_shape(lambda: model), made)


def test_weights_of_another_network_are_refused():
    with pytest.raises(ValueError, match=r"'width': 5} has 41 weights; got \(29,\)"):
        rebuild(RECIPE, MEMBERS.row(2), np.zeros(29))
