"""A transformer that reads a sequence of tokens and answers at each of them."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from nucleate.checking import AtLeast, Checked, Count, checked
from nucleate.models.attention import LayerNorm, Look, look_back
from nucleate.models.dropout import Dropout, places
from nucleate.models.mlp import MLP
from nucleate.models.transformer import EncoderBlock, Norm, TransformerSize, encoder_blocks, pre_norm


@final
@dataclass(frozen=True)
class SequenceShape(Checked):
    """What a sequence transformer reads and answers.

    `tokens`: how many different tokens there are; `labels`: how many answers, None for as many as tokens; `positions`:
    the length of the longest sequence, whose positions then have learned vectors; 0: positions are not told.

    >>> SequenceShape(tokens=0)
    Traceback (most recent call last):
    ValueError: SequenceShape.tokens must be >= 1; got 0.
    """

    tokens: Count
    labels: Count | None = None
    positions: Annotated[int, AtLeast(0)] = 0


class Trace(NamedTuple):
    """What a sequence transformer answers, and what is seen inside.

    `attention[..., b, h, i, j]`: how much token i attends to token j in head h of block b; `hidden[..., b, i, u]`: unit
    u of the MLP of block b, after its activation; `states[..., b, i]`: token i before block b, and after the last one.
    """

    logits: Float[Array, "*state token label"]
    attention: Float[Array, "*state block head token token"]
    hidden: Float[Array, "*state block token hidden"]
    states: Float[Array, "*state layer token width"]


class SequenceTransformer(eqx.Module):
    """Transformer blocks on the embeddings of a sequence, and logits at each of its tokens.

        logits_i = W N(blocks(x))_i + c,    x_i = E_{token i} + P_i

    E: `embedding`; P: `positions`, if they are told; blocks: see `EncoderBlock`, for `look` and `norm`; N: `last_norm`
    after `pre_norm` blocks, nothing after `post_norm` blocks, whose outputs are normalised as they are, as in PyTorch's
    `TransformerEncoder`; W, c: `unembed`. E and P start as PyTorch's `Embedding`, standard normal.
    Takes one sequence, or many at once. Source: [phuong2022formal], Algorithms 9 and 10.

    >>> size, shape = TransformerSize(blocks=3, heads=2, width=8, hidden=16), SequenceShape(tokens=50, positions=7)
    >>> model = eqx.filter_eval_shape(SequenceTransformer, size, shape, key=jax.random.key(0))
    >>> seen = eqx.filter_eval_shape(SequenceTransformer.look, model, np.zeros((4, 7), int))
    >>> [part.shape for part in seen]
    [(4, 7, 50), (4, 3, 2, 7, 7), (4, 3, 7, 16), (4, 4, 7, 8)]
    """

    embedding: Float[Array, "token width"]
    positions: Float[Array, "position width"] | None
    blocks: tuple[EncoderBlock, ...]
    last_norm: LayerNorm | None
    unembed: MLP

    @checked
    def __init__(
        self, size: TransformerSize, shape: SequenceShape, look: Look = look_back, norm: Norm = pre_norm, *, key: Array
    ):
        first, last, *keys = jax.random.split(key, 2 + size.blocks)
        # Drawn together: random numbers take longer to compile than everything else in a network.
        table = jax.random.normal(first, (shape.tokens + shape.positions, size.width))
        self.embedding = table[: shape.tokens]
        self.positions = table[shape.tokens :] if shape.positions else None
        self.blocks = encoder_blocks(size, jnp.stack(keys), look, norm)
        self.last_norm = LayerNorm(size.width) if norm is pre_norm else None
        self.unembed = MLP((size.width, shape.labels or shape.tokens), key=last)

    def __call__(
        self, tokens: Int[Array | np.ndarray, "*state token"], dropout: Dropout | None = None
    ) -> Float[Array, "*state token label"]:
        return self.look(tokens, dropout).logits

    def look(self, tokens: Int[Array | np.ndarray, "*state token"], dropout: Dropout | None = None) -> Trace:
        """The logits and what is seen inside; under jit, what is not used costs nothing."""
        states, inside = [self._embedded(tokens)], []
        for block, here in zip(self.blocks, places(dropout, len(self.blocks)), strict=True):
            state, seen = block.look(states[-1], here)
            states.append(state)
            inside.append(seen)
        out = states[-1] if self.last_norm is None else self.last_norm(states[-1])
        return Trace(
            logits=self.unembed(out),
            attention=jnp.stack([seen.attention for seen in inside], axis=-4),
            hidden=jnp.stack([seen.hidden for seen in inside], axis=-3),
            states=jnp.stack(states, axis=-3),
        )

    def _embedded(self, tokens: Int[Array | np.ndarray, "*state token"]) -> Float[Array, "*state token width"]:
        # A product with zeros and ones: the gradient of a gather is a scatter, which is slow on CPUs.
        x = jax.nn.one_hot(tokens, len(self.embedding), dtype=self.embedding.dtype) @ self.embedding
        if self.positions is None:
            return x
        length = x.shape[-2]
        if length > len(self.positions):
            raise ValueError(
                f"SequenceTransformer has positions for sequences of up to {len(self.positions)} tokens; got {length}."
            )
        return x + self.positions[:length]
