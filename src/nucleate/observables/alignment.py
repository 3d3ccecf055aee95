"""How far two embeddings are from having the same shape."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nucleate.checking import checked
from nucleate.observables.centring import centred


@checked
def procrustes_error(
    x: Float[Array | np.ndarray, "token dim"], y: Float[Array | np.ndarray, "token dim"]
) -> Float[Array, ""]:
    """Share of one embedding's variance that the other does not explain after the best shift, rotation and scaling.

        min_{c,Q} |X − c Y Q|² = 1 − |Xᵀ Y|_*²

    X, Y: the embeddings, centred and scaled to |X| = |Y| = 1 (Frobenius); Q: orthogonal, so that reflections
    count as rotations; c: a number; |·|_*: nuclear norm, the sum of the singular values. 0 means the same
    shape; a constant embedding has no shape and gives 1. This is the disparity of `scipy.spatial.procrustes`;
    it measures the agreement between trajectories shown in Figure 4 of [liu2022grokking].

    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> turned = 3 * square @ np.array([[0.0, 1.0], [-1.0, 0.0]]) + 5
    >>> round(abs(float(procrustes_error(square, turned))), 5)
    0.0
    """
    overlap = jnp.linalg.svd(_unit(x).T @ _unit(y), compute_uv=False).sum()
    return jnp.clip(1 - jnp.square(overlap), 0, 1)


def _unit(embedding: Float[Array | np.ndarray, "token dim"]) -> Float[Array, "token dim"]:
    offset = centred(embedding)
    square = jnp.sum(jnp.square(offset))
    return offset / jnp.sqrt(jnp.where(square > 0, square, 1))
