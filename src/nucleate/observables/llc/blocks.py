"""Cells cut into blocks that share a program, spread over the cores or accelerators of this machine."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int, UInt32

from nucleate.machine import map_over_workers
from nucleate.observables.llc.chains import CellBlock, ChainProgram, Traces
from nucleate.observables.llc.settings import Setting, Traced
from nucleate.observables.llc.subsets import Group

# Numbers that move at once, over all chains and lanes: with their slopes they about fill a core's L2 cache.
_AT_ONCE = 2**15

_BATCHES, _MOVES = 0, 1  # the uses of random numbers, folded into their keys


class CellGrid(NamedTuple):
    """Cells that share a program: every checkpoint with every lane, a lane being a subset with a setting."""

    checkpoints: Sequence[Sequence[Any]]  # the arrays of the parameters, None for a leaf that is not an array
    group: Group
    settings: Sequence[Setting]
    source: Sequence[Any]
    seed: int

    def block(self, times: int, rows: Int[np.ndarray, " checkpoint"], lanes: Int[np.ndarray, " lane"]) -> CellBlock:
        """The inputs for `times` steps of the chosen checkpoints and lanes."""
        subset, setting = np.divmod(lanes, len(self.settings))
        numbers = [self.settings[i] for i in setting]
        values = [
            None if parts[0] is None else jnp.stack(parts)
            for parts in zip(*(self.checkpoints[row] for row in rows), strict=True)
        ]
        places = np.stack([np.array(self.group.numbers)[subset], setting], axis=1).tolist()
        return CellBlock(
            values,
            index=jnp.asarray(self.group.index[subset]),
            setting=Traced(*(jnp.array([getattr(s, name) for s in numbers], jnp.float32) for name in Traced._fields)),
            source=self.source,
            moves=jnp.array([[self._keys(times, _MOVES, row, *lane) for lane in places] for row in rows.tolist()]),
            batches=jnp.asarray(self._keys(times, _BATCHES)),
        )

    def _keys(self, count: int, *place: int) -> UInt32[np.ndarray, "count 2"]:
        """Keys unique to this place, whatever else is computed; made without compiling anything."""
        return np.random.SeedSequence(self.seed, spawn_key=place).generate_state(2 * count).reshape(count, 2)


def lanes_at_once(free: int, chains: int) -> int:
    """How many cells to advance side by side: many small ones, or one large one alone."""
    return max(1, _AT_ONCE // (free * chains))


def run(program: ChainProgram, grid: CellGrid, at_once: int) -> Traces:
    """Run every cell, at most `at_once` side by side; returns NumPy arrays [checkpoint, lane, ...]."""
    rows, lanes = len(grid.checkpoints), len(grid.group.numbers) * len(grid.settings)
    across = _even(lanes, at_once)
    down = _even(rows, max(1, at_once // across))
    places = [(row, lane) for row in range(0, rows, down) for lane in range(0, lanes, across)]
    parts = map_over_workers(_Block(program, grid, rows, lanes, down, across), places)
    in_a_row = len(range(0, lanes, across))
    bands = [parts[first : first + in_a_row] for first in range(0, len(parts), in_a_row)]
    return _join([_join(band, axis=1) for band in bands], axis=0)


class _Block(NamedTuple):
    """Runs the block of `down` by `across` cells, out of `rows` by `lanes`, that begins at a place; other processes can
    be sent it."""

    program: ChainProgram
    grid: CellGrid
    rows: int
    lanes: int
    down: int
    across: int

    def __call__(self, place: tuple[int, int]) -> Traces:
        row, lane = place
        # The last block is padded with its last cell, so that all have one shape and share one program.
        rows = np.minimum(row + np.arange(self.down), self.rows - 1)
        lanes = np.minimum(lane + np.arange(self.across), self.lanes - 1)
        traces = jax.tree.map(np.asarray, self.program(self.grid.block(self.program.times, rows, lanes)))
        return jax.tree.map(lambda leaf: leaf[: self.rows - row, : self.lanes - lane], traces)


def _even(count: int, most: int) -> int:
    """The block size that splits `count` into as few blocks of at most `most` as possible, of nearly equal size."""
    blocks = -(-count // min(most, count))
    return -(-count // blocks)


def _join(parts: Sequence[Traces], axis: int) -> Traces:
    return jax.tree.map(lambda *leaves: np.concatenate(leaves, axis=axis), *parts)
