"""A transformer that sees the two embeddings of an ordered pair of symbols as a sequence of two tokens."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from nucleate.models.dropout import Dropout
from nucleate.models.mlp import MLP
from nucleate.models.transformer import EncoderBlock, TransformerSize, encode, encoder_blocks


class BlocksDecoder(eqx.Module):
    """Transformer blocks, then a linear layer on all their outputs side by side.

    `blocks`: see `EncoderBlock`, with `pre_norm` and `look_at_all`; `readout`: from the outputs of `tokens` tokens to
    one logit for each label. Source: [liu2022grokking], Section 4.2.

    >>> size, key = TransformerSize(blocks=2, heads=1, width=8, hidden=8), jax.random.key(0)
    >>> decoder = eqx.filter_eval_shape(BlocksDecoder, size, tokens=2, labels=5, key=key)
    >>> eqx.filter_eval_shape(BlocksDecoder.__call__, decoder, jnp.zeros((3, 2, 8)))[0].shape
    (3, 5)
    """

    blocks: tuple[EncoderBlock, ...]
    readout: MLP

    def __init__(self, size: TransformerSize, tokens: int, labels: int, *, key: Array):
        last, *keys = jax.random.split(key, 1 + size.blocks)
        self.blocks = encoder_blocks(size, jnp.stack(keys))
        self.readout = MLP((tokens * size.width, labels), key=last)

    def __call__(
        self, x: Float[Array, "*pair token width"], dropout: Dropout | None = None
    ) -> tuple[Float[Array, "*pair label"], Float[Array, "*pair block head token token"]]:
        out, attention = encode(self.blocks, x, dropout)
        return self.readout(out.reshape(*x.shape[:-2], -1)), attention


class PairTransformer(eqx.Module):
    """A transformer reads the embeddings of a pair, without their positions, and answers with a logit for each label.

        logits = W [x_1, x_2] + c,    [x_1, x_2] = blocks([E_a, E_b])

    `embedding`: E, one vector for each token; `decoder`: blocks, W and c, see `BlocksDecoder`. Takes one pair, or many
    at once: with all tokens as rows of one matrix, products are faster than under `vmap`.
    Source: [liu2022grokking], Section 4.2.

    >>> size, key = TransformerSize(blocks=2, heads=1, width=8, hidden=8), jax.random.key(0)
    >>> model = PairTransformer(jnp.zeros((5, 8)), BlocksDecoder(size, tokens=2, labels=5, key=key))
    >>> model(jnp.array([3, 4])).shape, model(np.zeros((7, 2), int)).shape
    ((5,), (7, 5))
    """

    embedding: Float[Array, "token dim"]
    decoder: BlocksDecoder

    def __check_init__(self):
        dim, width = self.embedding.shape[1], len(self.decoder.blocks[0].attention_norm.weight)
        if dim != width:
            raise ValueError(f"PairTransformer.embedding must have the width {width} of its decoder; it has {dim}.")

    def __call__(
        self, pair: Int[Array | np.ndarray, "*pair 2"], dropout: Dropout | None = None
    ) -> Float[Array, "*pair label"]:
        return self.look(pair, dropout)[0]

    def look(
        self, pair: Int[Array | np.ndarray, "*pair 2"], dropout: Dropout | None = None
    ) -> tuple[Float[Array, "*pair label"], Float[Array, "*pair block head 2 2"]]:
        """The logits and the attention behind them; under jit, an output that is not used costs nothing."""
        # A product with zeros and ones: the gradient of a gather is a scatter, which is slow on CPUs.
        chosen = jax.nn.one_hot(pair, len(self.embedding), dtype=self.embedding.dtype)
        return self.decoder(chosen @ self.embedding, dropout)
