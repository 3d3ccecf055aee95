"""Train a fleet into a run directory, resumably, on every core."""

import contextlib
import threading
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from nucleate import machine
from nucleate.checking import AtLeast, checked, shown
from nucleate.fleet.allow import Allow
from nucleate.fleet.code import code_of
from nucleate.fleet.cut import Cut, cut_of, first_cut
from nucleate.fleet.estimate import Needs
from nucleate.fleet.executor import Executor, executor_on
from nucleate.fleet.interruption import resumable
from nucleate.fleet.layout import Layout, largest_shapes, shard_size
from nucleate.fleet.origin import origin_of
from nucleate.fleet.plan import Plan
from nucleate.fleet.program import Program
from nucleate.fleet.progress import Watcher, usual_watcher
from nucleate.fleet.recording import begin_record, recheck_record
from nucleate.fleet.sessions import device, settle_pieces
from nucleate.fleet.shard import StopRequested, Work, shards_done
from nucleate.fleet.speeds import choose_cut
from nucleate.fleet.trained import Trained
from nucleate.record import MadeBy, Run, RunError, Store, as_attr, columns, open_record
from nucleate.record.disk import telling_full_disk


@checked
def train(
    plan: Plan,
    into: Path | str,
    *,
    on: Any = None,
    watch: Watcher | None = None,
    checkpoint_seconds: Annotated[float, AtLeast(0)] = 20.0,
    allow: Allow = Allow.NOTHING,
) -> Trained:
    """Train `plan` into the run directory `into`, continuing a run that is already there.

    The finished record depends neither on interruptions nor on the number of cores. For a given way to cut
    up the work, which run.json keeps, a member's numbers do not depend on the other members of the fleet. Ctrl-C leaves
    a resumable run and raises `Interruption`.

    `on`: the client of a Dask cluster whose workers train, and see the same folder; left out, the cores of this machine
    do. The record is the same. Workers may die, be taken away and come; if this process dies, they stop by themselves
    within half a minute.

    A run is refused before it begins if this machine has too little memory or disk for it, or if it takes more than a
    week, unless `Allow.LONG`. A run that was begun with another JAX or on a processor with other instructions, so that
    bits would differ, is only continued with `Allow.OTHER_VERSIONS`.

    `watch`: what shows how far it is; left out, a `Bar` in terminals and notebooks.
    """
    watch = watch or usual_watcher()
    run = Run(Path(into))
    run.refuse_foreign()
    with telling_full_disk(run.path, f"`nucleate resume {run.path}`"), run.lock():
        run = _prepare(plan, run)
        if run.status != "complete":
            executor = executor_on(on, run)
            with resumable(run.path):
                try:
                    settle_pieces(plan, run, allow)
                    executor.prepare(plan, run, watch, allow)
                    _train_all(plan, run, executor, watch, checkpoint_seconds, allow)
                finally:
                    executor.finish()
    return Trained(run.path, plan.recipe)


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
        _note_where(plan, run)
    else:
        about = {**plan.about, **origin_of(plan)} | {
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


def _note_where(plan: Plan, run: Run) -> None:
    """Users move files: note where what made the run is now."""
    made_by = origin_of(plan).get("made_by")
    if made_by and made_by["file"] and run.about.made_by != MadeBy(**made_by):
        run.update(made_by=made_by)


def _is_of(plan: Plan, run: Run) -> bool:
    """Whether `run` is of `plan`: by fingerprint, or as the same config of the same experiment of nucleate's own.

    A fingerprint knows code by its name, so it changes when a class of nucleate is renamed; an experiment's config does
    not, but it may have fields by now that an older run does not know. Users rewrite what they make of a config.
    """
    about = run.about
    if about.by is not None:
        return False
    if about.keep_weights is not None and about.keep_weights != origin_of(plan)["keep_weights"]:
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
    held = columns(open_record(run.record_path, complete=False))
    return all(name in held and np.array_equal(held[name], column) for name, column in plan.members.items())


@machine.one_thread_each()
def _train_all(
    plan: Plan, run: Run, executor: Executor, watch: Watcher, checkpoint_seconds: float, allow: Allow
) -> None:
    before, began = run.about.seconds, time.monotonic()

    def spent() -> float:
        return round(before + time.monotonic() - began, 2)

    count = plan.members.count
    watch.begin(plan.about.get("experiment", run.path.name), count * plan.steps, detail=f"{count} members")
    try:
        needs = Needs(plan, run.path, executor.workers, executor.here)
        layout, programs = _layout(plan, run, needs, watch, allow)
        block = run.about.block or 1
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
            watch.tell,
            not needs.may_share(block),
            contextlib.nullcontext() if needs.may_start(block) else threading.Lock(),
        )
        run.update(status="running")
        executor.work_through(work, _left(work), tick=lambda: run.update(seconds=spent()))
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


def _left(work: Work) -> list[int]:
    """The shards that are still to be trained; steps of the others count as done."""
    done, shards = set(shards_done(work)), work.layout.shards
    if done:
        work.advance(sum(len(shards[number]) for number in done) * work.layout.plan.steps)
    return [number for number in range(len(shards)) if number not in done]


def _layout(plan: Plan, run: Run, needs: Needs, watch: Watcher, allow: Allow) -> tuple[Layout, dict[tuple, Program]]:
    """Group the members, fix how they are cut up (or read what the run fixed before), and lay out the record."""
    about = run.about
    groups = _grouped(plan, watch, needs, begun=about.block is not None)
    needs.counts.update({group: len(members) for group, members in groups.items()})
    cut = cut_of(plan, about) or _cut(groups, needs, watch, allow)
    size = about.shard_size or shard_size(plan.members.count, cut.block, needs.workers)
    programs = (
        needs.programs
        if cut == first_cut(plan)
        else {group: Program(plan.recipe, dict(group[0]), cut, plan.keep_weights) for group in groups}
    )
    layout = Layout(plan, size, largest_shapes(plan, needs.shapes))
    if about.block is None:
        begin_record(run, layout)
        run.update(**cut._asdict(), shard_size=size, groups=len(groups))
    else:
        recheck_record(run, layout)
    return layout, programs


def _cut(groups: dict[tuple, list[int]], needs: Needs, watch: Watcher, allow: Allow) -> Cut:
    """How a run that begins is cut up, if it takes no longer than it may; and tell what it needs."""
    limited = Allow.LONG not in allow
    pace = choose_cut(needs, groups[needs.heaviest], watch.say, may_be_long=limited and needs.may_be_long())
    if limited:
        needs.require_time(pace.speed)
    watch.tell(needs.in_words(pace.speed))
    return pace.cut


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
        if group not in groups or member == 1:
            needs.see_data(member)
            if not begun:
                needs.require_room()
        groups.setdefault(group, []).append(member)
        if member and not needs.may_keep_data:
            plan.forget([member])
    watch.say("")
    return groups
