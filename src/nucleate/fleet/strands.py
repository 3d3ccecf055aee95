"""A network that has all cores to itself: the pieces of its batch are differentiated side by side.

Pieces are grouped into strands, whose number is the same on every machine. One compiled function adds up the gradients
of a strand, and threads call it for all of them; the sums are added in their order. So bits depend on the number of
pieces, not on that of cores. Between two steps Python is at work, which a step of several milliseconds does not notice.
"""

import functools
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PyTree

from nucleate import machine
from nucleate.fleet.gradient import add_up, cut_up, mean
from nucleate.record import Outcome

_MOST = 8


def strands(microbatches: int) -> int:
    """How many strands so many pieces are grouped into, equally many in each.

    >>> strands(4), strands(16), strands(9), strands(11)
    (4, 8, 3, 1)
    """
    return max(count for count in range(1, _MOST + 1) if microbatches % count == 0)


def alone(function: Callable) -> Callable:
    """A function of one network as one of blocks that hold a single network."""

    def single(*args):
        result = function(*jax.tree.map(lambda leaf: leaf[0], args))
        return jax.tree.map(lambda leaf: leaf[None], result)

    return single


class Strands:
    """Advances a block of one network with its pieces side by side.

    `see`: looks at a block and judges it. Of one network: `turn` gives it new parameters, and the batch and key with
    which these are differentiated; `loss` of a member is a function of the three.
    """

    def __init__(self, see: Callable, turn: Callable, loss: Callable, microbatches: int, options: dict[str, Any]):
        self._turn_one, self._loss, self._microbatches = turn, loss, microbatches
        self._count, self._compiled = strands(microbatches), False
        self._see = jax.jit(see, donate_argnums=0, compiler_options=options)
        self._turn = jax.jit(alone(self._turn_and_cut), donate_argnums=0, compiler_options=options)
        self._strand = jax.jit(self._add_up, compiler_options=options)
        self._join = jax.jit(alone(self._add_strands), donate_argnums=0, compiler_options=options)

    def chunk(self, state: Any, data: PyTree, member: Mapping[str, Array], gap: np.ndarray, looks: dict):
        """Advance along one chunk of the timeline, as `Program.chunk` does."""
        seen = []
        with machine.undisturbed(), ThreadPoolExecutor(min(machine.cores(), self._count)) as pool:
            for at, steps in enumerate(gap):
                state, found = self._see(state, data, member, {axis: look[at] for axis, look in looks.items()})
                seen.append(found)
                active = steps and state.outcome.item() == Outcome.PENDING
                for _ in range(steps if active else 0):
                    state = self._step(pool, state, data, member)
        return state, jax.tree.map(lambda *rows: np.stack(rows), *seen)

    def _step(self, pool: Executor, state: Any, data: PyTree, member: Mapping[str, Array]) -> Any:
        state, parts = self._turn(state, data, member)

        def strand(number: int) -> PyTree:
            return jax.block_until_ready(self._strand(state.params, parts, member, number))

        if not self._compiled:  # once, not by every thread
            strand(0)
            self._compiled = True
        return self._join(state, [*pool.map(strand, range(self._count))])

    def _turn_and_cut(self, state: Any, data: PyTree, member: Mapping[str, Array]) -> tuple[Any, PyTree]:
        state, (batch, key) = self._turn_one(state, data, member)
        parts = cut_up(batch, key, self._microbatches)
        return state, jax.tree.map(lambda part: part.reshape(self._count, -1, *part.shape[1:]), parts)

    def _add_up(self, params: PyTree, parts: PyTree, member: Mapping[str, Array], number: Array) -> PyTree:
        def one(params, parts, member):
            return add_up(self._loss(member), params, jax.tree.map(lambda part: part[number], parts))

        return alone(one)(params, parts, member)

    def _add_strands(self, state: Any, found: list[tuple[PyTree, PyTree]]) -> Any:
        totals, outputs = zip(*found, strict=True)
        total = functools.reduce(partial(jax.tree.map, jnp.add), totals)
        outputs = jax.tree.map(lambda *each: jnp.concatenate(each), *outputs)
        (loss, outputs), grads = mean((total, outputs), self._microbatches)
        return state._replace(loss=loss, outputs=outputs, grads=grads)
