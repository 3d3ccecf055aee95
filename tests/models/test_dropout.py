import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.models import MLP, Dropout
from nucleate.models.dropout import dropped, places


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_a_share_is_dropped_and_the_mean_is_kept(rate):
    y = np.asarray(Dropout(rate, jax.random.key(0))(jnp.full((100, 200), 3.0)))
    assert set(np.unique(y.round(4))) == {0.0, np.float32(3 / (1 - rate)).round(4)}
    assert (y == 0).mean() == pytest.approx(rate, abs=0.02)
    assert y.mean() == pytest.approx(3.0, rel=0.05)


def test_a_rate_of_zero_drops_nothing():
    x = jax.random.normal(jax.random.key(1), (50,))
    np.testing.assert_array_equal(Dropout(0.0, jax.random.key(0))(x), x)


def test_rates_of_a_fleet_may_be_traced():
    x, key = jnp.ones(1000), jax.random.key(0)
    each = jax.jit(jax.vmap(lambda rate: Dropout(rate, key)(x)))(jnp.array([0.0, 0.25]))
    np.testing.assert_array_equal(each[1], Dropout(0.25, key)(x))
    assert np.all(each[0] == 1)


def test_places_are_independent_and_repeatable():
    x, dropout = jnp.ones(100), Dropout(0.5, jax.random.key(0))
    first, second = (dropped(x, here) for here in places(dropout, 2))
    assert np.any(first != second)
    np.testing.assert_array_equal(first, dropped(x, places(dropout, 2)[0]))
    assert dropped(x, None) is x


def test_hidden_units_of_an_mlp_are_dropped_after_the_activation():
    mlp, dropout = MLP((3, 40, 2), jax.nn.relu, key=jax.random.key(0)), Dropout(0.5, jax.random.key(1))
    x = jax.random.normal(jax.random.key(2), (3,))
    hidden = places(dropout, 1)[0](jax.nn.relu(x @ mlp.weights[0] + mlp.biases[0]))
    np.testing.assert_allclose(mlp(x, dropout), hidden @ mlp.weights[1] + mlp.biases[1], atol=1e-6)


@pytest.mark.parametrize("rate", [-0.1, 1.0, float("nan")])
def test_a_rate_that_is_none_is_refused(rate):
    with pytest.raises(ValueError, match=rf"Dropout\.rate must be at least 0 and below 1; got {rate}"):
        Dropout(rate, jax.random.key(0))
