"""One-layer attention on counts is attention on sequences."""

import jax
import jax.numpy as jnp
import numpy as np

from nucleate.models import TokenAttention
from nucleate.tasks import TokenMixtureTask


def on_positions(model: TokenAttention, sequence: jax.Array, last: jax.Array) -> jax.Array:
    """The same by the definition: softmax over positions, then one-hot rows."""
    b = jax.nn.softmax(model.Z[last, sequence])
    mixed = b @ jax.nn.one_hot(sequence, model.Z.shape[1], dtype=b.dtype)
    return mixed / jnp.linalg.norm(mixed) @ model.Y


def test_counts_are_as_good_as_positions_for_outputs_and_gradients():
    task = TokenMixtureTask.uniform_and_linear(lasts=2, nexts=2, common=3, distinct=2, length=9)
    (sequence, _), batch = jax.jit(lambda key: (task.sequences(key, 6), task.sample(key, 6)))(jax.random.key(0))
    with jax.enable_x64(True):
        model = TokenAttention(task.lasts, task.contextual, task.classes, 1.0, key=jax.random.key(1))
        model = jax.tree.map(lambda array: jnp.asarray(array, jnp.float64), model)
        count, last = jnp.asarray(np.asarray(batch.count), jnp.float64), jnp.asarray(np.asarray(batch.last))
        weight = jnp.arange(24.0).reshape(6, 4)
        by_count, pulled = jax.jit(jax.value_and_grad(lambda m: jnp.sum(weight * m(count, last))))(model)
        each = jax.vmap(on_positions, (None, 0, 0))
        of_positions = jax.value_and_grad(lambda m: jnp.sum(weight * each(m, sequence, last)))
        by_position, expected = jax.jit(of_positions)(model)
        np.testing.assert_allclose(by_count, by_position, rtol=1e-12)
        np.testing.assert_allclose(pulled.Z, expected.Z, atol=1e-12)
        np.testing.assert_allclose(pulled.Y, expected.Y, atol=1e-12)


def test_attention_sums_to_one_on_tokens_that_occur():
    model = TokenAttention(1, 4, 2, 1.0, key=jax.random.key(0))
    attention = model.attention(jnp.array([[2.0, 0.0, 1.0, 0.0]]), jnp.zeros(1, int))
    np.testing.assert_allclose(attention.sum(), 1, rtol=1e-6)
    assert attention[0, 1] == attention[0, 3] == 0
