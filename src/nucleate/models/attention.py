"""Attention among the tokens of a sequence, or the particles of a state, and layer normalisation."""

from collections.abc import Callable
from math import sqrt

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from nucleate.checking import Count, checked
from nucleate.models.dropout import Dropout, dropped
from nucleate.models.mlp import rows_times

_EPSILON = 1e-5  # as in PyTorch's layer norm
_LONG = 64  # tokens from which on it pays to attend head by head

Look = Callable[[Array], Array]
"""Who attends to whom: a rule from logits [*state head token token] to weights of the same shape, such as
`look_at_all`."""


class Attention(eqx.Module):
    """Multihead attention of each token to the tokens that `look` lets it see.

        y_i = Σ_h W_h^T Σ_j a_hij v_hj + b,    a = look(l),    l_hij = q_hi·k_hj / √key

    q, k, v: linear in x, with biases; W_h: `output` of head h; a: returned with y; dropout, if any, is on a. `look`:
    `look_at_all`, `look_back` or `look_at_others`. A head's parameters are [:, h] of the first three weights, [h] of
    their biases and of `output`. Weights are initialised as in PyTorch's `MultiheadAttention`.
    Source: [phuong2022formal], Algorithm 5.

    >>> attention = eqx.filter_eval_shape(Attention, 8, 2, look_at_all, key=jax.random.key(0))
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
    look: Look = eqx.field(static=True)

    @checked
    def __init__(self, width: Count, heads: Count, look: Look, *, key: Array):
        if width % heads:
            raise ValueError(f"Attention.width must be a multiple of its heads; got {width} and {heads} heads.")
        keys, shape = jax.random.split(key, 4), (width, heads, width // heads)
        bound = sqrt(6 / (4 * width))  # Glorot's bound for the three matrices stacked: width → 3 width
        self.query, self.key, self.value = jax.vmap(
            lambda k: jax.random.uniform(k, shape, minval=-bound, maxval=bound)
        )(keys[:3])
        bound = width**-0.5
        self.output = jax.random.uniform(keys[3], (*shape[1:], width), minval=-bound, maxval=bound)
        self.query_bias, self.key_bias, self.value_bias = (jnp.zeros(shape[1:]) for _ in range(3))
        self.output_bias, self.look = jnp.zeros(width), look

    def __call__(
        self, x: Float[Array, "*state token width"], dropout: Dropout | None = None
    ) -> tuple[Float[Array, "*state token width"], Float[Array, "*state head token token"]]:
        width, *heads = self.query.shape
        query, key, value = (
            rows_times(x, weight.reshape(width, -1)).reshape(*x.shape[:-1], *heads) + bias
            for weight, bias in (
                (self.query, self.query_bias),
                (self.key, self.key_bias),
                (self.value, self.value_bias),
            )
        )
        attend = _by_heads if x.shape[-2] >= _LONG else _by_tokens
        mixed, weight = attend(query, key, value, self.look, dropout)
        return rows_times(mixed.reshape(x.shape), self.output.reshape(width, width)) + self.output_bias, weight


def _by_tokens(query: Array, key: Array, value: Array, look: Look, dropout: Dropout | None) -> tuple[Array, Array]:
    """Σ_j a_hij v_hj and a, from queries, keys and values [*state token head key]."""
    weight = look(jnp.einsum("...ihk,...jhk->...hij", query, key) / sqrt(query.shape[-1]))
    return jnp.einsum("...hij,...jhk->...ihk", dropped(weight, dropout), value), weight


def _by_heads(query: Array, key: Array, value: Array, look: Look, dropout: Dropout | None) -> tuple[Array, Array]:
    """The same, with each head's tokens as rows of one matrix: then XLA need not transpose the weights, which are many.

    With 128 tokens it takes half the time, with 64 a tenth less; with 12 to 32, for which the products are so small
    that these transposes outweigh them, a quarter more.
    """
    query, key, value = (jnp.swapaxes(part, -3, -2) for part in (query, key, value))
    weight = look(query @ jnp.swapaxes(key, -1, -2) / sqrt(query.shape[-1]))
    return jnp.swapaxes(dropped(weight, dropout) @ value, -3, -2), weight


def look_at_all(logits: Float[Array, "*state head token token"]) -> Float[Array, "*state head token token"]:
    """Everyone sees everyone: the softmax of each row.

        a_ij = exp(l_ij) / Σ_k exp(l_ik)

    >>> look_at_all(jnp.log(jnp.array([[[1.0, 3.0], [1.0, 1.0]]]))).round(4).tolist()
    [[[0.25, 0.75], [0.5, 0.5]]]
    """
    return jax.nn.softmax(logits)


def look_back(logits: Float[Array, "*state head token token"]) -> Float[Array, "*state head token token"]:
    """Each token sees itself and those before it: causal attention.

        a_ij = exp(l_ij) / Σ_{k≤i} exp(l_ik),  j ≤ i,    a_ij = 0,  j > i

    >>> look_back(jnp.zeros((1, 2, 2))).tolist()
    [[[1.0, 0.0], [0.5, 0.5]]]
    """
    return jax.nn.softmax(jnp.where(jnp.tri(logits.shape[-1], dtype=bool), logits, -jnp.inf))


def look_at_others(
    logits: Float[Array, "*state head particle particle"],
) -> Float[Array, "*state head particle particle"]:
    """Each particle sees all others and a zero token, so that its weights may sum to less than 1.

        a_ij = exp(l_ij) / (1 + Σ_{k≠i} exp(l_ik)),  j ≠ i,    a_ii = 0

    The 1 is the zero token, a key and a value of zeros (PyTorch's `add_zero_attn`): its logit is 0, it adds nothing,
    and its weight is not returned. Source: [hitchcock2025emergence], Appendix C.1.

    >>> look_at_others(jnp.full((1, 2, 2), jnp.log(3.0))).round(4).tolist()  # 3 / (3 + 1)
    [[[0.0, 0.75], [0.75, 0.0]]]
    """
    logits = jnp.where(jnp.eye(logits.shape[-1], dtype=bool), -jnp.inf, logits)
    highest = jax.lax.stop_gradient(jnp.maximum(logits.max(-1, keepdims=True), 0))
    unscaled = jnp.exp(logits - highest)
    return unscaled / (unscaled.sum(-1, keepdims=True) + jnp.exp(-highest))


class LayerNorm(eqx.Module):
    """Layer normalisation of each token: zero mean and unit variance over its width, then scaled and shifted.

        y = g (x − mean x) / √(mean (x − mean x)² + ε) + b

    Equinox's own computes the variance less directly: with it, the loss and gradient of a small particle transformer
    took 50 % longer. Source: [phuong2022formal], Algorithm 6.

    >>> LayerNorm(2)(jnp.array([[1.0, 3.0]])).round(3).tolist()
    [[-1.0, 1.0]]
    """

    weight: Float[Array, " width"]
    bias: Float[Array, " width"]

    @checked
    def __init__(self, width: Count):
        self.weight, self.bias = jnp.ones(width), jnp.zeros(width)

    def __call__(self, x: Float[Array, "*token width"]) -> Float[Array, "*token width"]:
        centred = x - jnp.mean(x, axis=-1, keepdims=True)
        scale = jax.lax.rsqrt(jnp.mean(jnp.square(centred), axis=-1, keepdims=True) + _EPSILON)
        return centred * scale * self.weight + self.bias
