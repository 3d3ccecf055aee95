"""Attention among unordered particles, each of which may attend to none of the others."""

from math import sqrt

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from nucleate.models.mlp import MLP, rows_times

_EPSILON = 1e-5  # as in PyTorch's layer norm


class Attention(eqx.Module):
    """Multihead attention to all other particles, with a zero token: the weights of a row may sum to less than 1.

        a_hij = exp(l_hij) / (1 + Σ_{j≠i} exp(l_hij)),  j ≠ i,    l_hij = q_hi·k_hj / √key,    a_hii = 0
        y_i = Σ_h W_h^T Σ_j a_hij v_hj + b

    q, k, v: linear in x, with biases; W_h: `output` of head h. The 1 is the zero token, a key and a value of zeros
    (PyTorch's `add_zero_attn`): its logit is 0 and it adds nothing. A head's parameters are [:, h] of the first three
    weights, [h] of their biases and of `output`. Weights are initialised as in PyTorch's `MultiheadAttention`.
    Source: [phuong2022formal], Algorithm 5, and [hitchcock2025emergence], Appendix C.1.

    >>> attention = eqx.filter_eval_shape(Attention, width=8, heads=2, key=jax.random.key(0))
    >>> y, weight = eqx.filter_eval_shape(Attention.__call__, attention, jnp.zeros((5, 3, 8)))  # five states
    >>> y.shape, weight.shape
    ((5, 3, 8), (5, 2, 3, 3))
    """

    query: Float[Array, "width head key"]
    key: Float[Array, "width head key"]
    value: Float[Array, "width head key"]
    query_bias: Float[Array, "head key"]
    key_bias: Float[Array, "head key"]
    value_bias: Float[Array, "head key"]
    output: Float[Array, "head key width"]
    output_bias: Float[Array, " width"]

    def __init__(self, width: int, heads: int, *, key: Array):
        if heads < 1 or width < 1 or width % heads:
            raise ValueError(f"Attention.width must be a multiple of its heads; got {width} and {heads} heads.")
        keys, shape = jax.random.split(key, 4), (width, heads, width // heads)
        bound = sqrt(6 / (4 * width))  # Glorot's bound for the three matrices stacked: width → 3 width
        self.query, self.key, self.value = jax.vmap(
            lambda k: jax.random.uniform(k, shape, minval=-bound, maxval=bound)
        )(keys[:3])
        bound = width**-0.5
        self.output = jax.random.uniform(keys[3], (*shape[1:], width), minval=-bound, maxval=bound)
        self.query_bias, self.key_bias, self.value_bias = (jnp.zeros(shape[1:]) for _ in range(3))
        self.output_bias = jnp.zeros(width)

    def __call__(
        self, x: Float[Array, "*state particle width"]
    ) -> tuple[Float[Array, "*state particle width"], Float[Array, "*state head particle particle"]]:
        width, *heads = self.query.shape
        query, key, value = (
            rows_times(x, weight.reshape(width, -1)).reshape(*x.shape[:-1], *heads) + bias
            for weight, bias in (
                (self.query, self.query_bias),
                (self.key, self.key_bias),
                (self.value, self.value_bias),
            )
        )
        weight = look_at_others(jnp.einsum("...ihk,...jhk->...hij", query, key) / sqrt(heads[1]))
        mixed = jnp.einsum("...hij,...jhk->...ihk", weight, value).reshape(x.shape)
        return rows_times(mixed, self.output.reshape(width, width)) + self.output_bias, weight


def look_at_others(
    logits: Float[Array, "*state head particle particle"],
) -> Float[Array, "*state head particle particle"]:
    """The softmax over all other particles and a zero token, whose own weight is not returned: see `Attention`.

    >>> look_at_others(jnp.full((1, 2, 2), jnp.log(3.0))).round(4).tolist()  # 3 / (3 + 1)
    [[[0.0, 0.75], [0.75, 0.0]]]
    """
    logits = jnp.where(jnp.eye(logits.shape[-1], dtype=bool), -jnp.inf, logits)
    highest = jax.lax.stop_gradient(jnp.maximum(logits.max(-1, keepdims=True), 0))
    unscaled = jnp.exp(logits - highest)
    return unscaled / (unscaled.sum(-1, keepdims=True) + jnp.exp(-highest))


class LayerNorm(eqx.Module):
    """Layer normalisation of each particle: zero mean and unit variance over its width, then scaled and shifted.

        y = g (x − mean x) / √(mean (x − mean x)² + ε) + b

    Equinox's own computes the variance less directly: with it, the loss and gradient of a small particle transformer
    took 50 % longer. Source: [phuong2022formal], Algorithm 6.

    >>> LayerNorm(2)(jnp.array([[1.0, 3.0]])).round(3).tolist()
    [[-1.0, 1.0]]
    """

    weight: Float[Array, " width"]
    bias: Float[Array, " width"]

    def __init__(self, width: int):
        self.weight, self.bias = jnp.ones(width), jnp.zeros(width)

    def __call__(self, x: Float[Array, "*state particle width"]) -> Float[Array, "*state particle width"]:
        centred = x - jnp.mean(x, axis=-1, keepdims=True)
        scale = jax.lax.rsqrt(jnp.mean(jnp.square(centred), axis=-1, keepdims=True) + _EPSILON)
        return centred * scale * self.weight + self.bias


class Block(eqx.Module):
    """A transformer block with normalisation before each part: x ← x + A(LN x), then x ← x + M(LN x).

    A: `Attention`; M: an MLP with one hidden layer of `hidden` units, applied to each particle separately. The paper
    shows layer norms only in its Figure 4; these are the usual places. Source: [hitchcock2025emergence], Appendix C.1.

    >>> block = eqx.filter_eval_shape(Block, width=8, heads=2, hidden=16, key=jax.random.key(0))
    >>> y, weight = eqx.filter_eval_shape(Block.__call__, block, jnp.ones((3, 8)))
    >>> y.shape, weight.shape
    ((3, 8), (2, 3, 3))
    """

    before_attention: LayerNorm
    attention: Attention
    before_mlp: LayerNorm
    mlp: MLP

    def __init__(self, width: int, heads: int, hidden: int, *, key: Array):
        attention_key, mlp_key = jax.random.split(key)
        self.attention = Attention(width, heads, key=attention_key)
        self.mlp = MLP((width, hidden, width), jax.nn.relu, key=mlp_key)
        self.before_attention, self.before_mlp = LayerNorm(width), LayerNorm(width)

    def __call__(
        self, x: Float[Array, "*state particle width"]
    ) -> tuple[Float[Array, "*state particle width"], Float[Array, "*state head particle particle"]]:
        change, weight = self.attention(self.before_attention(x))
        x = x + change
        return x + self.mlp(self.before_mlp(x)), weight
