"""Networks that represent symbols by matrices."""

import equinox as eqx
from jaxtyping import Array, Float, Int

from nucleate.models.mlp import MLP


class ProductDecoder(eqx.Module):
    """Dec(E_a E_b): the two matrices are multiplied and a decoder reads the entries of the product [liu2022grokking].

    `embedding`: E, one square matrix for each symbol. `decoder`: Dec.

    >>> import jax, jax.numpy as jnp
    >>> model = ProductDecoder(jnp.zeros((6, 3, 3)), MLP((9, 20, 30), key=jax.random.key(0)))
    >>> model(jnp.array([3, 4])).shape
    (30,)
    """

    embedding: Float[Array, "token row row"]
    decoder: MLP

    def __call__(self, pair: Int[Array, "2"]) -> Float[Array, " output"]:
        return self.decoder((self.embedding[pair[0]] @ self.embedding[pair[1]]).reshape(-1))
