"""Networks that see a pair of symbols."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from nucleate.models.mlp import MLP


class SumDecoder(eqx.Module):
    """Dec(E_a + E_b): the two embeddings are added and a decoder reads the sum [liu2022grokking].

    `embedding`: E, one vector for each symbol. `decoder`: Dec.

    >>> import jax, jax.numpy as jnp
    >>> model = SumDecoder(jnp.zeros((10, 1)), MLP((1, 20, 19), key=jax.random.key(0)))
    >>> model(jnp.array([3, 4])).shape
    (19,)
    """

    embedding: Float[Array, "token dim"]
    decoder: MLP

    def __call__(self, pair: Int[Array, "2"]) -> Float[Array, " output"]:
        return self.decoder(self.embedding[pair[0]] + self.embedding[pair[1]])

    def on_sums(self, matrix: Float[Array | np.ndarray, "pair token"]) -> Float[Array, "pair output"]:
        """The outputs for all pairs, one row of `matrix` per pair: a matrix product instead of gather and scatter."""
        return self.decoder.after_first(
            jnp.asarray(matrix) @ self.embedding @ self.decoder.weights[0] + self.decoder.biases[0]
        )
