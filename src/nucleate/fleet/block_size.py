"""How many members of a program to advance together on this machine."""

import contextlib
import json
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

import jax
import numpy as np

from nucleate import machine
from nucleate.fleet.plan import Plan
from nucleate.fleet.program import Program
from nucleate.fleet.schedule import timeline
from nucleate.record import RunError, document, write_atomically

_CANDIDATES = {"cpu": (1, 4, 16)}
_ACCELERATOR_CANDIDATES = (8, 64, 512)
# Below this much work, measuring costs more than a better block could save.
_WORTH_MEASURING = 2_000_000


class Pace(NamedTuple):
    """How many members to advance together, and the steps that one worker then takes in a second, if measured."""

    block: int
    speed: float | None


def choose_block(
    plan: Plan, group: tuple, say: Callable[[str], None], *, one_by_one: bool = False, may_be_long: bool = False
) -> Pace:
    """The fastest block size for a group of members: measured once on this machine, then remembered.

    Small runs, and those whose block size is given or must be `one_by_one`, are not measured, unless they
    `may_be_long`.
    """
    platform = jax.default_backend()
    given = plan.block or (1 if one_by_one else None)
    candidates = (given,) if given else _CANDIDATES.get(platform, _ACCELERATOR_CANDIDATES)
    small = plan.members.count * plan.steps < _WORTH_MEASURING
    if not may_be_long and (small or given):
        return Pace(candidates[0], None)
    index = [i for i in range(plan.members.count) if plan.group(i) == group]
    file = machine.cache_folder() / "speeds.json"
    known: dict[str, dict[str, float]] = {}
    with contextlib.suppress(RunError):
        known = document.read(Mapping[str, Mapping[str, float]], file)
    name = Program(plan.recipe, dict(group[0]), 1).identity(*plan.lanes(index[:1], 1))
    name = f"{platform}-{len(machine.workers())}-{name}"
    fitting = [lanes for lanes in candidates if lanes <= len(index)] or candidates[:1]
    speeds = {lanes: known.get(name, {}).get(str(lanes), 0.0) for lanes in fitting}
    if not all(speed > 0 for speed in speeds.values()):
        say("measuring the block size")
        speeds = {lanes: _speed(plan, group, index, lanes) for lanes in fitting}
        known[name] = known.get(name, {}) | {str(lanes): speed for lanes, speed in speeds.items()}
        with contextlib.suppress(OSError):
            write_atomically(file, json.dumps(known, indent=1).encode())
        say("")
    block = max(speeds, key=speeds.__getitem__)
    return Pace(block, speeds[block])


def _speed(plan: Plan, group: tuple, index: list[int], lanes: int, seconds: float = 0.3) -> float:
    """Model-steps per second of one worker, the best of a few short runs."""
    program = Program(plan.recipe, dict(group[0]), lanes)
    inputs = plan.lanes(index[:lanes], lanes)
    state = program.start(*inputs)
    chunk = timeline(plan.schedules, max(plan.steps, 1))[0]
    blank = {axis: np.zeros_like(looks) for axis, looks in chunk.looks.items()}
    gap = np.zeros_like(chunk.gap)
    best, steps = 0.0, 4
    state, _ = jax.block_until_ready(program.chunk(state, *inputs, gap, blank))
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        machine.stop_if_asked()
        gap[0] = steps
        begin = time.monotonic()
        state, _ = jax.block_until_ready(program.chunk(state, *inputs, gap, blank))
        spent = time.monotonic() - begin
        best = max(best, lanes * steps / spent)
        steps = max(steps, int(steps * 0.05 / spent))
    return best
