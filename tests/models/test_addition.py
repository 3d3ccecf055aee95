import jax
import jax.numpy as jnp
import numpy as np
import pytest
from beartype.roar import BeartypeCallHintViolation

from nucleate.models import MLP, SumDecoder


def make(p: int = 6, dim: int = 2) -> SumDecoder:
    embedding = jax.random.normal(jax.random.key(1), (p, dim))
    return SumDecoder(embedding, MLP((dim, 5, 3), key=jax.random.key(2)))


def test_the_decoder_reads_the_sum_of_two_embeddings():
    model = make()
    expected = model.decoder(model.embedding[2] + model.embedding[5])
    assert np.array_equal(model(jnp.array([2, 5])), expected)


def test_order_does_not_matter():
    model = make()
    assert np.array_equal(model(jnp.array([1, 4])), model(jnp.array([4, 1])))


def test_pairs_with_equal_sums_are_one_input_on_a_line():
    line = SumDecoder(jnp.arange(6.0)[:, None], MLP((1, 5, 3), key=jax.random.key(0)))
    assert np.array_equal(line(jnp.array([0, 5])), line(jnp.array([2, 3])))
    assert not np.array_equal(line(jnp.array([0, 5])), line(jnp.array([2, 4])))


@pytest.mark.parametrize("pair", [jnp.array([1, 2, 3]), jnp.array([1.0, 2.0])])
def test_shapes_and_types_are_checked_while_testing(pair):
    # Also proves that tests/conftest.py switches the checking on.
    with pytest.raises(BeartypeCallHintViolation):
        make()(pair)
