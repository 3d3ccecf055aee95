from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.models import MLP, ConcatDecoder, PairTable


@partial(jax.jit, static_argnames=("p", "dim"))
def network(p=7, dim=3, key=0):
    first, second = jax.random.split(jax.random.key(key))
    return ConcatDecoder(jax.random.normal(first, (p, dim)), MLP((2 * dim, 10, 9, p), jax.nn.silu, key=second))


call = eqx.filter_jit(ConcatDecoder.__call__)


PAIRS = np.array([[0, 1], [1, 0], [6, 6], [2, 5]])


def gradient(function):
    return jax.jit(jax.grad(function))


def test_list_and_grid_agree_with_one_pair_at_a_time():
    model = network()
    one_by_one = np.stack([call(model, jnp.asarray(pair)) for pair in np.indices((7, 7)).reshape(2, -1).T])
    np.testing.assert_allclose(model.on_grid(), one_by_one, atol=1e-5)
    table = PairTable.of(PAIRS, 7, len(PAIRS))
    np.testing.assert_allclose(model.on_pairs(table), one_by_one[PAIRS[:, 0] * 7 + PAIRS[:, 1]], atol=1e-5)


def test_gradients_agree_with_plain_indexing():
    model, table = network(), PairTable.of(PAIRS, 7, len(PAIRS))
    weight = jax.random.normal(jax.random.key(1), (4, 7))
    fast = gradient(lambda model: jnp.sum(weight * model.on_pairs(table)))(model)
    plain = gradient(lambda model: jnp.sum(weight * jax.vmap(model)(jnp.asarray(PAIRS))))(model)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-5), fast, plain)


def test_padding_takes_no_part_in_the_gradient():
    model = network()
    padded = np.concatenate([PAIRS, np.zeros((3, 2), int)])
    weight = jnp.array([1.0, 1, 1, 1, 0, 0, 0])
    fast = gradient(lambda m: jnp.sum(weight[:, None] * m.on_pairs(PairTable.of(padded, 7, 4)) ** 2))(model)
    plain = gradient(lambda m: jnp.sum(m.on_pairs(PairTable.of(PAIRS, 7, 4)) ** 2))(model)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-5), fast, plain)


def test_it_can_be_mapped_over_networks():
    models = jax.vmap(lambda key: network(key=0))(jnp.arange(3))
    table = PairTable.of(PAIRS, 7, 4)
    grads = jax.jit(jax.vmap(jax.grad(lambda m: jnp.sum(m.on_pairs(table) ** 2))))(models)
    alone = gradient(lambda m: jnp.sum(m.on_pairs(table) ** 2))(network())
    np.testing.assert_allclose(grads.embedding[2], alone.embedding, atol=1e-4)


def test_a_decoder_of_the_wrong_width_is_refused():
    with pytest.raises(ValueError, match=r"must read 2 dim = 6 numbers; it reads 5"):
        ConcatDecoder(jnp.zeros((7, 3)), MLP((5, 4, 7), key=jax.random.key(0)))
