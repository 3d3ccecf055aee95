"""Learning coefficients of single heads over training."""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Bool, Float, Int

from nucleate.claims import Evidence
from nucleate.models import ParticleTransformer
from nucleate.observables import HeadClass, Mask, Minibatches, Setting, learning_coefficient
from nucleate.papers.collisions.experiments import Chains, Effort
from nucleate.papers.collisions.readings.fleets import network, networks, recipe
from nucleate.papers.collisions.readings.heads import LEAST_ATTENTION, corrected, final_class

# Found on a pilot network of a box of 14 × 14, at four checkpoints, with one collision head and one other, and tried on
# one of the box of 8 × 8. With nβ = 30 halving ε changes nothing beyond the errors. From nβ = 300 on the step's bias is
# as large as λ̂, or λ̂ is negative: a head of a network that trains with a constant learning rate is at no minimum. From
# 10 to 100 λ̂ still grows, as √nβ or slower. The paper's nβ of 1385 is of another loss, the error of the next state; as
# a factor of this one, it is 1770 if that error is summed over the numbers of a state, and 7 if it is averaged, which
# the paper does not say. γ is a hundred times the paper's, with which weights move by 1 and come to rest only after
# thousands of steps: here they move by 0.1 and come to rest after 100.
SETTING = Setting(step=2e-4, nbeta=30.0, gamma=100.0)

_BATCH = 8  # states that a step of a chain sees
_AGES = 16  # of all states, how many are from one simulation
_APART = 1 / 8  # octaves between checkpoints whose coefficients are estimated, at least


@dataclass(frozen=True, eq=False)
class HeadCoefficients:
    """Learning coefficients of single heads: of collision heads, and of others of the same networks.

    `member` is that of the record; `error`, and the part of it that is `statistical`, as in
    `nucleate.observables.LearningCoefficient`; `doubt`: see `nucleate.observables.Doubt`; `trace`: nβ (L(w) − L(w₀))
    along the chains of the last checkpoint, whose first `burn_in` steps do not count.
    """

    member: Int[np.ndarray, " unit"]
    block: Int[np.ndarray, " unit"]
    head: Int[np.ndarray, " unit"]
    collision: Bool[np.ndarray, " unit"]
    step: Int[np.ndarray, " checkpoint"]
    value: Float[np.ndarray, "unit checkpoint"]
    error: Float[np.ndarray, "unit checkpoint"]
    statistical: Float[np.ndarray, "unit checkpoint"]
    doubt: Int[np.ndarray, "unit checkpoint"]
    trace: Float[np.ndarray, "unit chain step"]
    burn_in: int


def of_heads(evidence: Evidence[Effort]) -> HeadCoefficients | None:
    """The coefficients of collision heads and others; None if there is no collision head."""
    record, how = networks(evidence), evidence.effort.chains
    collision, control = chosen_heads(record, how.heads)
    return estimated(record, collision, control, how) if len(collision) else None


def chosen_heads(record: xr.Dataset, most: int) -> tuple[np.ndarray, np.ndarray]:
    """(row, block, head) of the `most` highest-scoring collision heads of each network, and of as many others.

    These are of the same blocks, where possible: those with the lowest scores that still look at particles, since a
    head that does nothing has no coefficient to speak of.
    """
    kind, score = final_class(record), corrected(record)[:, -1]
    looks = record.total.values[:, -1] >= LEAST_ATTENTION
    collision, control = [], []
    for row in range(record.sizes["member"]):
        order = np.argsort(score[row], axis=None)
        heads = np.stack(np.unravel_index(order, score[row].shape), axis=1)
        found = [at for at in heads[::-1] if kind[(row, *at)] > HeadClass.NONE][:most]
        others = [at for at in heads if kind[(row, *at)] == HeadClass.NONE and looks[(row, *at)]]
        others = sorted(others, key=lambda at: at[0] not in {block for block, _ in found})[: len(found)]
        collision += [(row, *at) for at in found]
        control += [(row, *at) for at in others]
    return np.array(collision, int).reshape(-1, 3), np.array(control, int).reshape(-1, 3)


def estimated(record: xr.Dataset, collision: np.ndarray, control: np.ndarray, how: Chains) -> HeadCoefficients:
    """The coefficients of heads, each a (row, block, head)."""
    units = np.concatenate([collision, control])
    rows = spread(record.step_weights.values, how.checkpoints, how.octaves)
    data = states(record, how.states)
    kept = np.full((4, len(units), len(rows)), np.nan)
    trace = np.empty((len(units), how.sampling.chains, how.sampling.burn_in + how.sampling.draws), np.float32)
    for row in np.unique(units[:, 0]).tolist():
        own = np.flatnonzero(units[:, 0] == row)
        points = [network(record, row, int(checkpoint)) for checkpoint in rows]
        subsets = [head_mask(points[0], *units[unit, 1:].tolist()) for unit in own]
        found = learning_coefficient(squared_error, data, points, [SETTING], how.sampling, subsets)
        numbers = (found.value, found.error, found.statistical, found.doubt)
        kept[:, own] = [each[:, :, 0].T for each in numbers]
        trace[own] = found.excess[-1, :, 0]
    value, error, statistical, doubt = kept
    return HeadCoefficients(
        member=record.member.values[units[:, 0]],
        block=units[:, 1],
        head=units[:, 2],
        collision=np.arange(len(units)) < len(collision),
        step=record.step_weights.values[rows],
        value=value,
        error=error,
        statistical=statistical,
        doubt=doubt.astype(int),
        trace=trace,
        burn_in=how.sampling.burn_in,
    )


def head_mask(model: ParticleTransformer, block: int, head: int) -> Mask:
    """The parameters of one head: its columns of query, key and value, their biases, its rows of the output."""
    nothing = jax.tree.map(lambda leaf: False, model)
    attention = model.blocks[block].attention
    chosen = np.arange(attention.output.shape[0]) == head
    marks: dict[str, np.ndarray] = dict.fromkeys(
        ("query", "key", "value", "query_bias", "key_bias", "value_bias"), chosen[:, None]
    )
    marks["output"] = chosen[:, None, None]
    parts = lambda tree: tuple(getattr(tree.blocks[block].attention, name) for name in marks)
    return Mask(eqx.tree_at(parts, nothing, tuple(marks.values())))


def squared_error(model: ParticleTransformer, batch: tuple[Array, Array, Array, Array]) -> Float[Array, ""]:
    """The training loss on states, their accelerations and the boundary, which is the same for all: the mean square
    error of the acceleration in units of the model's scale, over particles and directions."""
    position, velocity, acceleration, boundary = batch
    predicted = model(position, velocity, boundary[0])
    return jnp.mean(jnp.square((predicted - acceleration) / model.frame.scale))


def states(record: xr.Dataset, count: int) -> Minibatches:
    """States that no network was trained on, their accelerations, and the boundary, which is the same for all."""
    made = recipe(record)
    task, apart = made.task, max(made.task.steps // _AGES, 1)
    start = task.start(jax.random.fold_in(jax.random.key(1), 1), -(-count // _AGES))
    path = task.trajectory(start, apart * (_AGES - 1), every=apart)
    state = jax.tree.map(lambda array: array.reshape(-1, *array.shape[2:])[:count], path)
    boundary = np.broadcast_to(made.boundary, (count, *made.boundary.shape))
    return Minibatches((state.position, state.velocity, task.step(state)[1], boundary), _BATCH)


def spread(step: np.ndarray, count: int, octaves: int) -> np.ndarray:
    """Rows of at most `count` checkpoints of the last octaves, no two near each other.

    >>> spread(np.array([0, 500, 1000, 1010, 1500, 2000, 3000, 4000]), count=4, octaves=2).tolist()
    [3, 4, 6, 7]
    """
    late = [len(step) - 1]
    for row in range(len(step) - 2, -1, -1):
        if step[-1] / 2**octaves <= step[row] <= step[late[-1]] / 2**_APART:
            late.append(row)
    return np.array(late[::-1])[np.unique(np.linspace(0, len(late) - 1, count).round().astype(int))]
