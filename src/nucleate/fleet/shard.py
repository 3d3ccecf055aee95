"""Train one shard from its checkpoint to the end."""

import os
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import numpy as np

from nucleate.fleet import checkpoint
from nucleate.fleet.layout import Layout
from nucleate.fleet.program import Program, State
from nucleate.fleet.schedule import Chunk
from nucleate.fleet.weights import FINAL, flat_rows
from nucleate.record import Outcome, Store, fill_value


class StopRequested(Exception):
    """The run was asked to stop; everything up to here is saved."""


@dataclass
class Rows:
    """Recorded rows on their way to the store: whole chunks are written, the rest waits (and is checkpointed).

    `permit` is called before anything is written, and raises where this process may not.
    """

    layout: Layout
    shard: range
    store: Store
    pending: dict[str, np.ndarray] = field(default_factory=dict)
    written: dict[str, int] = field(default_factory=dict)
    unsynced: list[tuple[str, tuple[slice, ...]]] = field(default_factory=list)
    permit: Callable[[], None] = lambda: None

    def add(self, name: str, rows: np.ndarray) -> None:
        waiting = self.pending.get(name)
        self.pending[name] = rows if waiting is None else np.concatenate([waiting, rows], axis=1)

    def flush(self, *, last: bool = False) -> None:
        for probe in self.layout.plan.probes:
            size = self.layout.rows_per_chunk[probe.axis]
            while (rows := self.pending.get(probe.name)) is not None and (rows.shape[1] >= size or last):
                if rows.shape[1] == 0:
                    break
                done = self.written.get(probe.name, 0)
                part = rows[:, :size]
                self.write(probe.name, part, slice(done, done + part.shape[1]))
                self.written[probe.name] = done + part.shape[1]
                self.pending[probe.name] = rows[:, size:]

    def write(self, name: str, values: np.ndarray, *rows: slice) -> None:
        region = (slice(self.shard.start, self.shard.stop), *rows)
        self.permit()
        self.store.write(name, region, values)
        self.unsynced.append((name, region))

    def sync(self) -> None:
        """Return when all that was written is on the disk: no checkpoint may claim what a power cut can still take."""
        self.store.sync(self.unsynced)
        self.unsynced.clear()


@dataclass(frozen=True)
class Work:
    """What every shard of a run shares.

    `alone`: only one shard may be trained at a time in a process. `starting`: held while networks are started, where
    only one worker may. `permit`: raises where another process may be writing the shard. `signature`: what its done
    file says of who trained it.
    """

    layout: Layout
    programs: dict[tuple, Program]
    chunks: list[Chunk]
    store: Store
    checkpoints: Path
    checkpoint_seconds: float
    stop: threading.Event
    advance: Callable[[int], None]
    tell: Callable[[str], None]
    alone: bool
    starting: AbstractContextManager
    permit: Callable[[], None] = lambda: None
    signature: bytes = b""


def done_file(checkpoints: Path, number: int) -> Path:
    """It exists when a shard is trained and in the store."""
    return checkpoints / f"{number:05d}.done"


def shards_done(work: Work) -> list[int]:
    """The shards that are, from one look at the folder."""
    there = set(os.listdir(work.checkpoints))
    return [n for n in range(len(work.layout.shards)) if done_file(work.checkpoints, n).name in there]


def train_shard(work: Work, number: int, device: Any) -> None:
    """Train shard `number` on `device`, streaming to the store, and mark it done."""
    done = done_file(work.checkpoints, number)
    if done.exists():
        return
    shard = work.layout.shards[number]
    plan = work.layout.plan
    blocks = _blocks(work, shard)
    inputs = [jax.device_put(plan.lanes(index, program.lanes), device) for program, index in blocks]
    with work.starting:  # and one block after the other, since they run side by side otherwise
        states = [jax.block_until_ready(p.start(*given)) for (p, _), given in zip(blocks, inputs, strict=True)]
    rows = Rows(work.layout, shard, work.store, permit=work.permit)
    file = work.checkpoints / f"{number:05d}.checkpoint"
    position = 0
    if (saved := checkpoint.restore(file, states)) is not None and _belongs(work, shard, *saved):
        position, states, rows.pending = saved
        states = jax.device_put(states, device)
        rows.written = _rows_before(work, position, rows.pending)
        work.advance(len(shard) * sum(chunk.steps for chunk in work.chunks[:position]))
    saved_at = time.monotonic()
    for at in range(position, len(work.chunks)):
        if work.stop.is_set():
            _save(file, at, states, rows)
            raise StopRequested
        _train_chunk(work, work.chunks[at], blocks, inputs, states, rows)
        rows.flush()
        work.advance(len(shard) * work.chunks[at].steps)
        if time.monotonic() - saved_at > work.checkpoint_seconds:
            _save(file, at + 1, states, rows)
            saved_at = time.monotonic()
    rows.flush(last=True)
    _finish(work, rows, blocks, states)
    rows.sync()
    work.permit()
    done.write_bytes(work.signature)
    file.unlink(missing_ok=True)


def _save(file: Path, position: int, states: list[State], rows: Rows) -> None:
    rows.sync()
    rows.permit()
    checkpoint.save(file, position, states, rows.pending)


def _belongs(work: Work, shard: range, position: int, states: list[State], pending: dict[str, np.ndarray]) -> bool:
    """Whether a checkpoint is of this shard: its active members stand where chunk `position` begins (not so if an older
    version cut runs otherwise), and every row so far waits in it or is in the store."""
    starts = [*(chunk.start for chunk in work.chunks), work.layout.plan.steps]
    if not 0 <= position < len(starts):
        return False
    if not all(np.all((state.outcome != Outcome.PENDING) | (state.step == starts[position])) for state in states):
        return False
    for name, rows in pending.items():
        shape, dtype = work.layout.shapes.get(name, ((), None))
        if (rows.dtype, rows.shape[:1], rows.shape[2:]) != (dtype, (len(shard),), shape):
            return False
    members = slice(shard.start, shard.stop)
    written = _rows_before(work, position, pending)
    return all(rows >= 0 and work.store.holds(name, (members, slice(0, rows))) for name, rows in written.items())


def _blocks(work: Work, shard: range) -> list[tuple[Program, list[int]]]:
    """The shard's members, grouped by program and cut into blocks."""
    groups: dict[tuple, list[int]] = {}
    for member in shard:
        groups.setdefault(work.layout.plan.group(member), []).append(member)
    blocks = []
    for group, members in groups.items():
        program = work.programs[group]
        width = program.lanes
        blocks += [(program, members[i : i + width]) for i in range(0, len(members), width)]
    return blocks


def _train_chunk(work: Work, chunk: Chunk, blocks: list, inputs: list, states: list[State], rows: Rows) -> None:
    shard = rows.shard
    recorded = {axis: np.flatnonzero(looks) for axis, looks in chunk.looks.items()}
    out = {}
    for probe in work.layout.plan.probes:
        shape, dtype = work.layout.shapes[probe.name]
        out[probe.name] = np.full((len(shard), len(recorded[probe.axis]), *shape), fill_value(dtype), dtype)
    for number, (program, members) in enumerate(blocks):
        if not np.any(np.asarray(states[number].outcome) == Outcome.PENDING):
            continue
        states[number], seen = program.chunk(states[number], *inputs[number], chunk.gap, chunk.looks)
        active = np.asarray(seen.active)
        for probe in work.layout.plan.probes:
            at = recorded[probe.axis]
            values = np.asarray(seen.values[probe.axis][probe.name])[at]
            inner = tuple(slice(0, size) for size in values.shape[2:])
            for lane, member in enumerate(members):
                alive = np.flatnonzero(active[at, lane])
                out[probe.name][(member - shard.start, alive, *inner)] = values[alive, lane]
    for name, values in out.items():
        rows.add(name, values)


def _rows_before(work: Work, position: int, pending: dict[str, np.ndarray]) -> dict[str, int]:
    """The number of rows of each probe in the store, given those waiting in the checkpoint."""
    looked = {axis: sum(int(c.looks[axis].sum()) for c in work.chunks[:position]) for axis in work.layout.steps}
    return {
        probe.name: looked[probe.axis] - (pending[probe.name].shape[1] if probe.name in pending else 0)
        for probe in work.layout.plan.probes
    }


def _finish(work: Work, rows: Rows, blocks: list, states: list[State]) -> None:
    """Write the outcome of each member, and its weights if they are kept."""
    shard = rows.shard
    crossings = [crossing.name for crossing in work.layout.plan.recipe.crossings]
    ends = {"outcome": np.zeros(len(shard), np.int8), "last_step": np.zeros(len(shard), np.int32)}
    ends |= {f"{name}_step": np.zeros(len(shard), np.int32) for name in crossings}
    if FINAL in work.layout.shapes:
        shape, dtype = work.layout.shapes[FINAL]
        ends[FINAL] = np.full((len(shard), *shape), fill_value(dtype), dtype)
    for (_, members), state in zip(blocks, states, strict=True):
        outcome = np.asarray(state.outcome)
        found = {
            "outcome": np.where(outcome == Outcome.PENDING, Outcome.OK, outcome),
            "last_step": np.asarray(state.step),
            **{f"{name}_step": np.asarray(state.crossed[name]) for name in crossings},
        }
        for name, values in found.items():
            ends[name][np.asarray(members) - shard.start] = values[: len(members)]
        if FINAL in ends:
            weights = flat_rows(state.params, ends[FINAL].dtype)[: len(members)]
            ends[FINAL][np.asarray(members) - shard.start, : weights.shape[1]] = weights
    for name, values in ends.items():
        rows.write(name, values)
