import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.observables.centring import centred


@pytest.mark.parametrize("per_dim", [False, True])
def test_is_the_centred_embedding_up_to_scale(per_dim):
    embedding = np.random.default_rng(0).normal(size=(7, 3))
    offset = embedding - embedding.mean(axis=0)
    scale = np.abs(embedding - embedding[0]).max(axis=0 if per_dim else None)
    np.testing.assert_allclose(centred(embedding, per_dim), offset / scale, atol=1e-6)


def test_constant_is_exactly_zero():
    constant = jnp.full((10, 2), 0.1)
    assert jnp.any(constant - constant.mean(axis=0) != 0)  # what plain centring would leave
    assert not jnp.any(centred(constant))


def test_survives_scales_whose_squares_underflow():
    embedding = np.random.default_rng(1).normal(size=(7, 2)).astype(np.float32)
    np.testing.assert_allclose(centred(embedding * np.float32(1e-25)), centred(embedding), rtol=1e-5)
