"""How many directions a matrix really has: ranks that are not whole numbers, of weights, gradients and updates."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nucleate.checking import checked
from nucleate.observables.spectrum import effective_dimension


@checked
def stable_rank(matrix: Float[Array | np.ndarray, "row column"]) -> Float[Array, ""]:
    """How many times the largest singular value's square the sum of all squares is.

        srank A = ‖A‖_F² / ‖A‖₂² = Σ_i s_i² / s_1²

    s_i: singular values of the `matrix` A, s_1 the largest. It lies between 1 and the rank, and small singular values
    hardly count. A matrix of zeros has none: 0. Source: the ranks of gradients of [zhao2024galore].

    >>> float(stable_rank(np.diag([2.0, 1.0, 1.0])))
    1.5
    """
    # Divided by the largest first: squares of the gradients late in training would not fit into single precision.
    values = jnp.linalg.svd(jnp.asarray(matrix), compute_uv=False)
    largest = jnp.max(values)
    return jnp.sum(jnp.square(values / jnp.where(largest > 0, largest, 1)))


@checked
def effective_rank(matrix: Float[Array | np.ndarray, "row column"]) -> Float[Array, ""]:
    """The rank of a matrix of equal singular values with the same entropy.

        erank A = e^S,    S = −Σ_i p_i ln p_i,    p_i = s_i / Σ_j s_j

    s_i: singular values of the `matrix` A. It lies between 1 and the rank, and counts small singular values for more
    than `stable_rank` does. A matrix of zeros has none: 0. Source: [roy2007effective].

    >>> round(float(effective_rank(np.diag([3.0, 3.0, 0.0]))), 4)
    2.0
    """
    values = jnp.linalg.svd(jnp.asarray(matrix), compute_uv=False)
    largest = jnp.max(values)
    values = values / jnp.where(largest > 0, largest, 1)
    shares = values / jnp.where(largest > 0, jnp.sum(values), 1)
    return jnp.where(largest == 0, 0.0, effective_dimension(shares))
