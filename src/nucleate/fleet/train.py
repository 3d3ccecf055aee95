"""Train a fleet into a run directory, resumably, on every core."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np

from nucleate import machine
from nucleate.checking import AtLeast, checked, shown
from nucleate.fleet.block_size import choose_block
from nucleate.fleet.code import code_of
from nucleate.fleet.estimate import Needs
from nucleate.fleet.interruption import resumable
from nucleate.fleet.layout import Layout, largest_shapes, shard_size
from nucleate.fleet.plan import Plan
from nucleate.fleet.program import Program
from nucleate.fleet.progress import Silent, Watcher
from nucleate.fleet.recording import begin_record, recheck_record
from nucleate.fleet.sessions import begin_session, device
from nucleate.fleet.shard import StopRequested, Work, done_file, train_shard
from nucleate.record import Run, RunError, Store, as_attr, open_record
from nucleate.record.disk import telling_full_disk

_TELL_SECONDS = 20.0  # how often the cost so far is saved
_ALONE = (
    "one core trains this run: a call in it decomposes several matrices (singular values or the like), and two workers "
    "in such calls at once can wait for one another for ever; block=1 avoids it, unless one network has several"
)


@checked
def train(
    plan: Plan,
    into: Path | str,
    *,
    watch: Watcher | None = None,
    checkpoint_seconds: Annotated[float, AtLeast(0)] = 20.0,
    allow_long: bool = False,
    other_versions: bool = False,
) -> Run:
    """Train `plan` into the run directory `into`, continuing a run that is already there.

    The finished record depends neither on interruptions nor on the number of cores. At a given block size, a member's
    numbers do not depend on the other members of the fleet. Ctrl-C leaves a resumable run and raises `Interruption`.

    A run is refused before it begins if this machine has too little memory or disk for it, or if it takes more than a
    week, unless `allow_long`. A run that was begun with another JAX or on a processor with other instructions, so that
    bits would differ, is only continued with `other_versions`.
    """
    watch = watch or Silent()
    run = Run(Path(into))
    run.refuse_foreign()
    with telling_full_disk(run.path, f"`nucleate resume {run.path}`"), run.lock():
        run = _prepare(plan, run)
        if run.status != "complete":
            begin_session(plan, run, watch, other_versions=other_versions)
            with resumable(run.path):
                _train_all(plan, run, watch, checkpoint_seconds, allow_long)
    return run


def _prepare(plan: Plan, run: Run) -> Run:
    """Open the run in the folder, or create it; refuse a folder that holds anything else."""
    if (run.path / "run.json").exists():
        run = Run.open(run.path)
        if not _is_of(plan, run):
            raise RunError(
                f"{run.path} holds another plan ({run.about.experiment or 'unknown'}, {run.about.members} members"
                f"{_differences(plan, run)}); delete it, or choose another folder with --out."
            )
        if None not in (before := run.about.code, now := code_of(plan.recipe)) and before != now:
            raise RunError(
                f"{run.path} was trained by other code: {type(plan.recipe).__name__} has been rewritten since. "
                "Delete it to train it again, or choose another folder."
            )
    else:
        about = dict(plan.about) | {
            "code": code_of(plan.recipe),
            "fingerprint": plan.fingerprint(),
            "members": plan.members.count,
            "steps": plan.steps,
            "device": device(),
        }
        run = Run.create(run.path, about)
    if run.status != "complete":
        run.folder.sweep()
    return run


def _is_of(plan: Plan, run: Run) -> bool:
    """Whether `run` is of `plan`: by fingerprint, or as the same config of the same experiment of nucleate's own.

    A fingerprint knows code by its name, so it changes when a class of nucleate is renamed; an experiment's config does
    not, but it may have fields by now that an older run does not know. Users rewrite what they make of a config.
    """
    about = run.about
    if about.by is not None:
        return False
    if about.fingerprint in (None, plan.fingerprint()):
        return True
    if type(plan.recipe).__module__.split(".")[0] != "nucleate":
        return False
    asked = {key: plan.about.get(key) for key in ("experiment", "config")}
    if asked["config"] is not None and about.config is not None:
        asked["config"] = {name: value for name, value in asked["config"].items() if name in about.config}
    asked |= {"members": plan.members.count, "steps": plan.steps}
    same = None not in asked.values() and as_attr(asked) == as_attr({key: getattr(about, key) for key in asked})
    return same and has_members(plan, run)


def _differences(plan: Plan, run: Run) -> str:
    """What is otherwise in the config of a plan than in that of a run, for a message."""
    held, asked = run.about.config or {}, plan.about.get("config") or {}
    other = [name for name in held if name in asked and as_attr({name: held[name]}) != as_attr({name: asked[name]})]
    return "".join(f"; {name} = {shown(held[name])}, not {shown(asked[name])}" for name in other[:3])


def has_members(plan: Plan, run: Run) -> bool:
    """Whether the run's record, if it is there yet, has the members of the plan: seeds and hyperparameters."""
    if run.about.block is None:
        return True
    record = open_record(run.record_path, complete=False)
    return all(name in record and np.array_equal(record[name], column) for name, column in plan.members.items())


@machine.one_thread_each()
def _train_all(plan: Plan, run: Run, watch: Watcher, checkpoint_seconds: float, allow_long: bool) -> None:
    before, began = run.about.seconds, time.monotonic()

    def spent() -> float:
        return round(before + time.monotonic() - began, 2)

    machine.use_compile_cache()
    devices = machine.workers()
    count = plan.members.count
    watch.begin(plan.about.get("experiment", run.path.name), count * plan.steps, detail=f"{count} members")
    try:
        needs = Needs(plan, run.path, len(devices))
        layout, programs = _layout(plan, run, needs, watch, allow_long)
        block = run.about.block or 1
        if len(devices) > 1 and not needs.may_share(block):
            devices = devices[:1]
            watch.tell(_ALONE)
        run.checkpoints.mkdir(exist_ok=True)
        work = Work(
            layout,
            programs,
            needs.timeline(),
            Store(run.record_path),
            run.checkpoints,
            checkpoint_seconds,
            threading.Event(),
            watch.advance,
            contextlib.nullcontext() if needs.may_start(block) else threading.Lock(),
        )
        run.update(status="running")
        _work_through(work, devices, tick=lambda: run.update(seconds=spent()))
        run.update(status="complete", seconds=spent())
    except (KeyboardInterrupt, StopRequested):
        with machine.undisturbed():
            run.update(status="interrupted", seconds=spent())
        raise KeyboardInterrupt from None
    except ValueError:
        if run.about.block is None:  # a plan that cannot be trained: nothing of it is left to be resumed
            (run.path / "run.json").unlink()
        raise
    finally:
        watch.end()


def _layout(
    plan: Plan, run: Run, needs: Needs, watch: Watcher, allow_long: bool
) -> tuple[Layout, dict[tuple, Program]]:
    """Group the members, fix block and shard sizes (or read what the run fixed before), and lay out the record."""
    about = run.about
    groups = _grouped(plan, watch, needs, begun=about.block is not None)
    block = about.block or _block(plan, groups, needs, watch, allow_long)
    size = about.shard_size or shard_size(plan.members.count, block, needs.workers)
    programs = (
        needs.programs if block == 1 else {group: Program(plan.recipe, dict(group[0]), block) for group in groups}
    )
    layout = Layout(plan, size, largest_shapes(plan, needs.shapes))
    if about.block is None:
        begin_record(run, layout)
        run.update(block=block, shard_size=size, groups=len(groups))
    else:
        recheck_record(run, layout)
    return layout, programs


def _block(plan: Plan, groups: dict[tuple, list[int]], needs: Needs, watch: Watcher, allow_long: bool) -> int:
    """The block size of a run that begins, if it takes no longer than it may; and tell what it needs."""
    largest = max(groups, key=lambda group: len(groups[group]))
    long = not allow_long and needs.may_be_long()
    pace = choose_block(plan, largest, watch.say, one_by_one=not needs.may_share(2), may_be_long=long)
    if not allow_long:
        needs.require_time(pace.speed)
    watch.tell(needs.in_words(pace.speed))
    return pace.block


def _grouped(plan: Plan, watch: Watcher, needs: Needs, *, begun: bool) -> dict[tuple, list[int]]:
    """The members of each program. Makes their data on the way, which takes minutes where they are simulated."""
    groups: dict[tuple, list[int]] = {}
    count, began, told = plan.members.count, time.monotonic(), -1.0
    for member in range(count):
        machine.stop_if_asked()
        spent = time.monotonic() - began
        if spent - told > 0.5:
            told = spent
            left = f", about {spent / member * (count - member):.0f} s left" if member else ""
            watch.say(f"making the data of member {member + 1} of {count}{left}")
        group = plan.group(member)
        if group not in groups:
            needs.see(group, member)
        if not begun and (group not in groups or member == 1):
            needs.see_data(member)
            needs.require_room()
        groups.setdefault(group, []).append(member)
    watch.say("")
    return groups


def _work_through(work: Work, devices: list, tick: Callable[[], None]) -> None:
    """Let each worker take the next shard until none is left. The first failure stops all of them at a checkpoint."""
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number, shard in enumerate(work.layout.shards):
        if done_file(work.checkpoints, number).exists():
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
    _start_and_wait(threads, work.stop, tick)
    for failure in sorted(failures, key=lambda failure: isinstance(failure, StopRequested)):
        raise failure
    if not todo.empty():
        raise StopRequested


def _start_and_wait(threads: list[threading.Thread], stop: threading.Event, tick: Callable[[], None]) -> None:
    """Run threads to their end, which Ctrl-C, however often it is pressed, only brings nearer: no thread may still be
    writing when the lock is released."""
    told, started = time.monotonic(), []
    with machine.undisturbed():
        try:
            for thread in threads:
                thread.start()
                started.append(thread)
            while alive := [thread for thread in threads if thread.is_alive()]:
                if machine.asked_to_stop():
                    stop.set()
                alive[0].join(timeout=0.1)
                if time.monotonic() - told > _TELL_SECONDS:
                    told = time.monotonic()
                    with contextlib.suppress(OSError, RunError):  # a full disk is reported by the workers
                        tick()
        finally:
            stop.set()
            for thread in started:
                thread.join()
