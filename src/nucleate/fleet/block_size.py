"""How many members of a program to advance together on this machine."""

import contextlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
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
    """How many members to advance together, the steps that one worker then takes in a second, if measured, and whether
    that was measured before."""

    block: int
    speed: float | None
    remembered: bool = False


def choose_block(
    plan: Plan,
    members: Sequence[int],
    say: Callable[[str], None],
    *,
    one_by_one: bool = False,
    may_be_long: bool = False,
) -> Pace:
    """The fastest block size for members of one group: measured once on this machine, then remembered.

    Small runs, and those whose block size is given or must be `one_by_one`, are not measured, unless they
    `may_be_long`.
    """
    candidates = _candidates(plan, members, one_by_one)
    if not may_be_long and (_is_small(plan) or plan.block or one_by_one):
        return Pace(candidates[0], None)
    return _Speeds(plan, members).fastest(candidates, say)


def expected_pace(plan: Plan, members: Sequence[int], say: Callable[[str], None], *, one_by_one: bool = False) -> Pace:
    """The block size that a run would choose, and its speed, if that is remembered; else the smallest, measured, which
    takes less time than the choice."""
    candidates, speeds = _candidates(plan, members, one_by_one), _Speeds(plan, members)
    if _is_small(plan) or not speeds.remembers(candidates):
        candidates = candidates[:1]
    return speeds.fastest(candidates, say)


def _candidates(plan: Plan, members: Sequence[int], one_by_one: bool) -> tuple[int, ...]:
    if given := plan.block or (1 if one_by_one else None):
        return (given,)
    candidates = _CANDIDATES.get(jax.default_backend(), _ACCELERATOR_CANDIDATES)
    return tuple(lanes for lanes in candidates if lanes <= len(members)) or candidates[:1]


def _is_small(plan: Plan) -> bool:
    return plan.members.count * plan.steps < _WORTH_MEASURING


class _Speeds:
    """Of the program of some members, by block size: what is remembered beside the compiled programs, and measured."""

    def __init__(self, plan: Plan, members: Sequence[int]):
        self._plan, self._members = plan, members
        self._file = machine.cache_folder() / "speeds.json"
        program = Program(plan.recipe, dict(plan.group(members[0])[0]), 1, plan.keep_weights)
        identity = program.identity(*plan.lanes([members[0]], 1))
        self._name = f"{jax.default_backend()}-{len(machine.workers())}-{identity}"
        self._known = dict(self._remembered().get(self._name, {}))

    def remembers(self, candidates: Sequence[int]) -> bool:
        return all(self._known.get(str(lanes), 0.0) > 0 for lanes in candidates)

    def fastest(self, candidates: Sequence[int], say: Callable[[str], None]) -> Pace:
        if not (remembered := self.remembers(candidates)):
            say("measuring the block size")
            self._measure(candidates)
            say("")
        block = max(candidates, key=lambda lanes: self._known[str(lanes)])
        return Pace(block, self._known[str(block)], remembered)

    def _measure(self, candidates: Sequence[int]) -> None:
        self._known |= {str(lanes): _speed(self._plan, self._members, lanes) for lanes in candidates}
        with contextlib.suppress(OSError):
            write_atomically(self._file, json.dumps(self._remembered() | {self._name: self._known}, indent=1).encode())

    def _remembered(self) -> dict[str, Mapping[str, float]]:
        with contextlib.suppress(RunError):
            return {**document.read(Mapping[str, Mapping[str, float]], self._file)}
        return {}


def _speed(plan: Plan, members: Sequence[int], lanes: int, seconds: float = 0.3) -> float:
    """Model-steps per second of one worker, the best of a few short runs."""
    program = Program(plan.recipe, dict(plan.group(members[0])[0]), lanes, plan.keep_weights)
    inputs = plan.lanes([*members[:lanes]], lanes)
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
