"""What several claims and figures share: power laws of all heads, energies of rollouts, learning coefficients."""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Bool, Float, Int

from nucleate.claims import Evidence
from nucleate.models import ParticleTransformer
from nucleate.observables import Mask, Minibatches, Sampling, Setting, learning_coefficient
from nucleate.papers.collisions import readings
from nucleate.tasks import ParticleState
from nucleate.theories import KnownLimit, PowerLaw, RecordedLimit, Regimes
from nucleate.theories.power_laws import Limit

EXPERIMENTS = (readings.SMALL, readings.LARGE)
ROLLOUT = 1000  # steps, as in the paper's Figure 7
SLOWEST = 0.049  # the smallest exponent of the paper's Table 5

_PIECE = 0.23  # octaves: the shortest window of that table

_STATES, _BATCH = 4096, 8  # that the coefficient's loss is over, and that a step of a chain sees
_AGES = 16  # how many of these states are of one simulation
_APART = 1 / 8  # octaves: checkpoints whose coefficients are estimated are not nearer to each other


@dataclass(frozen=True)
class Chains:
    """How learning coefficients are estimated, for all heads and checkpoints alike, as the paper does it.

    `heads`: collision heads of each network, and as many others beside them; `checkpoints`: of each, taken from the
    last `octaves` of training. The loss is the mean square error of the acceleration in units of 20, over particles
    and directions.
    """

    heads: int
    checkpoints: int
    octaves: int
    sampling: Sampling


# Found on a pilot network of the large box, at four checkpoints, with one collision head and one other. With nβ = 30
# halving ε changes nothing beyond the errors. From nβ = 300 on the step's bias is as large as λ̂, or λ̂ is negative: a
# head of a network that trains with a constant learning rate is at no minimum. From 10 to 100 λ̂ still grows, as √nβ or
# slower. γ is a hundred times the paper's, with which weights move by 1 and rest after thousands of steps only: here
# they move by 0.1 and rest after 100.
SETTING = Setting(step=2e-4, nbeta=30.0, gamma=100.0)
_FEW = Chains(heads=1, checkpoints=3, octaves=3, sampling=Sampling(chains=2, burn_in=200, draws=100))
_MANY = Chains(heads=2, checkpoints=8, octaves=3, sampling=Sampling(chains=4, burn_in=150, draws=200))
_MOST = Chains(heads=4, checkpoints=20, octaves=5, sampling=Sampling(chains=4, burn_in=1000, draws=1000))


def chains(samples: int) -> Chains:
    """As long as a budget allows that draws so many samples elsewhere."""
    return _FEW if samples < 100 else _MANY if samples < 1000 else _MOST


@dataclass(frozen=True, eq=False)
class HeadCoefficients:
    """Learning coefficients of single heads: of collision detection heads, and of others of the same networks.

    `member` is that of the record; `doubt`: see `nucleate.observables.Doubt`; `trace`: nβ (L(w) − L(w₀)) along the
    chains of the last checkpoint, whose first `burn_in` steps do not count.
    """

    experiment: str
    member: Int[np.ndarray, " unit"]
    block: Int[np.ndarray, " unit"]
    head: Int[np.ndarray, " unit"]
    collision: Bool[np.ndarray, " unit"]
    step: Int[np.ndarray, " checkpoint"]
    value: Float[np.ndarray, "unit checkpoint"]
    error: Float[np.ndarray, "unit checkpoint"]
    doubt: Int[np.ndarray, "unit checkpoint"]
    trace: Float[np.ndarray, "unit chain step"]
    burn_in: int


@dataclass(frozen=True, eq=False)
class Energies:
    """Total energy of boxes over time, simulated and as the networks have it."""

    truth: Float[np.ndarray, "member start time"]
    network: Float[np.ndarray, "member start time"]


def record(evidence: Evidence, name: str) -> xr.Dataset:
    """The networks of an experiment that stayed finite."""
    return readings.whole(evidence.record(name))


def fleets(evidence: Evidence) -> dict[str, xr.Dataset]:
    """The records that have a network that stayed finite."""
    found = {name: record(evidence, name) for name in EXPERIMENTS}
    return {name: each for name, each in found.items() if each.sizes["member"]}


def laws(evidence: Evidence) -> dict[str, xr.Dataset]:
    """Power laws of |c|, as in the paper: `PowerLawFit.laws` of each experiment."""
    return _laws(evidence, KnownLimit())


def laws_to_limit(evidence: Evidence) -> dict[str, xr.Dataset]:
    """Power laws of |c − c*|, of which Corollary A.4 speaks."""
    return _laws(evidence, RecordedLimit("contact_limit"))


def laws_of_score(evidence: Evidence) -> dict[str, xr.Dataset]:
    """Power laws of 1 − `frac`."""
    return _laws(evidence, KnownLimit(1.0), "frac")


def _laws(evidence: Evidence, limit: Limit, variable: str = "correlation") -> dict[str, xr.Dataset]:
    theory = PowerLaw(variable, limit, Regimes(octaves=_PIECE))
    return {name: theory.fit(each).laws for name, each in fleets(evidence).items()}


def closing(laws: xr.Dataset) -> xr.Dataset:
    """The last law of each head before it comes to rest, which is a regime whose exponent is below any of the paper's.

    As in Section 3.2: "at the end of training or before the correlation function stops changing". The last regime of a
    head that is at rest in all of them.
    """
    there, moving = laws.start.notnull().values, np.abs(laws.exponent.values) >= SLOWEST
    number = np.arange(there.shape[-1])
    last = np.where(there & moving, number, -1).max(axis=-1)
    last = np.where(last >= 0, last, np.maximum(np.where(there, number, -1).max(axis=-1), 0))
    return laws.isel(regime=xr.DataArray(last, dims=laws.start.dims[:-1]))


def energies(evidence: Evidence) -> dict[str, Energies]:
    """Simulations and rollouts from fresh starts, of every network."""
    return {name: _energies(each, max(evidence.samples // 10, 2)) for name, each in fleets(evidence).items()}


def _energies(record: xr.Dataset, starts: int) -> Energies:
    recipe = readings.recipe(record)
    task, key = recipe.task, jax.random.key(1)
    start = task.start(key, starts)
    truth = np.asarray(task.energy(task.trajectory(start, ROLLOUT)).total).T
    found = []
    for member in range(record.sizes["member"]):
        model = readings.network(record, member)
        path = _rollout(model, *start, recipe.boundary, ROLLOUT)
        found.append(np.asarray(task.energy(ParticleState(*path)).total).T)
    return Energies(np.broadcast_to(truth, (len(found), *truth.shape)), np.stack(found))


_rollout = eqx.filter_jit(ParticleTransformer.rollout)


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
    """The training loss on states, their accelerations and the boundary, which is the same for all."""
    position, velocity, acceleration, boundary = batch
    predicted = model(position, velocity, boundary[0])
    return jnp.mean(jnp.square((predicted - acceleration) / model.frame.scale))


def chosen_heads(record: xr.Dataset, most: int) -> tuple[np.ndarray, np.ndarray]:
    """(row, block, head) of the `most` highest-scoring collision heads of each network, and of as many others.

    These are of the same blocks, if there are any: those of the lowest score that still look at particles, for what
    nobody uses has no coefficient to speak of.
    """
    kind, score = readings.final_class(record), readings.corrected(record)[:, -1]
    looks = record.total.values[:, -1] >= readings.LEAST_ATTENTION
    collision, control = [], []
    for member in range(record.sizes["member"]):
        order = np.argsort(score[member], axis=None)
        heads = np.stack(np.unravel_index(order, score[member].shape), axis=1)
        found = [at for at in heads[::-1] if kind[(member, *at)] > 0][:most]
        others = [at for at in heads if kind[(member, *at)] == 0 and looks[(member, *at)]]
        others = sorted(others, key=lambda at: at[0] not in {block for block, _ in found})[: len(found)]
        collision += [(member, *at) for at in found]
        control += [(member, *at) for at in others]
    return np.array(collision, int).reshape(-1, 3), np.array(control, int).reshape(-1, 3)


def coefficients(evidence: Evidence) -> HeadCoefficients | None:
    """The learning coefficient of collision heads and others over training; None if there is no collision head."""
    large, how = record(evidence, readings.LARGE), chains(evidence.samples)
    collision, control = chosen_heads(large, how.heads)
    if not len(collision):
        return None
    units = np.concatenate([collision, control])
    rows = spread(large.step_weights.values, how.checkpoints, how.octaves)
    data = states(large)
    value, error, doubt = np.full((3, len(units), len(rows)), np.nan)
    trace = np.empty((len(units), how.sampling.chains, how.sampling.burn_in + how.sampling.draws), np.float32)
    for member in np.unique(units[:, 0]).tolist():
        own = np.flatnonzero(units[:, 0] == member)
        points = [readings.network(large, member, int(row)) for row in rows]
        subsets = [head_mask(points[0], *units[unit, 1:].tolist()) for unit in own]
        found = learning_coefficient(squared_error, data, points, [SETTING], how.sampling, subsets)
        value[own], error[own], doubt[own] = (x[:, :, 0].T for x in (found.value, found.error, found.doubt))
        trace[own] = found.excess[-1, :, 0]
    kinds = np.arange(len(units)) < len(collision)
    step = large.step_weights.values[rows]
    member = large.member.values[units[:, 0]]
    return HeadCoefficients(
        experiment=readings.LARGE,
        member=member,
        block=units[:, 1],
        head=units[:, 2],
        collision=kinds,
        step=step,
        value=value,
        error=error,
        doubt=doubt.astype(int),
        trace=trace,
        burn_in=how.sampling.burn_in,
    )


def spread(step: np.ndarray, count: int, octaves: int) -> np.ndarray:
    """Rows of at most `count` checkpoints of the last octaves, none near another.

    >>> spread(np.array([0, 500, 1000, 1010, 1500, 2000, 3000, 4000]), count=4, octaves=2).tolist()
    [3, 4, 6, 7]
    """
    late = [len(step) - 1]
    for row in range(len(step) - 2, -1, -1):
        if step[-1] / 2**octaves <= step[row] <= step[late[-1]] / 2**_APART:
            late.append(row)
    return np.array(late[::-1])[np.unique(np.linspace(0, len(late) - 1, count).round().astype(int))]


def states(record: xr.Dataset) -> Minibatches:
    """States that no network was trained on, their accelerations, and the boundary, which is the same for all."""
    recipe = readings.recipe(record)
    task, apart = recipe.task, max(recipe.task.steps // _AGES, 1)
    start = task.start(jax.random.fold_in(jax.random.key(1), 1), -(-_STATES // _AGES))
    path = task.trajectory(start, apart * (_AGES - 1), every=apart)
    state = jax.tree.map(lambda array: array.reshape(-1, *array.shape[2:])[:_STATES], path)
    boundary = np.broadcast_to(recipe.boundary, (_STATES, *recipe.boundary.shape))
    return Minibatches((state.position, state.velocity, task.step(state)[1], boundary), _BATCH)
