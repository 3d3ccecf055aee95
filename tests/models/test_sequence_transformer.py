"""The sequence transformer against its own parts, put together by hand."""

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.models import (
    Dropout,
    EncoderBlock,
    SequenceShape,
    SequenceTransformer,
    TransformerSize,
    look_at_all,
    look_back,
    post_norm,
    pre_norm,
)

SIZE = TransformerSize(blocks=2, heads=2, width=8, hidden=12)
SHAPE = SequenceShape(tokens=11, labels=5, positions=6)
TEXT = np.random.default_rng(0).integers(0, SHAPE.tokens, (4, 6))
both_norms = pytest.mark.parametrize("norm", [pre_norm, post_norm])

# Compiled: called as they are, they would spend their time on compiling single operations.
look, call = eqx.filter_jit(SequenceTransformer.look), eqx.filter_jit(EncoderBlock.__call__)


@eqx.filter_jit
def hidden(block, before, norm):
    """The units of a block's MLP."""
    normal = block.attention_norm(before) if norm is pre_norm else before
    change = block.attention(normal)[0]
    read = block.mlp_norm(before + change) if norm is pre_norm else block.attention_norm(before + change)
    return jax.nn.relu(read @ block.mlp.weights[0] + block.mlp.biases[0])


@cache
def make(norm, looks, shape=SHAPE):
    """Random numbers for parameters, biases and norms included."""
    shapes = eqx.filter_eval_shape(SequenceTransformer, SIZE, shape, looks, norm, key=jax.random.key(0))
    rng = np.random.default_rng(1)
    return jax.tree.map(lambda leaf: jnp.asarray(rng.normal(size=leaf.shape) / 3, jnp.float32), shapes)


@both_norms
def test_a_network_is_its_parts_in_order(norm):
    model = make(norm, look_back)
    seen, one = look(model, TEXT), look(model, TEXT[2])
    state = model.embedding[TEXT[2]] + model.positions
    for number, block in enumerate(model.blocks):
        np.testing.assert_allclose(one.states[number], state, atol=1e-5)
        np.testing.assert_allclose(one.hidden[number], hidden(block, state, norm), atol=1e-5)
        state, attention = call(block, state)
        np.testing.assert_allclose(one.attention[number], attention, atol=1e-5)
    np.testing.assert_allclose(one.states[-1], state, atol=1e-5)
    out = model.last_norm(state) if norm is pre_norm else state
    np.testing.assert_allclose(one.logits, out @ model.unembed.weights[0] + model.unembed.biases[0], atol=1e-5)
    for together, alone in zip(seen, one, strict=True):
        np.testing.assert_allclose(together[2], alone, atol=1e-5)
    assert (model.last_norm is None) == (norm is post_norm)


@both_norms
def test_logits_know_what_came_before_and_nothing_that_comes_after(norm):
    changed = TEXT.copy()
    changed[:, 4:] = (changed[:, 4:] + 1) % SHAPE.tokens
    logits, after = (np.asarray(look(make(norm, look_back), text).logits) for text in (TEXT, changed))
    np.testing.assert_array_equal(logits[:, :4], after[:, :4])
    assert np.all(np.any(logits[:, 4:] != after[:, 4:], axis=-1))
    assert np.all(np.any(look(make(norm, look_at_all), changed).logits != look(make(norm, look_at_all), TEXT).logits))


def test_without_positions_the_order_of_tokens_is_not_seen():
    model = make(post_norm, look_at_all, SequenceShape(tokens=11))
    assert model.positions is None
    logits = look(model, TEXT).logits
    assert logits.shape == (4, 6, 11)
    np.testing.assert_allclose(look(model, TEXT[:, ::-1].copy()).logits[:, ::-1], logits, atol=1e-5)


def test_dropout_is_drawn_afresh_in_every_block():
    model = make(pre_norm, look_back)
    plain, some = look(model, TEXT), look(model, TEXT, Dropout(0.3, jax.random.key(3)))
    np.testing.assert_allclose(plain.attention[:, 0], some.attention[:, 0], atol=1e-6)  # seen before dropout
    assert np.abs(plain.logits - some.logits).max() > 0.1
    none = look(model, TEXT, Dropout(0.0, jax.random.key(3)))
    np.testing.assert_allclose(none.logits, plain.logits, atol=1e-5)


def test_embeddings_start_as_in_pytorch():
    shape = SequenceShape(tokens=200, positions=100)
    model = eqx.filter_jit(SequenceTransformer)(SIZE, shape, key=jax.random.key(0))
    for table in (model.embedding, model.positions):
        assert np.mean(table) == pytest.approx(0, abs=0.1)
        assert np.std(table) == pytest.approx(1, abs=0.1)


def test_bad_sequences_are_refused():
    with pytest.raises(ValueError, match=r"positions for sequences of up to 6 tokens; got 7"):
        make(pre_norm, look_back)(np.zeros((2, 7), int))
    with pytest.raises(ValueError, match=r"SequenceShape\.positions must be >= 0; got -1"):
        SequenceShape(tokens=3, positions=-1)
