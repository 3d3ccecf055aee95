"""The compiled part: chains of many settings, subsets and checkpoints as one program.

Chains of a cell (one checkpoint, subset and setting) see the same minibatches, so whatever depends on neither the
chain nor the moving parameters has no chain axis: the frozen part of a network and the loss at the starting point
are computed once for all chains. A step is "move, then differentiate", and the program holds one copy of it. The first
step stands still, to find the slope at the start; so do the last few, to see the loss at one point on several batches.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PyTree, UInt32

from nucleate.machine import use_compile_cache
from nucleate.observables.llc.samplers import Point, Sampler
from nucleate.observables.llc.settings import Traced
from nucleate.observables.llc.sources import Source
from nucleate.observables.llc.subsets import Placement

LOOKS = 16
"""Steps standing still at the end of a chain, from which minibatch noise is measured."""


class StepInfo(NamedTuple):
    """Measurements of one step of a chain, or their means; x = w − w₀, f = nβ ∇L_m, U = nβ L_m + γ/2 |x|².

    loss: L_m. virial: x·∇U. pull: x·f. push: f·G∇U. force: ∇U·G∇U. noise: ½ Δf·GΔf from one batch to the next.
    acceptance: probability that the move is accepted.
    """

    loss: Float[Array, "*axes"]
    virial: Float[Array, "*axes"]
    pull: Float[Array, "*axes"]
    push: Float[Array, "*axes"]
    force: Float[Array, "*axes"]
    noise: Float[Array, "*axes"]
    acceptance: Float[Array, "*axes"]


class Outward(NamedTuple):
    """How strongly each draw is pulled back to w₀: by the energy, x·∇U − (ε/4) ∇U·G∇U, and by the loss alone, x·f.

    The mean of the first is the number of directions; without its second term where steps are accepted or rejected.

    Both are empty where batches differ: their noise is in x·f and in the loss with which it would be compared.
    """

    energy: Float[Array, "*axes draw"]
    loss: Float[Array, "*axes draw"]


class Traces(NamedTuple):
    """What is kept of a block of cells: the losses of every step, and means over the draws of each chain."""

    loss: Float[Array, "checkpoint lane chain step"]
    baseline: Float[Array, "checkpoint lane step"]
    means: StepInfo
    outward: Outward


class CellBlock(NamedTuple):
    """The inputs of the program: checkpoints × lanes, a lane being a subset with a setting."""

    values: Sequence[Any]  # the arrays of the parameters, [checkpoint, ...] each
    index: Int[Array, "lane free"]
    setting: Traced  # [lane] each
    source: PyTree  # the arrays of the source
    moves: UInt32[Array, "checkpoint lane time 2"]  # a key for each step of a cell
    batches: UInt32[Array, "time 2"]  # a key for each step, shared by all cells


@final
@dataclass(frozen=True)
class Skeleton:
    """A pytree without its arrays: hashable, and filled in again inside the program."""

    structure: Any
    rest: tuple[Any, ...]

    @staticmethod
    def split(tree: PyTree) -> tuple[list[Any], "Skeleton"]:
        """The arrays of `tree`, None where a leaf is not an array, and the remainder."""
        leaves, structure = jax.tree.flatten(tree)
        arrays = [leaf if isinstance(leaf, Array | np.ndarray) else None for leaf in leaves]
        rest = tuple(leaf if array is None else None for leaf, array in zip(leaves, arrays, strict=True))
        return arrays, Skeleton(structure, rest)

    def __reduce__(self) -> tuple:
        # A pytree that is pickled comes out as it went in; a structure of modules does not.
        return _unpickled, (jax.tree.unflatten(self.structure, [0] * len(self.rest)), self.rest)

    def fill(self, arrays: Sequence[Any]) -> Any:
        leaves = [rest if array is None else array for rest, array in zip(self.rest, arrays, strict=True)]
        return jax.tree.unflatten(self.structure, leaves)


def _unpickled(tree: PyTree, rest: tuple[Any, ...]) -> Skeleton:
    return Skeleton(jax.tree.structure(tree), rest)


@final
@dataclass(frozen=True)
class ChainProgram:
    """Everything that shapes the compiled program, which serves any block with the same shapes."""

    loss: Callable[[Any, Any], Any]
    sampler: Sampler
    chains: int
    burn_in: int
    steps: int
    placement: Placement
    parameters: Skeleton
    data: Skeleton

    @property
    def looks(self) -> int:
        return 0 if self.sampler.exact else LOOKS

    @property
    def times(self) -> int:
        """The number of steps, including those that stand still at the end."""
        return self.steps + self.looks

    def __call__(self, block: CellBlock) -> Traces:
        return _compiled()(self, block)

    def cell(self, values: Sequence[Any], moves: Array, index: Array, setting: Traced, block: CellBlock) -> Traces:
        """Run the chains of one checkpoint, subset and setting."""
        centre = self.placement.centre(values, index)
        source: Source = self.data.fill(block.source)
        draw = source.paired(partial(self._loss, values))
        keys = [jax.random.wrap_key_data(data, impl="threefry2x32") for data in (moves, block.batches)]

        def step(states: tuple[Point, PyTree], now: tuple[Int[Array, ""], Array, Array]):
            time, key, batch_key = now
            batch, baseline = draw(batch_key)
            look = jax.value_and_grad(lambda x: self._loss(self.placement.place(values, index, centre + x), batch))
            noise = jax.random.normal(key, (self.chains, centre.size), centre.dtype)
            coin = jax.random.uniform(jax.random.fold_in(key, 1), (self.chains,)) if self.sampler.exact else None
            states, seen = jax.vmap(partial(self._move, look, setting, time))(states, noise, coin)
            return states, (seen, baseline)

        zero = jnp.zeros_like(centre)
        start = (Point(zero, zero.sum(), zero), self.sampler.start(zero))
        start = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (self.chains, *leaf.shape)), start)
        _, (seen, baseline) = jax.lax.scan(step, start, (jnp.arange(self.times), *keys))
        return self._summary(seen, baseline, setting, source.whole)

    def _loss(self, values: Sequence[Any], batch: PyTree) -> Float[Array, ""]:
        value = self.loss(self.parameters.fill(values), batch)
        if jnp.shape(value):
            raise ValueError(f"loss must return one number, the mean over the batch; got shape {jnp.shape(value)}.")
        return value

    def _move(
        self,
        look: Callable,
        setting: Traced,
        time: Int[Array, ""],
        state: tuple[Point, PyTree],
        noise: Float[Array, " free"],
        coin: Float[Array, ""] | None,
    ) -> tuple[tuple[Point, PyTree], StepInfo]:
        """One step of one chain; without a `coin`, every move is accepted."""
        old, memory = state
        still = (time == 0) | (time >= self.steps)
        metric = self.sampler.metric(memory)
        jump = jnp.sqrt(setting.step * metric) * noise - setting.step / 2 * metric * old.slope(setting)
        offset = old.offset + jnp.where(still, 0, jump)
        loss, gradient = look(offset)
        new = Point(offset, loss.astype(offset.dtype), gradient)
        acceptance = self.sampler.acceptance(old, new, setting)
        point = new if coin is None else _choose(still | (coin < acceptance), new, old)  # NaN is never accepted
        memory = _choose(time < self.burn_in, self.sampler.adapt(memory, point.gradient), memory)
        slope, change = point.slope(setting), setting.nbeta * (point.gradient - old.gradient)
        seen = StepInfo(
            loss=point.loss,
            virial=jnp.vdot(point.offset, slope),
            pull=setting.nbeta * jnp.vdot(point.offset, point.gradient),
            push=jnp.vdot(setting.nbeta * point.gradient, metric * slope),
            force=jnp.vdot(slope, metric * slope),
            noise=jnp.vdot(change, metric * change) / 2,
            acceptance=acceptance,
        )
        return (point, memory), seen

    def _summary(self, seen: StepInfo, baseline: Float[Array, " time"], setting: Traced, whole: bool) -> Traces:
        """Means over draws; for the noise, over the steps standing still at the end."""
        draws = jax.tree.map(lambda leaf: leaf[self.burn_in : self.steps].mean(0), seen)
        noise = seen.noise[self.steps :].mean(0) if self.looks else jnp.zeros_like(draws.noise)
        energy = seen.virial if self.sampler.exact else seen.virial - setting.step / 4 * seen.force
        kept = slice(self.burn_in if whole else self.steps, self.steps)
        return Traces(
            seen.loss[: self.steps].T,
            baseline[: self.steps],
            draws._replace(noise=noise),
            Outward(energy[kept].T, seen.pull[kept].T),
        )


def _run(program: ChainProgram, block: CellBlock) -> Traces:
    def at_checkpoint(values: Sequence[Any], moves: Array) -> Traces:
        lane = partial(program.cell, values, block=block)
        return jax.vmap(lane)(moves, block.index, block.setting)

    return jax.vmap(at_checkpoint)(block.values, block.moves)


@cache
def _compiled() -> Callable[[ChainProgram, CellBlock], Traces]:
    use_compile_cache()
    # Blocks are spread over cores by the caller; threads inside a matrix product would only get in the way.
    # Optimisation level 3 takes 50 % longer to compile the random numbers and runs no faster.
    options = {"xla_cpu_multi_thread_eigen": False, "xla_backend_optimization_level": 2}
    options = options if jax.default_backend() == "cpu" else {}
    return jax.jit(_run, static_argnums=0, compiler_options=options)


def _choose(condition: Bool[Array, ""], yes: PyTree, no: PyTree) -> PyTree:
    return jax.tree.map(partial(jnp.where, condition), yes, no)
