"""Encoder blocks against an independent forward pass in NumPy and, where it is installed, against PyTorch."""

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.models import (
    BlocksDecoder,
    Dropout,
    EncoderBlock,
    PairTransformer,
    TransformerSize,
    encode,
    encoder_blocks,
    look_at_all,
    look_back,
    post_norm,
    pre_norm,
)
from nucleate.models.dropout import dropped, places

WIDTH, HEADS, HIDDEN, TOKENS = 12, 3, 20, 5
VARIANTS = [(norm, look) for norm in (pre_norm, post_norm) for look in (look_at_all, look_back)]
every_variant = pytest.mark.parametrize(
    ("norm", "look"), VARIANTS, ids=[f"{norm.__name__}-{look.__name__}" for norm, look in VARIANTS]
)

# Compiled: called as it is, a block would spend its time on compiling single operations.
call, look = eqx.filter_jit(EncoderBlock.__call__), eqx.filter_jit(PairTransformer.look)


def randomised(module, seed):
    """The same module with random numbers for parameters, biases and norms included."""
    rng = np.random.default_rng(seed)
    return jax.tree.map(lambda leaf: jnp.asarray(rng.normal(size=leaf.shape) / 3, jnp.float32), module)


@cache
def make(norm, look, seed=0):
    key = jax.random.key(0)
    shapes = eqx.filter_eval_shape(EncoderBlock, WIDTH, HEADS, HIDDEN, look, norm, key=key)
    x = np.random.default_rng(seed + 9).normal(size=(4, TOKENS, WIDTH)).astype(np.float32)
    return randomised(shapes, seed), jnp.asarray(x)


def forward(block, x):
    """One sequence, token by token and head by head, in float64; and its attention."""
    block, x = jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), block), np.asarray(x, np.float64)

    def normal(norm, rows):
        mean, var = rows.mean(-1, keepdims=True), rows.var(-1, keepdims=True)
        return (rows - mean) / np.sqrt(var + 1e-5) * norm.weight + norm.bias

    def attend(rows):
        parts, weights = block.attention, np.zeros((HEADS, len(rows), len(rows)))
        change = np.tile(parts.output_bias, (len(rows), 1))
        for h in range(HEADS):
            q = rows @ parts.query[:, h] + parts.query_bias[h]
            k = rows @ parts.key[:, h] + parts.key_bias[h]
            v = rows @ parts.value[:, h] + parts.value_bias[h]
            for i in range(len(rows)):
                seen = i + 1 if block.attention.look is look_back else len(rows)
                e = np.exp(k[:seen] @ q[i] / np.sqrt(WIDTH / HEADS))
                weights[h, i, :seen] = e / e.sum()
                change[i] += weights[h, i] @ v @ parts.output[h]
        return change, weights

    def think(rows):
        (first, second), (before, after) = block.mlp.weights, block.mlp.biases
        return np.maximum(rows @ first + before, 0) @ second + after

    if block.norm is pre_norm:
        change, weights = attend(normal(block.attention_norm, x))
        x = x + change
        return x + think(normal(block.mlp_norm, x)), weights
    change, weights = attend(x)
    x = normal(block.attention_norm, x + change)
    return normal(block.mlp_norm, x + think(x)), weights


@every_variant
def test_a_block_is_what_numpy_computes(norm, look):
    block, x = make(norm, look)
    y, weight = call(block, x)
    for number, sequence in enumerate(x):
        expected, attention = forward(block, sequence)
        np.testing.assert_allclose(y[number], expected, atol=2e-5)
        np.testing.assert_allclose(weight[number], attention, atol=1e-5)
        np.testing.assert_allclose(call(block, sequence)[0], y[number], atol=2e-5)  # one at a time, or many at once


def torch_layer(torch, block):
    """PyTorch's own layer with the weights of a block."""
    layer = torch.nn.TransformerEncoderLayer(
        WIDTH, HEADS, HIDDEN, dropout=0.0, batch_first=True, norm_first=block.norm is pre_norm
    )
    layer.load_state_dict({name: torch.tensor(np.array(value)) for name, value in named(block).items()})
    return layer


def named(block):
    """The weights of a block, or their gradients, by the names that PyTorch's layer has for them."""
    attention, (first, second), (before, after) = block.attention, block.mlp.weights, block.mlp.biases
    look = [np.reshape(part, (WIDTH, WIDTH)).T for part in (attention.query, attention.key, attention.value)]
    bias = [np.ravel(part) for part in (attention.query_bias, attention.key_bias, attention.value_bias)]
    return {
        "self_attn.in_proj_weight": np.concatenate(look),
        "self_attn.in_proj_bias": np.concatenate(bias),
        "self_attn.out_proj.weight": np.reshape(attention.output, (WIDTH, WIDTH)).T,
        "self_attn.out_proj.bias": attention.output_bias,
        "linear1.weight": first.T,
        "linear1.bias": before,
        "linear2.weight": second.T,
        "linear2.bias": after,
        "norm1.weight": block.attention_norm.weight,
        "norm1.bias": block.attention_norm.bias,
        "norm2.weight": block.mlp_norm.weight,
        "norm2.bias": block.mlp_norm.bias,
    }


@pytest.mark.torch
@every_variant
def test_three_blocks_and_their_gradients_are_those_of_pytorch(norm, look):
    torch = pytest.importorskip("torch")
    blocks = tuple(make(norm, look, seed)[0] for seed in range(3))
    x, wanted = make(norm, look)[1], np.random.default_rng(1).normal(size=(4, TOKENS, WIDTH)).astype(np.float32)

    @eqx.filter_jit
    @eqx.filter_value_and_grad(has_aux=True)
    def ours(inputs):
        y, _ = encode(*inputs)
        return jnp.mean(jnp.square(y - wanted)), y

    (loss, y), (grads, grad_x) = ours((blocks, x))
    layers, theirs = [torch_layer(torch, block) for block in blocks], torch.tensor(np.array(x), requires_grad=True)
    mask = torch.triu(torch.ones(TOKENS, TOKENS, dtype=torch.bool), 1) if look is look_back else None
    out = theirs
    for layer in layers:
        out = layer(out, src_mask=mask)
    expected = torch.nn.functional.mse_loss(out, torch.tensor(wanted))
    expected.backward()
    assert float(loss) == pytest.approx(expected.item(), rel=1e-5)
    np.testing.assert_allclose(y, out.detach(), atol=1e-5)
    np.testing.assert_allclose(grad_x, theirs.grad, atol=1e-5)
    for layer, grad in zip(layers, grads, strict=True):
        for name, value in named(grad).items():
            np.testing.assert_allclose(value, layer.get_parameter(name).grad, atol=1e-5, err_msg=name)


@every_variant
def test_dropout_is_in_the_four_places_of_pytorchs_layer(norm, look):
    block, x = make(norm, look)
    dropout = Dropout(0.3, jax.random.key(3))
    on_weights, on_attention, on_hidden, on_mlp = places(dropout, 4)

    @eqx.filter_jit
    def by_hand(block, x):
        attention = lambda x: (dropped(block.attention(x, on_weights)[0], on_attention), None)
        mlp = lambda x: (dropped(block.mlp(x, on_hidden), on_mlp), None)
        return norm(block.mlp_norm, mlp, norm(block.attention_norm, attention, x)[0])[0]

    expected = by_hand(block, x)
    y, weight = call(block, x, dropout)
    np.testing.assert_allclose(y, expected, atol=1e-5)
    plain, undropped = call(block, x)
    np.testing.assert_allclose(weight[..., 0, 0], undropped[..., 0, 0], atol=1e-6)  # attention itself is seen whole
    assert np.abs(y - plain).max() > 0.1
    np.testing.assert_allclose(call(block, x, Dropout(0.0, jax.random.key(3)))[0], plain, atol=1e-5)


def test_attention_weights_are_dropped_before_they_mix_values():
    block, x = make(pre_norm, look_at_all)
    dropout = Dropout(0.5, jax.random.key(0))
    parts, attend = block.attention, eqx.filter_jit(type(block.attention).__call__)
    _, weight = attend(parts, x)
    value = np.einsum("siw,whk->shik", x, parts.value) + np.asarray(parts.value_bias)[:, None]
    expected = np.einsum("shij,shjk,hkw->siw", dropout(weight), value, parts.output) + parts.output_bias
    np.testing.assert_allclose(attend(parts, x, dropout)[0], expected, atol=1e-5)


def test_nobody_sees_the_future():
    block, x = make(pre_norm, look_back)
    y, weight = call(block, x)
    np.testing.assert_array_equal(call(block, x.at[:, 3:].add(1))[0][:, :3], y[:, :3])
    assert np.all(np.triu(weight, 1) == 0)
    np.testing.assert_allclose(weight.sum(-1), 1, atol=1e-6)


@pytest.mark.parametrize("count", [1, 2])
def test_blocks_follow_one_another(count):
    size = TransformerSize(count, HEADS, WIDTH, HIDDEN)
    blocks = eqx.filter_jit(encoder_blocks)(size, jax.random.split(jax.random.key(0), count), norm=post_norm)
    x = make(pre_norm, look_at_all)[1][0]
    y, attention = eqx.filter_jit(encode)(blocks, x)
    assert attention.shape == (count, HEADS, TOKENS, TOKENS)
    expected = x
    for number, block in enumerate(blocks):
        expected, weight = call(block, expected)
        np.testing.assert_allclose(attention[number], weight, atol=1e-5)
    np.testing.assert_allclose(y, expected, atol=1e-4)
    if count > 1:
        assert np.any(blocks[0].mlp.weights[0] != blocks[1].mlp.weights[0])


def test_blocks_start_as_in_pytorch():
    block = eqx.filter_jit(EncoderBlock)(WIDTH, HEADS, HIDDEN, key=jax.random.key(0))
    for norm in (block.attention_norm, block.mlp_norm):
        assert np.all(norm.weight == 1)
        assert np.all(norm.bias == 0)
    assert np.abs(block.mlp.weights[1]).max() <= HIDDEN**-0.5


def test_bad_sizes_are_refused():
    with pytest.raises(ValueError, match=r"Attention\.width must be a multiple of its heads; got 9 and 2 heads"):
        EncoderBlock(9, 2, 8, key=jax.random.key(0))
    with pytest.raises(ValueError, match=r"encoder_blocks needs a key for each of 2 blocks; got 3"):
        encoder_blocks(TransformerSize(2, 1, 8, 8), jax.random.split(jax.random.key(0), 3))


# --- pairs of symbols ------------------------------------------------------------------------------------------------


def pair_network(p=7, width=8):
    size = TransformerSize(blocks=2, heads=1, width=width, hidden=10)
    shapes = eqx.filter_eval_shape(BlocksDecoder, size, tokens=2, labels=p, key=jax.random.key(0))
    embedding = np.random.default_rng(0).normal(size=(p, width)).astype(np.float32)
    return PairTransformer(jnp.asarray(embedding), randomised(shapes, 1))


def test_a_pair_network_reads_both_outputs_side_by_side():
    model, pair = pair_network(), np.array([2, 5])
    out, attention = eqx.filter_jit(encode)(model.decoder.blocks, model.embedding[pair])
    (weight,), (bias,) = model.decoder.readout.weights, model.decoder.readout.biases
    logits, seen = look(model, pair)
    np.testing.assert_allclose(logits, out[0] @ weight[:8] + out[1] @ weight[8:] + bias, atol=1e-5)
    np.testing.assert_allclose(seen, attention, atol=1e-6)


def test_pairs_together_are_as_each_alone_and_know_no_position():
    model = pair_network()
    pairs = np.indices((7, 7)).reshape(2, -1).T
    logits, attention = look(model, pairs)
    for number in (0, 9, 48):
        np.testing.assert_allclose(look(model, pairs[number])[0], logits[number], atol=1e-5)
    turned = look(model, pairs[:, ::-1])[1]
    np.testing.assert_allclose(turned[..., ::-1, ::-1], attention, atol=1e-6)


def test_gradients_of_embeddings_are_those_of_indexing():
    model, pairs = pair_network(), np.array([[0, 1], [1, 1], [6, 0]])
    weight = jax.random.normal(jax.random.key(1), (3, 7))
    grads = eqx.filter_jit(eqx.filter_grad(lambda model: jnp.sum(weight * model(pairs))))(model).embedding
    plain = jax.jit(jax.grad(lambda E: jnp.sum(weight * model.decoder(E[pairs])[0])))(model.embedding)
    np.testing.assert_allclose(grads, plain, atol=1e-5)
    assert not np.any(grads[2:6])


def test_an_embedding_of_another_width_is_refused():
    model = pair_network()
    with pytest.raises(ValueError, match=r"PairTransformer\.embedding must have the width 8 of its decoder; it has 6"):
        PairTransformer(jnp.zeros((7, 6)), model.decoder)
