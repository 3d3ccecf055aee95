import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.models import MLP


def test_forward_is_what_numpy_computes():
    mlp = MLP((3, 7, 5, 2), key=jax.random.key(0))
    x = np.random.default_rng(0).normal(size=3).astype(np.float32)
    hidden = x
    for weight, bias in zip(mlp.weights[:-1], mlp.biases[:-1], strict=True):
        hidden = np.tanh(hidden @ np.asarray(weight) + np.asarray(bias))
    expected = hidden @ np.asarray(mlp.weights[-1]) + np.asarray(mlp.biases[-1])
    assert np.allclose(mlp(jnp.asarray(x)), expected, rtol=1e-5, atol=1e-6)


def test_the_activation_stands_between_layers_only():
    mlp = MLP((2, 4, 3), jax.nn.relu, key=jax.random.key(1))
    x = jnp.array([0.3, -2.0])
    hidden = jnp.maximum(x @ mlp.weights[0] + mlp.biases[0], 0)
    out = mlp(x)
    assert np.allclose(out, hidden @ mlp.weights[1] + mlp.biases[1], atol=1e-6)
    assert out.min() < 0


def test_weights_and_biases_start_uniform_within_one_over_the_root_of_fan_in():
    sizes = (9, 400, 300, 4)
    mlp = MLP(sizes, key=jax.random.key(2))
    for fan_in, fan_out, weight, bias in zip(sizes, sizes[1:], mlp.weights, mlp.biases, strict=False):
        bound = fan_in**-0.5
        assert weight.shape == (fan_in, fan_out)
        assert bias.shape == (fan_out,)
        assert max(np.abs(weight).max(), np.abs(bias).max()) <= bound
        # Uniform: the variance is bound²/3, and the bound is nearly reached.
        assert np.isclose(np.var(weight), bound**2 / 3, rtol=4 / np.sqrt(weight.size))
        assert np.abs(weight).max() > 0.95 * bound


def test_no_two_layers_share_their_randomness():
    mlp = MLP((4, 4, 4, 4), key=jax.random.key(3))
    values = np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(mlp)])
    assert len(np.unique(values)) == len(values)


@pytest.mark.parametrize("sizes", [(), (3,), (3, 0), (3, -1, 2)])
def test_bad_sizes_are_refused(sizes):
    with pytest.raises(ValueError, match=r"MLP\.sizes (needs at least one|must be (at least two numbers|>= 1))"):
        MLP(sizes, key=jax.random.key(0))
