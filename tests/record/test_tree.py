"""Values as JSON and arrays: what comes back is what was packed, bit for bit."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.record.tree import pack, unpack


@pytest.mark.parametrize("function", [jnp.tanh, jax.nn.relu, np.median], ids=["compiled", "custom_jvp", "plain"])
def test_functions_of_a_module_come_back_as_themselves(function):
    assert unpack(*pack(function)) is function


def test_double_precision_survives_where_jax_is_in_single():
    with jax.enable_x64(True):
        third = jnp.asarray(1 / 3)
    again = unpack(*pack(third))
    assert again.dtype == jnp.float64
    assert float(again) == 1 / 3


def test_a_network_with_its_activation_answers_the_same():
    network = eqx.nn.MLP(2, "scalar", 4, 1, jnp.tanh, jnp.tanh, key=jax.random.key(0))
    again = unpack(*pack(network))
    assert again.activation is jnp.tanh
    np.testing.assert_array_equal(again(jnp.ones(2)), network(jnp.ones(2)))


def test_a_function_without_a_name_of_its_own_is_a_type_error():
    with pytest.raises(TypeError, match="<lambda>"):
        pack((lambda x: x,), trusted=(__name__.split(".")[0],))
