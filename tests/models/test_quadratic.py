"""The quadratic network against its formula in NumPy, and against composed solutions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.algebra import Characters, order_six, to_weights
from nucleate.models import Quadratic


@pytest.fixture(scope="module")
def model() -> Quadratic:
    return Quadratic.at_random(5, 8, key=jax.random.key(1))


def test_outputs_are_those_of_the_formula(model):
    a, b, c = (np.asarray(part, float) for part in (model.a, model.b, model.c))
    expected = np.square(a[:, None] + b) @ c
    expected -= expected.mean(-1, keepdims=True)
    np.testing.assert_allclose(model.on_grid(), expected, atol=1e-6)
    np.testing.assert_allclose(model(jnp.array([3, 1])), expected[3, 1], atol=1e-6)


def test_weights_start_within_the_bounds_of_a_linear_layer(model):
    for weights, inputs in ((model.a, 5), (model.b, 5), (model.c, 8)):
        assert 0.8 * inputs**-0.5 < float(jnp.abs(weights).max()) <= inputs**-0.5
    assert not np.allclose(model.a, model.b)


def test_a_composed_solution_adds():
    group = Characters.cyclic(7)
    outputs = Quadratic(*(jnp.asarray(part, jnp.float32) for part in to_weights(order_six(group)))).on_grid()
    target = np.eye(7)[group.sums_of_elements] - 1 / 7
    np.testing.assert_allclose(outputs, target, atol=1e-5)


def test_weights_that_do_not_fit_are_refused():
    with pytest.raises(
        ValueError, match=r"Quadratic: a and b must be \[element, node\].*got \(5, 8\), \(5, 8\), \(8, 6\)"
    ):
        Quadratic(*jnp.zeros((2, 5, 8)), jnp.zeros((8, 6)))
    with pytest.raises(ValueError, match="elements"):
        Quadratic.at_random(0, 8, key=jax.random.key(0))
