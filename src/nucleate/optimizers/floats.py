"""How much an optimiser remembers."""

import jax
import jax.numpy as jnp
import optax
from jaxtyping import PyTree


def optimizer_floats(optimizer: optax.GradientTransformation, params: PyTree) -> int:
    """The floats in the state that an optimiser keeps for some parameters; nothing is computed.

    Counters and keys of random numbers are not floats. `params` may be shapes (`jax.ShapeDtypeStruct`): the state of a
    network too large for this machine can be counted too.

    >>> optimizer_floats(optax.adam(1e-3), {"weight": jnp.zeros((4, 6)), "bias": jnp.zeros(6)})
    60
    """
    state = jax.eval_shape(optimizer.init, params)
    return sum(leaf.size for leaf in jax.tree.leaves(state) if jnp.issubdtype(leaf.dtype, jnp.floating))
