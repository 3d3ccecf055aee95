"""The weights of a network as one flat vector, which a record can hold, and the network back from them."""

from collections.abc import Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, PyTree

from nucleate.checking import checked
from nucleate.fleet.members import Row
from nucleate.fleet.recipe import Probe, Recipe
from nucleate.fleet.schedule import Last, Schedule
from nucleate.record import Outcome, columns

WEIGHTS, WHEN, WHICH, FINAL = "weights", "step_weights", "parameter", "final_weights"
"""In a record: the variable of the weights that are kept, its axes beside `member`, and the weights at the end."""

_HOW = "Plan(…, keep_weights=Every(100)), or `nucleate run … --keep-weights 100`, keeps them often"


def skeleton(recipe: Recipe, member: Mapping[str, Any], key: Array) -> tuple[PyTree, PyTree]:
    """The network that a recipe makes for a member, without making it: the shapes of its weights, and all else."""
    made = lambda member, key: recipe.model(Row(member), key)
    return eqx.partition(eqx.filter_eval_shape(made, dict(member), key), _is_weight)


def _is_weight(leaf: Any) -> bool:
    return isinstance(leaf, jax.ShapeDtypeStruct) and jnp.issubdtype(leaf.dtype, jnp.inexact)


def flat_weights(model: PyTree) -> Float[Array, " parameter"]:
    """All weights of a network in one vector, from which `rebuild` restores the network; in single precision at least,
    since NumPy does not know all that is shorter.

    `Plan.keep_weights` keeps them. In a probe: `Probe("mine", lambda view: flat_weights(view.model), …)`.
    """
    flat = ravel_pytree(eqx.filter(model, eqx.is_inexact_array))[0]
    return flat.astype(jnp.promote_types(flat.dtype, jnp.float32))


def flat_rows(params: PyTree, dtype: np.dtype) -> np.ndarray:
    """`flat_weights` of each network of a block, [lane, parameter], without compiling anything."""
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(params)]
    return np.concatenate([leaf.reshape(len(leaf), -1).astype(dtype) for leaf in leaves], axis=1)


def weights_probe(keep: Schedule | None) -> tuple[Probe, ...]:
    """What looks at the weights that are to be kept. Those at the end need no probe: a network's state has them."""
    if keep is None or isinstance(keep, Last):
        return ()
    return (Probe(WEIGHTS, _weights, keep, (WHICH,), WHEN, {"long_name": "all weights of the network"}),)


def _weights(view: Any) -> Array:
    return flat_weights(view.model)


@checked
def rebuild(recipe: Recipe, member: Mapping[str, Any], weights: Float[Array | np.ndarray, " parameter"]) -> eqx.Module:
    """The network that a recipe makes for a member, with these weights: the inverse of `flat_weights`.

    `member`: its columns of the fleet's table, or those that `Recipe.model` uses.
    """
    shapes, rest = skeleton(recipe, member, jax.random.key(0))
    if np.shape(weights) != (count := _count(shapes),):
        raise ValueError(f"rebuild: the network of {dict(member)} has {count} weights; got {np.shape(weights)}.")
    flat, unravel = ravel_pytree(jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), shapes))
    return eqx.combine(unravel(jnp.asarray(weights, flat.dtype)), rest)


def _count(shapes: PyTree) -> int:
    return sum(leaf.size for leaf in jax.tree.leaves(shapes))


@checked
def kept_model(recipe: Recipe, record: xr.Dataset, step: int | None = None) -> eqx.Module:
    """The network of one member as it was at a step at which its weights were kept, or at its end.

    `record`: what a fleet of the recipe recorded of the member, such as `run.record().isel(member=3)`.
    """
    member = {name: column.values.item() for name, column in columns(record).items()}
    weights = _kept(record, step)
    shapes, _ = skeleton(recipe, member, jax.random.key(0))
    return rebuild(recipe, member, weights[: _count(shapes)])  # a record has room for the largest network


def _kept(record: xr.Dataset, step: int | None) -> np.ndarray:
    """The weights of a member at a step, if they were kept and it was still learning; those at its end if None."""
    who, ended = f"member {record.member.values}", int(record.last_step)
    if not {WEIGHTS, FINAL} & {*record.data_vars}:
        again = f"kept_model(recipe, replay(plan, run, {record.member.values}).isel(member=0))"
        raise ValueError(f"The weights of {who} were not kept. {_HOW}; {again}, with such a plan, trains it again.")
    if record.outcome not in (Outcome.OK, Outcome.STOPPED, Outcome.DIVERGED):
        raise ValueError(f"The weights of {who} are not there yet: it is not trained to its end.")
    steps = _steps(record, ended)
    at = ended if step is None else step
    if record.outcome == Outcome.DIVERGED and at >= ended:
        way = f"the last step before at which its weights were kept is {steps[-1]}" if steps else f"{_HOW} before"
        raise ValueError(f"{who.capitalize()} diverged at step {ended}; {way}.")
    if at not in steps:
        nearest = min(steps, key=lambda each: abs(each - at)) if steps else None
        where = "they were kept at no other" if nearest is None else f"the nearest at which they were is {nearest}"
        end = f"; it ended at step {ended}" if at > ended else ""
        raise ValueError(f"The weights of {who} were not kept at step {at}; {where}{end}. {_HOW}.")
    return record[FINAL].values if at == ended and FINAL in record else record[WEIGHTS].sel({WHEN: at}).values


def _steps(record: xr.Dataset, ended: int) -> list[int]:
    """The steps at which there are weights of a member, in order; none at which it had diverged."""
    diverged = record.outcome == Outcome.DIVERGED
    kept = record[WHEN].values.tolist() if WEIGHTS in record else []
    ends = [ended] if FINAL in record and not diverged else []
    return sorted({*(step for step in kept if step < ended + (not diverged)), *ends})
