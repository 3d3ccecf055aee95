from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

from nucleate.models import Attention, look_at_others, look_back

ATTENTION = eqx.filter_jit(Attention)(8, 2, look_at_others, key=jax.random.key(0))

attend, look = jax.jit(ATTENTION.__call__), jax.jit(look_at_others)


def softmax_with_zero_token(logits):
    """Append a column of zeros, take the ordinary softmax over what is not masked, drop the column: float64."""
    logits = np.asarray(logits, np.float64)
    out = np.zeros_like(logits)
    for head, row in np.ndindex(logits.shape[:2]):
        others = np.arange(logits.shape[2]) != row
        full = np.append(logits[head, row, others], 0.0)
        e = np.exp(full - full.max())
        out[head, row, others] = (e / e.sum())[:-1]
    return out


@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0, 300.0])
@pytest.mark.parametrize("shift", [0.0, -200.0, 200.0])
def test_weights_are_a_softmax_with_one_more_logit_of_zero(scale, shift):
    logits = scale * jax.random.normal(jax.random.key(0), (2, 5, 5)) + shift
    np.testing.assert_allclose(look(logits), softmax_with_zero_token(logits), atol=2e-5)


def test_gradients_are_finite_however_large_the_logits():
    logits = 300 * jax.random.normal(jax.random.key(0), (2, 5, 5)) + 1000 * jnp.eye(5)
    assert np.isfinite(jax.grad(lambda logits: jnp.sum(look_at_others(logits)[:, :, 0]))(logits)).all()


def test_nobody_attends_to_itself_and_no_row_exceeds_one():
    _, weight = attend(3 * jax.random.normal(jax.random.key(1), (6, 8)))
    assert np.all(np.diagonal(weight, axis1=1, axis2=2) == 0)
    assert np.all(weight.sum(-1) < 1)
    assert np.all(weight.sum(-1) > 0)


def test_one_alone_attends_to_nothing():
    y, weight = attend(jnp.ones((1, 8)))
    np.testing.assert_array_equal(weight, np.zeros((2, 1, 1)))
    np.testing.assert_array_equal(y, np.zeros((1, 8)))  # its value never counts, and biases start at zero


@pytest.mark.parametrize("tokens", [4, 80])
def test_a_head_is_its_slices(tokens):
    """The output is the sum of what heads add, each by the slices that the docstring names."""
    x = jax.random.normal(jax.random.key(1), (tokens, 8))
    query, key, value = (np.einsum("iw,whk->hik", x, w) for w in (ATTENTION.query, ATTENTION.key, ATTENTION.value))
    weight = softmax_with_zero_token(query @ key.transpose(0, 2, 1) / 2)
    parts = np.einsum("hij,hjk,hkw->hiw", weight, value, ATTENTION.output)
    y, seen = attend(x)
    np.testing.assert_allclose(seen, weight, atol=1e-5)
    np.testing.assert_allclose(y, parts.sum(0), atol=1e-5)


def test_long_sequences_are_read_as_short_ones_are():
    """They are multiplied in another order; what comes later cannot change what causal attention saw."""
    x = jax.random.normal(jax.random.key(1), (3, 80, 8))
    causal = eqx.filter_jit(Attention)(8, 2, look_back, key=jax.random.key(0))

    @eqx.filter_jit
    @eqx.filter_value_and_grad(has_aux=True)
    def read(attention, x):
        y, weight = attention(x)
        return jnp.sum(jnp.sin(y[:, :10])), (y[:, :10], weight[..., :10, :10])

    (_, short), of_short = read(causal, x[:, :10])
    (_, long), of_long = read(causal, x)
    jax.tree.map(partial(np.testing.assert_allclose, atol=1e-5), (long, of_long), (short, of_short))


@pytest.mark.parametrize("tokens", [3, 64])
def test_gradients_are_finite_differences(tokens):
    with jax.enable_x64(True):
        arrays, rest = eqx.partition(ATTENTION, eqx.is_array)
        x = jnp.asarray(np.random.default_rng(0).normal(size=(tokens, 8)))
        read = lambda arrays: jnp.sum(jnp.sin(eqx.combine(arrays, rest)(x)[0]))
        check_grads(jax.jit(read), [jax.tree.map(jnp.float64, arrays)], order=1, atol=1e-6, rtol=1e-6)


def test_weights_start_as_in_pytorch():
    """Glorot's bound for queries, keys and values in one, ±1/√width for the output, and no bias."""
    for weight, bound in ((ATTENTION.query, np.sqrt(6 / 32)), (ATTENTION.output, np.sqrt(1 / 8))):
        assert 0.9 * bound < np.abs(weight).max() <= bound
        assert abs(np.mean(weight)) < 0.2 * bound
    for bias in (ATTENTION.query_bias, ATTENTION.key_bias, ATTENTION.value_bias, ATTENTION.output_bias):
        assert not np.any(bias)
    assert np.all(ATTENTION.query != ATTENTION.key)


def test_a_width_that_heads_cannot_share_is_refused():
    with pytest.raises(ValueError, match=r"Attention\.width must be a multiple of its heads; got 9 and 2 heads"):
        Attention(9, 2, look_at_others, key=jax.random.key(0))
