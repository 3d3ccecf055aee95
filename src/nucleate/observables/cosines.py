"""How alike two vectors are once their means are taken away."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nucleate.checking import checked


@checked
def centred_cosine(
    left: Float[Array | np.ndarray, " token"], right: Float[Array | np.ndarray, " token"]
) -> Float[Array, ""]:
    """Cosine of the angle between two vectors after centring: their normalised correlation.

        cos = (a − ā)·(b − b̄) / (‖a − ā‖ ‖b − b̄‖)

    a, b: `left` and `right`; ā, b̄: their means. Logits of a softmax may be shifted by any constant, which this ignores.
    A vector that does not vary has no direction: NaN. Source: the verification of [tian2023joma].

    >>> float(centred_cosine(np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0])))
    1.0
    """
    left, right = jnp.asarray(left), jnp.asarray(right)
    a, b = left - left.mean(), right - right.mean()
    # Scaled first: the squares of small logits would not fit into single precision.
    a, b = (x / jnp.max(jnp.abs(x)) for x in (a, b))
    return jnp.clip(jnp.vdot(a, b) / jnp.sqrt(jnp.vdot(a, a) * jnp.vdot(b, b)), -1, 1)
