"""The compiled part of a fleet: one program for every block of members with the same shapes.

The loop carries the gradient at the current parameters, so that a step is "apply, then differentiate". Probes find the
gradient ready, nothing is computed twice, and the program holds a single copy of the step, so a member's numbers do not
depend on when it is probed.
"""

import hashlib
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Int, PyTree

from nucleate.fleet.cut import Cut
from nucleate.fleet.decompositions import most_at_once
from nucleate.fleet.gradient import differentiate
from nucleate.fleet.members import Row
from nucleate.fleet.recipe import Probe, Recipe, View
from nucleate.fleet.schedule import Schedule
from nucleate.fleet.weights import skeleton, weights_probe
from nucleate.fleet.work import products
from nucleate.record import NEVER, Outcome

_MODEL, _TRAIN = 0, 1  # folded into a member's key, one for each use


class State(NamedTuple):
    """The complete state of a member between two events."""

    params: PyTree
    opt_state: PyTree
    grads: PyTree
    loss: Array
    outputs: PyTree
    step: Array
    crossed: dict[str, Array]
    outcome: Array


class Seen(NamedTuple):
    """What one chunk recorded: `values[axis][probe]`, and which members were still active at each event."""

    values: dict[str, dict[str, Array]]
    active: Bool[Array, "event lane"]


class Outline(NamedTuple):
    """Of one member: shapes and dtypes of its state and of every probe's value, the most matrices that one call
    decomposes while it trains, and while it is started (see `decompositions`), and the multiplications of a step."""

    state: State
    probes: dict[str, jax.ShapeDtypeStruct]
    matrices: int
    started: int
    products: int


class Program:
    """Start and advance a block of members, as `cut` says how many.

    `static`: this group's values of the recipe's static columns. `keep_weights`: see `Plan`. The same program serves
    any number of blocks; a block of one is not vmapped at all, which on a CPU is often the fastest.
    """

    def __init__(self, recipe: Recipe, static: Mapping[str, Any], cut: Cut, keep_weights: Schedule | None = None):
        self.recipe, self.static, self.cut, self.lanes = recipe, dict(static), cut, cut.block
        self.axes: dict[str, list[Probe]] = {}
        for probe in (*recipe.probes, *weights_probe(keep_weights)):
            self.axes.setdefault(probe.axis, []).append(probe)
        self._warming = threading.Lock()
        self._warm: set[Any] = set()
        # Members are spread over cores by the caller; threads inside a matrix product would only compete with them.
        options = {"xla_cpu_multi_thread_eigen": False} if jax.default_backend() == "cpu" else {}
        # Runs once, so it is not worth optimising: that would take as long as compiling the loop itself.
        self._start = jax.jit(
            jax.vmap(self._start_one),
            compiler_options={**options, "xla_backend_optimization_level": 0} if options else {},
        )
        self._chunk = jax.jit(self._run_chunk, donate_argnums=0, compiler_options=options)

    def start(self, data: PyTree, member: Mapping[str, Array]) -> State:
        """A block at step 0, with its first gradient."""
        return self._start(data, dict(member))

    def chunk(self, state: State, data: PyTree, member: Mapping[str, Array], gap: np.ndarray, looks: dict):
        """Advance along one chunk of the timeline; `state` is donated."""
        device = next(iter(jax.tree.leaves(state)[0].devices()))
        if device in self._warm:
            return self._chunk(state, data, dict(member), gap, looks)
        with self._warming:  # threads that need a new program at the same time compile it once
            result = self._chunk(state, data, dict(member), gap, looks)
            self._warm.add(device)
            return result

    def outline(self, data: PyTree, member: Mapping[str, Array]) -> Outline:
        """What one member will need, found without computing anything."""
        member = dict(member)
        start = self._start.trace(data, member)
        state, data, member = _one(start.out_info), _one(data), _one(member)
        look, seen = jax.make_jaxpr(self._look, return_shape=True)(state, data, member)
        update = jax.make_jaxpr(self._update)(state, member)
        started, training = most_at_once(start.jaxpr.jaxpr) // self.lanes, [look, update]
        if started > 1:  # by the model's making, or by its loss?
            training.append(jax.make_jaxpr(self._differentiate)(state.params, data, member, state.step))
        matrices = max(min(started, 1), *(most_at_once(part.jaxpr) for part in training))
        probes = {name: value for values in seen.values() for name, value in values.items()}
        return Outline(state, probes, matrices, started, products(start.jaxpr.jaxpr) // self.lanes)

    def identity(self, data: PyTree, member: Mapping[str, Array]) -> str:
        """A digest of the program that starts a block: programs with equal digests run equally fast."""
        text = self._start.lower(data, dict(member)).as_text()
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    # --- one member -----------------------------------------------------------------------------------------------

    def _start_one(self, data: PyTree, member: Mapping[str, Array]) -> State:
        model = self.recipe.model(Row(self._whole(member)), jax.random.fold_in(_key(member), _MODEL))
        params = eqx.filter(model, eqx.is_inexact_array)
        opt_state = self.recipe.optimizer(Row(self._whole(member))).init(params)
        crossed = {crossing.name: jnp.int32(NEVER) for crossing in self.recipe.crossings}
        (loss, outputs), grads = self._differentiate(params, data, member, jnp.int32(0))
        return State(params, opt_state, grads, loss, outputs, jnp.int32(0), crossed, jnp.int8(Outcome.PENDING))

    def _step(self, state: State, data: PyTree, member: Mapping[str, Array]) -> State:
        params, opt_state = self._update(state, member)
        step = state.step + 1
        (loss, outputs), grads = self._differentiate(params, data, member, step)
        return state._replace(params=params, opt_state=opt_state, grads=grads, loss=loss, outputs=outputs, step=step)

    def _update(self, state: State, member: Mapping[str, Array]) -> tuple[PyTree, PyTree]:
        optimizer = self.recipe.optimizer(Row(self._whole(member)))
        updates, opt_state = optimizer.update(state.grads, state.opt_state, state.params)
        return optax.apply_updates(state.params, updates), opt_state

    def _differentiate(self, params: PyTree, data: PyTree, member: Mapping[str, Array], step: Array):
        batch_key, loss_key = self._keys(member, step)
        batch = self.recipe.batching.draw(data, batch_key, step)

        def loss(params, batch, key):
            return self.recipe.loss(self._model(params, member), batch, key)

        return differentiate(loss, params, batch, loss_key, self.cut.microbatches)

    def _look(self, state: State, data: PyTree, member: Mapping[str, Array]) -> dict[str, dict[str, Array]]:
        batch_key, _ = self._keys(member, state.step)
        view = View(
            self._model(state.params, member),
            state.grads,
            self.recipe.batching.draw(data, batch_key, state.step),
            state.step,
            state.loss,
            state.outputs,
            data,
        )
        return {axis: {p.name: jnp.asarray(p.look(view)) for p in probes} for axis, probes in self.axes.items()}

    def _judge(self, state: State, values: Mapping[str, Mapping[str, Array]], looks: Mapping[str, Array]) -> State:
        """Note crossings, and whether the member finished or diverged."""
        active = state.outcome == Outcome.PENDING
        crossed = dict(state.crossed)
        for crossing in self.recipe.crossings:
            axis = next(axis for axis, probes in self.axes.items() if crossing.probe in {p.name for p in probes})
            new = looks[axis] & (crossed[crossing.name] == NEVER) & crossing.crossed(values[axis][crossing.probe])
            crossed[crossing.name] = jnp.where(active & new, state.step, crossed[crossing.name])
        outcome = state.outcome
        if self.recipe.stop:
            done = jnp.all(jnp.stack([crossed[name] != NEVER for name in self.recipe.stop]))
            outcome = jnp.where(active & done, jnp.int8(Outcome.STOPPED), outcome)
        diverged = active & ~jnp.isfinite(state.loss)
        outcome = jnp.where(diverged, jnp.int8(Outcome.DIVERGED), outcome)
        return state._replace(crossed=crossed, outcome=outcome)

    def _whole(self, member: Mapping[str, Array]) -> dict[str, Any]:
        return {**member, **self.static}

    def _model(self, params: PyTree, member: Mapping[str, Array]) -> eqx.Module:
        return eqx.combine(params, skeleton(self.recipe, self._whole(member), _key(member))[1])

    def _keys(self, member: Mapping[str, Array], step: Array) -> Array:
        return jax.random.split(jax.random.fold_in(jax.random.fold_in(_key(member), _TRAIN), step))

    # --- a block of members ---------------------------------------------------------------------------------------

    def _run_chunk(self, state: State, data: PyTree, member: dict, gap: Int[Array, " event"], looks: dict):
        def event(state: State, at):
            gap, looks = at
            active = state.outcome == Outcome.PENDING
            values = self._look_where(looks, state, data, member)
            state = self._per_lane(partial(self._judge, looks=looks))(state, values)
            return self._advance(state, data, member, gap), Seen(values, active)

        return jax.lax.scan(event, state, (gap, looks))

    def _look_where(self, looks: dict, state: State, data: PyTree, member: dict):
        """The probes of every axis that records here; zeros, never read, for the other axes."""
        look = self._per_lane(self._look)
        values = {}
        for axis in self.axes:
            only = lambda state, axis=axis: look(state, data, member)[axis]
            blank = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), jax.eval_shape(only, state))
            values[axis] = jax.lax.cond(looks[axis], only, lambda state, blank=blank: blank, state)
        return values

    def _advance(self, state: State, data: PyTree, member: dict, gap: Int[Array, ""]) -> State:
        active = state.outcome == Outcome.PENDING
        step = self._per_lane(self._step)
        gap = jnp.where(active.any(), gap, 0)
        advanced = jax.lax.fori_loop(0, gap, lambda _, state: step(state, data, member), state)
        if self.lanes == 1:
            return advanced

        def freeze(new, old):
            return jnp.where(active.reshape(-1, *[1] * (new.ndim - 1)), new, old)

        return jax.tree.map(freeze, advanced, state)

    def _per_lane(self, function: Callable) -> Callable:
        if self.lanes > 1:
            return jax.vmap(function)

        def single(*args):
            result = function(*jax.tree.map(lambda leaf: leaf[0], args))
            return jax.tree.map(lambda leaf: leaf[None], result)

        return single


def _one(block: PyTree) -> Any:
    return jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype), block)


def _key(member: Mapping[str, Array]) -> Array:
    return jax.random.key(member["seed"])
