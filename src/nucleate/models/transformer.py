"""Transformer blocks: attention carries information between tokens, an MLP works on each of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from nucleate.checking import Checked, Count
from nucleate.models.attention import Attention, LayerNorm, Look, look_at_all
from nucleate.models.dropout import Dropout, dropped, places
from nucleate.models.mlp import MLP

Part = Callable[[Array], tuple[Array, Any]]
"""A part of a block: from what it reads to the change it makes, and what can be seen of it."""

Norm = Callable[[LayerNorm, Part, Array], tuple[Array, Any]]
"""Where a block normalises: `pre_norm` or `post_norm`."""


@final
@dataclass(frozen=True)
class TransformerSize(Checked):
    """The size of a transformer; by default that of Table 4 of [hitchcock2025emergence].

    `hidden`: the width of the blocks' MLPs, which that paper does not give.

    >>> TransformerSize(heads=4, width=10)
    Traceback (most recent call last):
    ValueError: TransformerSize.width must be a multiple of heads = 4; got 10.
    """

    blocks: Count = 4
    heads: Count = 8
    width: Count = 128
    hidden: Count = 256

    def check(self) -> None:
        if self.width % self.heads:
            self.refuse("width", f"must be a multiple of heads = {self.heads}; got {self.width}")


def pre_norm(norm: LayerNorm, part: Part, x: Float[Array, "..."]) -> tuple[Float[Array, "..."], Any]:
    """Normalise what a part reads: x ← x + part(LN x). Source: [xiong2020layer].

    >>> pre_norm(LayerNorm(2), lambda x: (x, None), jnp.array([1.0, 3.0]))[0].round(3).tolist()
    [0.0, 4.0]
    """
    change, seen = part(norm(x))
    return x + change, seen


def post_norm(norm: LayerNorm, part: Part, x: Float[Array, "..."]) -> tuple[Float[Array, "..."], Any]:
    """Normalise what a part has changed: x ← LN(x + part(x)). Source: [xiong2020layer].

    >>> post_norm(LayerNorm(2), lambda x: (x, None), jnp.array([1.0, 3.0]))[0].round(3).tolist()
    [-1.0, 1.0]
    """
    change, seen = part(x)
    return norm(x + change), seen


class Inside(NamedTuple):
    """What is seen inside a block: who attends to whom, and the hidden units of its MLP after their activation."""

    attention: Float[Array, "*state head token token"]
    hidden: Float[Array, "*state token hidden"]


class EncoderBlock(eqx.Module):
    """Attention, then an MLP on each token, each added to what it reads.

        x ← x + A(LN x),  x ← x + M(LN x)    or    x ← LN(x + A(x)),  x ← LN(x + M(x))

    A: `Attention`, for `look`; M: an MLP with one hidden layer of `hidden` ReLU units; the first form is `pre_norm`,
    the second `post_norm`. Dropout, if any, is on the attention weights, on the MLP's hidden units and on what A and M
    add, as in PyTorch's `TransformerEncoderLayer`. Takes one sequence of tokens, or many at once.
    Source: [xiong2020layer].

    >>> block = eqx.filter_eval_shape(EncoderBlock, 8, heads=2, hidden=16, key=jax.random.key(0))
    >>> y, weight = eqx.filter_eval_shape(EncoderBlock.__call__, block, jnp.ones((3, 8)))
    >>> y.shape, weight.shape
    ((3, 8), (2, 3, 3))
    """

    attention_norm: LayerNorm
    attention: Attention
    mlp_norm: LayerNorm
    mlp: MLP
    norm: Norm = eqx.field(static=True)

    def __init__(
        self, width: int, heads: int, hidden: int, look: Look = look_at_all, norm: Norm = pre_norm, *, key: Array
    ):
        attention_key, mlp_key = jax.random.split(key)
        self.attention = Attention(width, heads, look, key=attention_key)
        self.mlp = MLP((width, hidden, width), jax.nn.relu, key=mlp_key)
        self.attention_norm, self.mlp_norm, self.norm = LayerNorm(width), LayerNorm(width), norm

    def __call__(
        self, x: Float[Array, "*state token width"], dropout: Dropout | None = None
    ) -> tuple[Float[Array, "*state token width"], Float[Array, "*state head token token"]]:
        y, inside = self.look(x, dropout)
        return y, inside.attention

    def look(
        self, x: Float[Array, "*state token width"], dropout: Dropout | None = None
    ) -> tuple[Float[Array, "*state token width"], Inside]:
        """The output, and what is seen inside, before dropout; under jit, what is not used costs nothing."""
        on_weights, on_attention, on_hidden, on_mlp = places(dropout, 4)

        def attend(x: Array) -> tuple[Array, Array]:
            change, weight = self.attention(x, on_weights)
            return dropped(change, on_attention), weight

        def think(x: Array) -> tuple[Array, Array]:
            before = self.mlp.first(x)
            return dropped(self.mlp.after_first(before, on_hidden), on_mlp), self.mlp.activation(before)

        x, weight = self.norm(self.attention_norm, attend, x)
        x, hidden = self.norm(self.mlp_norm, think, x)
        return x, Inside(weight, hidden)


def encoder_blocks(
    size: TransformerSize, keys: Array, look: Look = look_at_all, norm: Norm = pre_norm
) -> tuple[EncoderBlock, ...]:
    """The blocks of a transformer, with a key for each.

    All are made at once: random numbers take longer to compile than everything else in a network.

    >>> keys = jax.random.split(jax.random.key(0), 2)
    >>> len(eqx.filter_eval_shape(encoder_blocks, TransformerSize(2, 1, 8, 8), keys))
    2
    """
    if len(keys) != size.blocks:
        raise ValueError(f"encoder_blocks needs a key for each of {size.blocks} blocks; got {len(keys)}.")
    make = lambda key: EncoderBlock(size.width, size.heads, size.hidden, look, norm, key=key)
    blocks = eqx.filter_vmap(make)(keys)
    return tuple(jax.tree.map(lambda leaf, i=i: leaf[i], blocks) for i in range(size.blocks))


def encode(
    blocks: tuple[EncoderBlock, ...], x: Float[Array, "*state token width"], dropout: Dropout | None = None
) -> tuple[Float[Array, "*state token width"], Float[Array, "*state block head token token"]]:
    """x after one block after the other, and the attention of each; under jit, what is not used costs nothing.

    `attention[..., b, h, i, j]`: how much token i attends to token j in head h of block b.
    """
    attention = []
    for block, here in zip(blocks, places(dropout, len(blocks)), strict=True):
        x, weight = block(x, here)
        attention.append(weight)
    return x, jnp.stack(attention, axis=-4)
