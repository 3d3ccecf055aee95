"""A classifier is an MLP in two parts."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.models import Classifier


def test_is_body_activation_and_last_layer():
    model = Classifier((3, 5, 4, 2), key=jax.random.key(0))
    x = jax.random.normal(jax.random.key(1), (7, 3))
    hidden = x
    for weight, bias in zip(model.body.weights, model.body.biases, strict=True):
        hidden = jax.nn.relu(hidden @ weight + bias)
    assert model(x) == pytest.approx(np.asarray(hidden @ model.last.weights[0] + model.last.biases[0]), abs=1e-6)


def test_scale_multiplies_every_parameter():
    small, large = (Classifier((3, 5, 4, 2), scale=scale, key=jax.random.key(0)) for scale in (1.0, 8.0))
    for a, b in zip(jax.tree.leaves(small), jax.tree.leaves(large), strict=True):
        assert jnp.allclose(8 * a, b)
    assert max(jnp.abs(weight).max() for weight in large.body.weights) <= 8 / 3**0.5


def test_a_classifier_without_a_body_is_refused():
    with pytest.raises(ValueError, match=r"Classifier.sizes must be at least three numbers; got \(3, 2\)"):
        Classifier((3, 2), key=jax.random.key(0))
