"""Train a fleet into a run directory, resumably, on every core."""

import contextlib
import dataclasses
import errno
import queue
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import xarray as xr

from nucleate import machine
from nucleate.fleet.block_size import choose_block
from nucleate.fleet.layout import Layout, shard_size
from nucleate.fleet.plan import Plan
from nucleate.fleet.program import Program
from nucleate.fleet.progress import Silent, Watcher
from nucleate.fleet.schedule import timeline
from nucleate.fleet.shard import StopRequested, Work, is_done, train_shard
from nucleate.record import Run, RunError, Store, as_attr, create_store, open_record

_TELL_SECONDS = 20.0  # how often the cost so far is saved
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class Interruption(KeyboardInterrupt):
    """Raised on Ctrl-C, with the folder to resume."""

    def __init__(self, path: Path):
        super().__init__(f"interrupted; resume {path}")
        self.path = path


def train(plan: Plan, into: Path | str, *, watch: Watcher | None = None, checkpoint_seconds: float = 20.0) -> Run:
    """Train `plan` into the run directory `into`, continuing a run that is already there.

    The finished record depends neither on interruptions nor on the number of cores. At a given block size, a member's
    numbers do not depend on the other members of the fleet. Ctrl-C leaves a resumable run and raises `Interruption`.
    """
    watch = watch or Silent()
    run = Run(Path(into))
    _refuse_foreign(run.path)
    try:
        with run.lock():
            run = _prepare(plan, run)
            if run.status != "complete":
                _train_all(plan, run, watch, checkpoint_seconds)
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise RunError(
                f"The disk is full while writing {run.path}; free some space, then `nucleate resume {run.path}`."
            ) from error
        raise
    return run


def replay(plan: Plan, run: Run, member: int) -> xr.Dataset:
    """Retrain one member of a run on its own and return its record, bit for bit as it was in the fleet.

    `plan` is the run's plan, or, to look closer, one with more probes or denser schedules on the same recipe.
    """
    if not 0 <= member < plan.members.count:
        raise ValueError(f"replay: member must be between 0 and {plan.members.count - 1}; got {member}.")
    alone = dataclasses.replace(plan.only(member), block=run.about["block"])
    with tempfile.TemporaryDirectory() as folder:
        record = train(alone, Path(folder) / "replay").record().load()
    return record.assign_coords(member=[member])


def _prepare(plan: Plan, run: Run) -> Run:
    """Open the run in the folder, or create it; refuse a folder that holds anything else."""
    if (run.path / "run.json").exists():
        run = Run.open(run.path)
        if not _is_of(plan, run):
            raise RunError(
                f"{run.path} holds another plan ({run.about.get('experiment', 'unknown')}, "
                f"{run.about.get('members')} members); delete it, or choose another folder with --out."
            )
    else:
        about = dict(plan.about) | {
            "fingerprint": plan.fingerprint(),
            "members": plan.members.count,
            "steps": plan.steps,
        }
        run = Run.create(run.path, about)
    if run.status != "complete":
        _sweep(run)
    return run


def _is_of(plan: Plan, run: Run) -> bool:
    """Whether `run` is of `plan`: by fingerprint, or as the same config of the same experiment.

    A fingerprint knows code by its name, so it changes when a class is renamed; an experiment's config does not.
    """
    about = run.about
    if about.get("fingerprint") in (None, plan.fingerprint()):
        return True
    asked = {key: plan.about.get(key) for key in ("experiment", "config")}
    asked |= {"members": plan.members.count, "steps": plan.steps}
    same = None not in asked.values() and as_attr(asked) == as_attr({key: about.get(key) for key in asked})
    return same and _has_members(plan, run)


def _has_members(plan: Plan, run: Run) -> bool:
    """Whether the run's record, if it is there yet, has the members of the plan: seeds and hyperparameters."""
    if "block" not in run.about:
        return True
    record = open_record(run.record_path, complete=False)
    return all(name in record and np.array_equal(record[name], column) for name, column in plan.members.items())


def _refuse_foreign(path: Path) -> None:
    """Refuse to write to a folder that holds anything but a run, or the beginnings of one."""
    if not path.is_dir() or (path / "run.json").exists():
        return
    if any(entry.name != "lock" and not entry.match(".run.json.*") for entry in path.iterdir()):
        raise RunError(f"{path} is neither empty nor a run directory; choose another folder with --out.")


def _sweep(run: Run) -> None:
    """Remove what a killed process was in the middle of writing."""
    for half_written in (".run.json.*", "checkpoints/.*.checkpoint.*", "record.zarr/**/*.partial"):
        for file in run.path.glob(half_written):
            file.unlink()


def _train_all(plan: Plan, run: Run, watch: Watcher, checkpoint_seconds: float) -> None:
    before, began = run.about.get("seconds", 0.0), time.monotonic()

    def spent() -> float:
        return round(before + time.monotonic() - began, 2)

    machine.use_compile_cache()
    devices = machine.workers()
    count = plan.members.count
    watch.begin(plan.about.get("experiment", run.path.name), count * plan.steps, detail=f"{count} members")
    try:
        layout, programs = _layout(plan, run, len(devices), watch)
        run.checkpoints.mkdir(exist_ok=True)
        work = Work(
            layout,
            programs,
            list(timeline(plan.schedules, plan.steps, max_gap=plan.recipe.max_gap)),
            Store(run.record_path),
            run.checkpoints,
            checkpoint_seconds,
            threading.Event(),
            watch.advance,
        )
        run.update(status="running")
        _work_through(work, devices, tick=lambda: run.update(seconds=spent()))
        run.update(status="complete", seconds=spent())
    except (KeyboardInterrupt, StopRequested):
        run.update(status="interrupted", seconds=spent())
        raise Interruption(run.path) from None
    finally:
        watch.end()


def _layout(plan: Plan, run: Run, threads: int, watch: Watcher) -> tuple[Layout, dict[tuple, Program]]:
    """Group the members, fix block and shard sizes (or read what the run fixed before), and lay out the record."""
    groups = _grouped(plan, watch)
    largest = max(groups, key=lambda group: len(groups[group]))
    block = run.about.get("block") or choose_block(plan, largest, watch.say)
    size = run.about.get("shard_size") or shard_size(plan.members.count, block, threads)
    programs = {group: Program(plan.recipe, dict(group[0]), block) for group in groups}
    layout = Layout(plan, size, _largest_shapes(plan, programs, groups))
    if "block" not in run.about:
        # A record without a block size in run.json was interrupted while being created: it holds nothing yet.
        _discard(run.record_path)
        create_store(run.record_path, layout.frame(), layout.variables())
        run.update(block=block, shard_size=size, groups=len(groups))
    return layout, programs


def _grouped(plan: Plan, watch: Watcher) -> dict[tuple, list[int]]:
    """The members of each program. Makes their data on the way, which takes minutes where they are simulated."""
    groups: dict[tuple, list[int]] = {}
    count, began, told = plan.members.count, time.monotonic(), -1.0
    for member in range(count):
        spent = time.monotonic() - began
        if spent - told > 0.5:
            told = spent
            left = f", about {spent / member * (count - member):.0f} s left" if member else ""
            watch.say(f"making the data of member {member + 1} of {count}{left}")
        groups.setdefault(plan.group(member), []).append(member)
    watch.say("")
    return groups


def _largest_shapes(plan: Plan, programs: dict, groups: dict) -> dict[str, tuple[tuple[int, ...], np.dtype]]:
    shapes: dict[str, tuple[tuple[int, ...], np.dtype]] = {}
    for group, program in programs.items():
        for name, value in program.shapes(*plan.lanes(groups[group][:1], 1)).items():
            before, _ = shapes.get(name, (value.shape, value.dtype))
            if len(before) != len(value.shape):
                raise ValueError(
                    f"Probe '{name}' must give all members equally many axes; got {len(before)} and {len(value.shape)}."
                )
            shapes[name] = (tuple(map(max, before, value.shape)) if before else (), np.dtype(value.dtype))
    for probe in plan.recipe.probes:
        if len(probe.dims) != len(shapes[probe.name][0]):
            raise ValueError(
                f"Probe '{probe.name}' gives a value of shape {shapes[probe.name][0]}, so its dims must name "
                f"{len(shapes[probe.name][0])} axes; got {probe.dims}."
            )
    return shapes


def _discard(path: Path) -> None:
    if path.exists():
        shutil.rmtree(path)


def _work_through(work: Work, devices: list, tick: Callable[[], None]) -> None:
    """Let each worker take the next shard until none is left. The first failure stops all of them at a checkpoint."""
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number, shard in enumerate(work.layout.shards):
        if is_done(work.checkpoints, number):
            work.advance(len(shard) * work.layout.plan.steps)
        else:
            todo.put(number)
    failures: list[BaseException] = []

    def labour(device):
        try:
            while not work.stop.is_set():
                train_shard(work, todo.get_nowait(), device)
        except queue.Empty:
            pass
        except BaseException as failure:
            failures.append(failure)
            work.stop.set()

    threads = [threading.Thread(target=labour, args=(device,), daemon=True) for device in devices]
    interrupted = _start_and_wait(threads, work.stop, tick)
    for failure in sorted(failures, key=lambda failure: isinstance(failure, StopRequested)):
        raise failure
    if interrupted:
        raise KeyboardInterrupt


def _start_and_wait(threads: list[threading.Thread], stop: threading.Event, tick: Callable[[], None]) -> bool:
    """Run threads to their end and return whether Ctrl-C was pressed. It is only noted, however often it is pressed:
    no thread may still be writing when the lock is released."""
    interrupted, told = False, time.monotonic()
    waiting = iter(threads)
    while not interrupted:
        try:
            for thread in waiting:
                thread.start()
            break
        except KeyboardInterrupt:
            interrupted = True
    while True:
        try:
            alive = [thread for thread in threads if thread.is_alive()]
            if not alive:
                return interrupted
            if interrupted:
                stop.set()
            alive[0].join(timeout=0.1)
            if time.monotonic() - told > _TELL_SECONDS:
                told = time.monotonic()
                with contextlib.suppress(OSError, RunError):  # a full disk is reported by the workers
                    tick()
        except KeyboardInterrupt:
            interrupted = True
