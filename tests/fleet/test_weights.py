"""A network from its recipe and its recorded weights."""

import equinox as eqx
import jax
import numpy as np
import pytest
from small_fleets import Sums, members

from nucleate.fleet import flat_weights, rebuild

RECIPE = Sums(static=("width",))
MEMBERS = members(width=[3, 4, 5])


@pytest.mark.parametrize("row", [0, 2])  # networks of different sizes: the member's columns decide
def test_a_network_comes_back_from_its_weights(row):
    member = MEMBERS.row(row)
    model = RECIPE.model(member, jax.random.key(7))
    again = rebuild(RECIPE, member, np.asarray(flat_weights(model)))
    assert eqx.tree_equal(again, model, typematch=True)
    pair = np.array([1, 2])
    assert np.array_equal(again(pair), model(pair))


def test_weights_of_another_network_are_refused():
    weights = flat_weights(RECIPE.model(MEMBERS.row(0), jax.random.key(0)))
    with pytest.raises(ValueError, match=r"has 46 weights; got \(32,\)"):
        rebuild(RECIPE, MEMBERS.row(2), weights)
