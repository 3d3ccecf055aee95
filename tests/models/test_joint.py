"""The joint block against its formulas in NumPy."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.models import ExpAttention, JointBlock, LinearAttention, SoftmaxAttention

X = np.array([0.2, 0.5, 0.3, 0.0])


@pytest.mark.parametrize(
    ("attention", "b"),
    [
        (LinearAttention(), lambda x, z: x * z),
        (ExpAttention(), lambda x, z: x * np.exp(z)),
        (SoftmaxAttention(0.5), lambda x, z: x * np.exp(2 * z) / (x * np.exp(2 * z)).sum()),
    ],
    ids=["linear", "exp", "softmax"],
)
def test_units_are_those_of_the_formula(attention, b):
    with jax.enable_x64(True):
        make = lambda key: JointBlock((4, 2, 3), attention, jnp.tanh, scale=0.7, dim=9, key=key)
        block = eqx.filter_jit(make)(jax.random.key(1))
        units, values = eqx.filter_jit(lambda block: (block(jnp.asarray(X), jnp.asarray(1)), block.values))(block)
        E, W, z = (np.asarray(part) for part in (block.embedding, block.weight, block.logits))
    np.testing.assert_allclose(E.T @ E, np.eye(6), atol=1e-12)
    np.testing.assert_allclose(units, np.tanh(W @ (E[:, :4] @ b(X, z[1]) + E[:, 5])), rtol=1e-10)
    np.testing.assert_allclose(values, E[:, :4].T @ W.T, rtol=1e-10)


def test_embeddings_are_not_trained():
    block = eqx.filter_jit(lambda key: JointBlock((4, 1, 2), ExpAttention(), key=key))(jax.random.key(0))
    grads = eqx.filter_jit(jax.grad(lambda block: block(jnp.asarray(X, jnp.float32), jnp.asarray(0)).sum()))(block)
    assert not np.asarray(grads.embedding).any()
    assert np.asarray(grads.weight).any()


def test_softmax_attention_does_not_overflow_and_ignores_absent_tokens():
    b = SoftmaxAttention(0.01)(jnp.asarray(X, jnp.float32), jnp.array([1.0, 2.0, 3.0, 1000.0]))
    np.testing.assert_allclose(b, [0, 0, 1, 0], atol=1e-6)


def test_too_few_dimensions_are_refused():
    with pytest.raises(ValueError, match=r"JointBlock\.dim must be at least 5, .*; got 4"):
        JointBlock((4, 1, 2), ExpAttention(), dim=4, key=jax.random.key(0))
    with pytest.raises(ValueError, match=r"SoftmaxAttention\.temperature must be > 0; got 0"):
        SoftmaxAttention(0.0)
