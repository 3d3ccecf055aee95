"""A network as one flat vector of weights, which a record can hold, and back."""

from collections.abc import Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float

from nucleate.checking import checked
from nucleate.fleet.members import Row
from nucleate.fleet.recipe import Recipe


def flat_weights(model: eqx.Module) -> Float[Array, " parameter"]:
    """All weights of a network in one vector, from which `rebuild` restores the network.

    Meant for a probe: `Probe("weights", lambda view: flat_weights(view.model), At(steps), ("parameter",), axis=...)`.
    """
    return ravel_pytree(eqx.filter(model, eqx.is_inexact_array))[0]


@checked
def rebuild(recipe: Recipe, member: Mapping[str, Any], weights: Float[Array | np.ndarray, " parameter"]) -> eqx.Module:
    """The network that a recipe makes for a member, with these weights: the inverse of `flat_weights`.

    `member`: its columns of the fleet's table, or those that `Recipe.model` uses.
    """
    made = lambda member, key: recipe.model(Row(member), key)
    skeleton = eqx.filter_eval_shape(made, dict(member), jax.random.key(0))
    shapes, rest = eqx.partition(skeleton, lambda leaf: isinstance(leaf, jax.ShapeDtypeStruct))
    flat, unravel = ravel_pytree(jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), shapes))
    if np.shape(weights) != flat.shape:
        raise ValueError(f"rebuild: the network of {member} has {flat.size} weights; got {np.shape(weights)}.")
    return eqx.combine(unravel(jnp.asarray(weights, flat.dtype)), rest)
