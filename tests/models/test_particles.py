"""The particle transformer against an independent forward pass in NumPy, and its symmetries."""

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nucleate.models import Frame, ParticleTransformer, TransformerSize

SIZE = TransformerSize(blocks=2, heads=4, width=16, hidden=24)

# Compiled: called as it is, a network would spend its time on compiling single operations.
look, call = eqx.filter_jit(ParticleTransformer.look), eqx.filter_jit(ParticleTransformer.__call__)


@cache
def make(dim=2, particles=6):
    """A network with random numbers for parameters, biases and norms included, and a state."""
    rng = np.random.default_rng(0)
    frame, key = Frame((3.0,) * dim, radius=1.5), jax.random.key(0)
    shapes = eqx.filter_eval_shape(ParticleTransformer, SIZE, frame, key=key)
    model = jax.tree.map(lambda leaf: jnp.asarray(rng.normal(size=leaf.shape) / 4, jnp.float32), shapes)
    position, velocity = rng.uniform(0, 6, (particles, dim)), rng.normal(size=(particles, dim))
    boundary = np.concatenate([np.zeros((9, dim)), np.full((5, dim), 6.0)])
    boundary[:9, 0] = np.linspace(0, 6, 9)
    return model, *(array.astype(np.float32) for array in (position, velocity, boundary))


def forward(model, position, velocity, boundary):
    """The model of Appendix C.1, particle by particle and head by head, in float64."""
    model = jax.tree.map(lambda x: np.asarray(x, np.float64), model)
    position, velocity, boundary = (np.asarray(x, np.float64) for x in (position, velocity, boundary))
    centre = np.array(model.frame.centre)

    def mlp(layers, x):
        for layer, (weight, bias) in enumerate(zip(layers.weights, layers.biases, strict=True)):
            x = (np.maximum(x, 0) if layer else x) @ weight + bias
        return x

    def normal(norm, x):
        return (x - x.mean()) / np.sqrt(x.var() + 1e-5) * norm.weight + norm.bias

    rows, attention = [], []
    for p, v in zip(position, velocity, strict=True):
        row = mlp(model.embed, np.concatenate([p - centre, v]))
        for b in boundary:
            if np.linalg.norm(p - b) < model.frame.radius:
                row = row + mlp(model.embed_boundary, b - centre)
        rows.append(row)
    x = np.array(rows)
    for block in model.blocks:
        parts, y = block.attention, np.array([normal(block.attention_norm, row) for row in x])
        change, weights = np.tile(parts.output_bias, (len(x), 1)), np.zeros((SIZE.heads, len(x), len(x)))
        for h in range(SIZE.heads):
            q, k, v = (
                y @ weight[:, h] + bias[h]
                for weight, bias in (
                    (parts.query, parts.query_bias),
                    (parts.key, parts.key_bias),
                    (parts.value, parts.value_bias),
                )
            )
            for i in range(len(x)):
                e = np.exp(k @ q[i] / np.sqrt(SIZE.width / SIZE.heads))
                e[i] = 0
                weights[h, i] = e / (1 + e.sum())
                change[i] += weights[h, i] @ v @ parts.output[h]
        attention.append(weights)
        x = x + change
        x = x + np.array([mlp(block.mlp, normal(block.mlp_norm, row)) for row in x])
    out = np.array([mlp(model.unembed, normal(model.norm, row)) for row in x])
    return model.frame.scale * out, np.array(attention)


@pytest.mark.parametrize("dim", [2, 3])
def test_it_is_the_model_of_the_paper(dim):
    model, *state = make(dim)
    seen, (acceleration, attention) = look(model, *state), forward(model, *state)
    np.testing.assert_allclose(seen.acceleration, acceleration, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(seen.attention, attention, atol=1e-5)
    np.testing.assert_allclose(call(model, *state), seen.acceleration, rtol=1e-5, atol=1e-5)


def test_permuted_particles_give_permuted_accelerations():
    model, position, velocity, boundary = make()
    order = np.array([3, 0, 5, 1, 4, 2])
    plain = look(model, position, velocity, boundary)
    permuted = look(model, position[order], velocity[order], boundary)
    np.testing.assert_allclose(permuted.acceleration, plain.acceleration[order], atol=1e-4)
    np.testing.assert_allclose(permuted.attention, plain.attention[:, :, order][..., order], atol=1e-5)


def test_boundary_particles_have_no_order_and_count_only_within_the_radius():
    model, position, velocity, boundary = make()
    plain = call(model, position, velocity, boundary)
    np.testing.assert_allclose(call(model, position, velocity, boundary[::-1]), plain, atol=1e-4)
    far = np.concatenate([boundary, np.full((3, 2), 60.0, np.float32)])
    np.testing.assert_allclose(call(model, position, velocity, far), plain, atol=1e-4)
    near = np.concatenate([boundary, np.asarray(position[:1]) + 1.49 * np.array([[0.6, 0.8]], np.float32)])
    assert np.abs(call(model, position, velocity, near) - plain).max() > 1e-2


def test_one_step_is_semi_implicit_euler_and_a_rollout_many():
    model, position, velocity, boundary = make()
    expected = np.asarray(velocity) + 0.005 * (np.asarray(call(model, position, velocity, boundary)) - [0, 9.8])
    advance = eqx.filter_jit(ParticleTransformer.advance)
    p, v = advance(model, position, velocity, boundary)
    np.testing.assert_allclose(v, expected, atol=1e-5)
    np.testing.assert_allclose(p, position + 0.005 * expected, atol=1e-5)
    path, speeds = eqx.filter_jit(ParticleTransformer.rollout)(model, position, velocity, boundary, 3)
    assert path.shape == speeds.shape == (4, 6, 2)
    np.testing.assert_allclose(path[0], position)
    for _ in range(2):
        p, v = advance(model, p, v, boundary)
    np.testing.assert_allclose(path[-1], p, atol=1e-4)
    np.testing.assert_allclose(speeds[-1], v, atol=1e-4)


def test_many_states_at_once_are_as_each_alone():
    model, position, velocity, boundary = make()
    states = jnp.stack([position, position[::-1] + 0.1]), jnp.stack([velocity, -velocity])
    together = look(model, *states, boundary)
    for number, (p, v) in enumerate(zip(*states, strict=True)):
        alone = look(model, p, v, boundary)
        np.testing.assert_allclose(together.acceleration[number], alone.acceleration, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(together.attention[number], alone.attention, rtol=1e-4, atol=1e-6)


def test_a_box_may_have_no_walls():
    model, position, velocity, _ = make()
    states = jnp.stack([position] * 2), jnp.stack([velocity] * 2)
    assert np.isfinite(call(model, *states, jnp.zeros((0, 2)))).all()


def test_it_can_be_differentiated():
    model, position, velocity, boundary = make()
    states = jnp.stack([position, position[::-1]]), jnp.stack([velocity, velocity[::-1]])

    def loss(model):
        return jnp.mean(model(*states, boundary) ** 2)

    grads = eqx.filter_jit(eqx.filter_grad(loss))(model)
    assert all(np.isfinite(leaf).all() and np.any(leaf != 0) for leaf in jax.tree.leaves(grads))


def test_parameters_are_those_of_the_paper():
    model = eqx.filter_eval_shape(ParticleTransformer, TransformerSize(), Frame(), key=jax.random.key(0))
    e, f, d = 128, 256, 2
    block = 4 * (e * e + e) + (e * f + f + f * e + e) + 4 * e
    embed = (2 * d * e + e + e * e + e) + (d * e + e + e * e + e)
    expected = embed + 4 * block + 2 * e + e * d + d
    assert sum(leaf.size for leaf in jax.tree.leaves(eqx.filter(model, lambda x: hasattr(x, "size")))) == expected


def test_bad_sizes_and_frames():
    with pytest.raises(ValueError, match=r"TransformerSize\.width must be a multiple of heads = 3; got 16"):
        TransformerSize(heads=3, width=16)
    with pytest.raises(ValueError, match=r"TransformerSize\.blocks must be >= 1; got 0"):
        TransformerSize(blocks=0)
    with pytest.raises(ValueError, match=r"Frame\.radius must be > 0; got 0"):
        Frame(radius=0.0)
    with pytest.raises(ValueError, match=r"Frame\.centre must hold one number for each dimension; got \(\)"):
        Frame(centre=())
    model, *state = make()
    with pytest.raises(ValueError, match=r"steps must be >= 0; got -1"):
        model.rollout(*state, steps=-1)
