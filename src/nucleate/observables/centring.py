"""The centred embedding that every scale-free observable of this room starts from."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float


def centred(embedding: Float[Array | np.ndarray, "token dim"], per_dim: bool = False) -> Float[Array, "token dim"]:
    """Subtract the mean over tokens, in units of the largest distance from token 0.

        X_k = U_k − (1/p) Σ_k U_k,    U_k = (E_k − E_0) / max |E_k − E_0|

    E_k: embedding of token k of p. The maximum is over everything, or over the tokens of each dimension if
    `per_dim`. Token 0 is subtracted first so that a constant embedding gives exact zeros, not amplified
    rounding; the unit keeps the squares of a nearly collapsed embedding from underflowing in float32.
    Source: a restatement of the normalisation of Section 3.2 of [liu2022grokking].

    >>> centred(np.array([[1.0], [2.0], [3.0]])).tolist()
    [[-0.5], [0.0], [0.5]]
    """
    shifted = jnp.asarray(embedding) - embedding[0]
    size = jnp.abs(shifted).max(axis=0 if per_dim else None, keepdims=True)
    unit = shifted / jnp.where(size > 0, size, 1)
    return unit - unit.mean(axis=0)
