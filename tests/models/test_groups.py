"""The matrix model against NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.models import MLP, ProductDecoder


def test_the_decoder_reads_the_product_of_the_matrices():
    embedding = jax.random.normal(jax.random.key(0), (6, 3, 3))
    model = ProductDecoder(embedding, MLP((9, 7, 4), key=jax.random.key(1)))
    for a, b in ((0, 1), (1, 0), (4, 4)):
        product = np.asarray(embedding[a]) @ np.asarray(embedding[b])
        assert np.asarray(model(jnp.array([a, b]))) == pytest.approx(
            np.asarray(model.decoder(jnp.asarray(product.ravel()))), abs=1e-5
        )


def test_the_order_of_the_symbols_matters():
    embedding = jax.random.normal(jax.random.key(0), (2, 2, 2))
    model = ProductDecoder(embedding, MLP((4, 7, 3), key=jax.random.key(1)))
    assert not np.allclose(model(jnp.array([0, 1])), model(jnp.array([1, 0])))
