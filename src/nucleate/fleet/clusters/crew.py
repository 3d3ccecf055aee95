"""The workers of a cluster: what runs in their processes, from a brief to a trained shard."""

import contextlib
import json
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from nucleate import __version__, machine
from nucleate.fleet.clusters.lease import Lease, Superseded, require_lease
from nucleate.fleet.code import code_of
from nucleate.fleet.cut import Cut
from nucleate.fleet.layout import Layout
from nucleate.fleet.members import Members
from nucleate.fleet.plan import Plan
from nucleate.fleet.program import Program
from nucleate.fleet.recipe import Recipe
from nucleate.fleet.schedule import Chunk, Schedule
from nucleate.fleet.sessions import Environment, environment
from nucleate.fleet.shard import StopRequested, Work, done_file, train_shard
from nucleate.record import Store

_LOOK = 0.5  # seconds between two looks at the lease

Report = Callable[[list[tuple[int, int]]], None]  # of shards in training, the steps of all their members so far
Ending = Literal["trained", "stopped", "superseded", "unbriefed"]


@dataclass(frozen=True)
class Arrival:
    """What a worker says of itself; `sees`: whether the run is where the client wrote it; `writes`: whether it may."""

    nucleate: str
    environment: Environment
    host: str
    code: str | None
    sees: bool
    writes: bool


@dataclass(frozen=True)
class Brief:
    """All that a worker must be told of a run, but for the rows of the table: each task brings its own.

    `columns`, `count`: of the table. `chunks`, `shapes`, `cut`, `shard_size` and `rows_per_chunk` are those of the
    client, so that nothing which decides bits is found twice. `silence`: seconds without a beat after which workers
    stop. `report_seconds`: between two reports of a process.
    """

    session: str
    lease: Path
    record: Path
    checkpoints: Path
    recipe: Recipe
    keep_weights: Schedule | None
    steps: int
    columns: Mapping[str, np.dtype]
    count: int
    cut: Cut
    shard_size: int
    shapes: Mapping[str, tuple[tuple[int, ...], np.dtype]]
    rows_per_chunk: Mapping[str, int]
    chunks: list[Chunk]
    checkpoint_seconds: float
    one_at_a_time: bool
    silence: float
    report_seconds: float


@dataclass(frozen=True)
class Task:
    """A shard to be trained, with its rows of the table. `signature`: what its done file will say of who did it."""

    shard: int
    rows: Mapping[str, np.ndarray]
    epoch: int
    signature: Mapping[str, Any]


def arrive(lease: Path, session: str, recipe: Recipe, threads: int) -> Arrival:
    """What the client must know of this process, of N threads, before it trusts it with shards."""
    machine.keep_freed_memory()
    machine.compute_with(threads)
    machine.use_compile_cache()
    machine.workers()
    sees = writes = False
    with contextlib.suppress(OSError):  # first of all: who writes to a folder of NFS learns what others have put there
        trial = lease.with_name(f".{lease.name}.{secrets.token_hex(8)}")
        trial.write_bytes(b"")
        trial.unlink()
        writes = True
    with contextlib.suppress(Exception):
        there = Lease.read(lease)
        sees = there is not None and there.session == session
    return Arrival(__version__, environment(), socket.gethostname(), code_of(recipe), sees, writes)


def labour(session: str, brief: Brief | None, task: Task, report: Report) -> Ending:
    """Train one shard in this process; `brief` is needed where the process has not had it before."""
    with _lock:
        if (place := _places.get(session)) is None:
            if brief is None:
                return "unbriefed"
            place = _places[session] = Workplace(brief, report)
    return place.train(task)


class Programs(dict[tuple, Program]):
    """The programs of the groups that come up, each made when it is first asked for."""

    def __init__(self, brief: Brief):
        super().__init__()
        self._brief, self._lock = brief, threading.Lock()

    def __missing__(self, group: tuple) -> Program:
        with self._lock:
            if group not in self:
                brief = self._brief
                self[group] = Program(brief.recipe, dict(group[0]), brief.cut, brief.keep_weights)
            return self[group]


class Workplace:
    """A run in one process of a cluster: its programs, and a thread that listens to the client and reports to it."""

    def __init__(self, brief: Brief, report: Report):
        self._brief, self._report = brief, report
        self._stop = threading.Event()
        self._steps: dict[int, int] = {}
        self._limits = _Shared(machine.one_thread_each)
        self._devices = machine.workers()
        # Of a million rows a worker needs a few: the others are never touched, and take no memory.
        blank = {name: np.zeros(brief.count, dtype) for name, dtype in brief.columns.items()}
        plan = Plan(brief.recipe, Members(blank), brief.steps, keep_weights=brief.keep_weights)
        layout = Layout(plan, brief.shard_size, dict(brief.shapes))
        layout.__dict__["rows_per_chunk"] = dict(brief.rows_per_chunk)
        self._work = Work(
            layout,
            Programs(brief),
            brief.chunks,
            Store(brief.record),
            brief.checkpoints,
            brief.checkpoint_seconds,
            self._stop,
            lambda count: None,
            lambda line: None,
            False,
            threading.Lock() if brief.one_at_a_time else contextlib.nullcontext(),
        )
        threading.Thread(target=self._listen, name="lease", daemon=True).start()

    def train(self, task: Task) -> Ending:
        """Train a shard to its end, or until the client says, or can no longer say, to stop."""
        shard, plan = task.shard, self._work.layout.plan
        members = self._work.layout.shards[shard]
        permit = partial(require_lease, self._brief.lease, self._brief.session, shard, task.epoch)
        work = replace(
            self._work,
            advance=partial(self._advance, shard),
            permit=partial(_unless_done, done_file(self._brief.checkpoints, shard), permit),
            signature=json.dumps(task.signature).encode(),
        )
        try:
            permit()
            for name, values in task.rows.items():
                plan.members[name][members.start : members.stop] = values
            with self._limits():
                train_shard(work, shard, self._devices[shard % len(self._devices)])
        except Superseded:
            return "superseded"
        except StopRequested:
            return "stopped"
        except OSError:
            if _refuses(permit):  # the run's present owner cleared away what this worker was writing
                return "superseded"
            raise
        finally:
            self._steps.pop(shard, None)
            plan.forget(members)
        return "trained"

    def _advance(self, shard: int, count: int) -> None:
        self._steps[shard] = self._steps.get(shard, 0) + count

    def _listen(self) -> None:
        """Set `stop` when the session is over or silent; end with it."""
        beat, heard, reported = 0, time.monotonic(), time.monotonic()
        while not self._stop.wait(_LOOK):
            now = time.monotonic()
            with contextlib.suppress(Exception):  # a file system may fail for a while: that is silence
                lease = Lease.read(self._brief.lease)
                if lease is None or lease.session != self._brief.session or lease.stop:
                    self._stop.set()
                elif lease.beat != beat:
                    beat, heard = lease.beat, now
            if now - heard > self._brief.silence:
                self._stop.set()
            if now - reported > self._brief.report_seconds and self._steps:
                reported = now
                with contextlib.suppress(Exception):  # progress is worth no failure
                    self._report([*self._steps.items()])
        with _lock:
            _places.pop(self._brief.session, None)


class _Shared:
    """A context that several threads are in at once: entered by the first of them, left by the last."""

    def __init__(self, make: Callable[[], contextlib.AbstractContextManager]):
        self._make, self._lock, self._inside = make, threading.Lock(), 0

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            if self._inside == 0:
                self._context = self._make()
                self._context.__enter__()
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if self._inside == 0:
                    self._context.__exit__(None, None, None)


def _unless_done(done: Path, permit: Callable[[], None]) -> None:
    """A shard that is done is nobody's any more: the lease need not remember who had it."""
    if done.exists():
        raise Superseded
    permit()


def _refuses(permit: Callable[[], None]) -> bool:
    try:
        permit()
    except Superseded:
        return True
    return False


_places: dict[str, Workplace] = {}
_lock = threading.Lock()
