"""The one-layer attention of Scan & Snap, in pairwise logits Z and a decoder Y."""

from typing import Annotated

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from nucleate.checking import AtLeast, Count, checked


class TokenAttention(eqx.Module):
    """One layer of attention from the last token to the tokens before it, then a linear decoder [tian2023scan].

        b_t = exp(Z[x_L, x_t]) / Σ_s exp(Z[x_L, x_s]),    f = Xᵀb / ‖Xᵀb‖₂,    logits = Yᵀ f

    `Z`: attention logits, a row for each last token; `Y`: the decoder. X holds x_1 … x_{L−1} as one-hot rows. Since
    there are no positions, only counts matter, and the model takes those: (Xᵀb)_l ∝ count_l e^{Z[x_L, l]}, at a cost
    that does not grow with the length of the sequence. Entries start uniform on ±`scale`.

    >>> model = TokenAttention(lasts=2, tokens=30, classes=2, scale=0.0, key=jax.random.key(0))
    >>> model(jnp.ones((5, 30)), jnp.zeros(5, int)).shape
    (5, 2)
    """

    Z: Float[Array, "last token"]
    Y: Float[Array, "token class"]

    @checked
    def __init__(
        self, lasts: Count, tokens: Count, classes: Count, scale: Annotated[float, AtLeast(0)] = 0.0, *, key: Array
    ):
        of_z, of_y = jax.random.split(key)
        self.Z = jax.random.uniform(of_z, (lasts, tokens), minval=-scale, maxval=scale)
        self.Y = jax.random.uniform(of_y, (tokens, classes), minval=-scale, maxval=scale)

    def __call__(
        self, count: Float[Array, "*sample token"], last: Int[Array, "*sample"]
    ) -> Float[Array, "*sample class"]:
        attention = self.attention(count, last)
        return attention / jnp.linalg.norm(attention, axis=-1, keepdims=True) @ self.Y

    def attention(
        self, count: Float[Array, "*sample token"], last: Int[Array, "*sample"]
    ) -> Float[Array, "*sample token"]:
        """Xᵀb: the attention on all occurrences of each token."""
        # A product with one-hot rows: the gradient of a lookup is a scatter, which is slow on a CPU.
        logits = jax.nn.one_hot(last, self.Z.shape[0], dtype=self.Z.dtype) @ self.Z
        logits = jnp.where(count > 0, logits, -jnp.inf)
        weight = count * jnp.exp(logits - jax.lax.stop_gradient(logits.max(-1, keepdims=True)))
        return weight / weight.sum(-1, keepdims=True)
