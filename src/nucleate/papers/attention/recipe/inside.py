"""What is recorded of the inside of a sequence transformer, whatever it learns."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from nucleate.models import SequenceTransformer, Trace
from nucleate.observables import attention_entropy, median_cosine, stable_rank


def entropies(seen: Trace) -> Float[Array, " block"]:
    """The attention entropy of each block, the mean over heads, queries and sequences."""
    *_, token, key = seen.attention.shape
    by_block = jnp.moveaxis(seen.attention, -4, 0).reshape(seen.attention.shape[-4], -1, token, key)
    return jax.vmap(attention_entropy)(by_block)


def cosines(
    model: SequenceTransformer,
    seen: Trace,
    tokens: Int[Array | np.ndarray, "sequence token"],
    occurs: Bool[Array | np.ndarray, " vocabulary"],
) -> Float[Array, " layer"]:
    """Median |cosine| between the vectors of different tokens: of the embedding, then after each block.

    Of the embedding, over the tokens that occur in the data: others are as they were drawn. After a block, over the
    places of a sequence that hold different tokens, and the median over sequences.
    """
    table = median_cosine(model.embedding, occurs[:, None] & occurs)
    differ = jnp.asarray(tokens)[:, :, None] != jnp.asarray(tokens)[:, None]
    over_sequences = jax.vmap(median_cosine)
    later = [jnp.nanmedian(over_sequences(seen.states[:, b], differ)) for b in range(1, seen.states.shape[1])]
    return jnp.stack([table, *later])


def ranks(model: SequenceTransformer) -> Float[Array, " block"]:
    """The stable rank of the first matrix of each block's MLP."""
    return jnp.stack([stable_rank(block.mlp.weights[0]) for block in model.blocks])


def padded(values: Float[Array, " some"], count: int) -> Float[Array, " all"]:
    """Values of a network with fewer blocks than others of its fleet, with NaN for those that it lacks."""
    return jnp.pad(values, (0, count - len(values)), constant_values=jnp.nan)
