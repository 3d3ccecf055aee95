"""How to cut up the work of a run on this machine: what was fastest when it was measured."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import jax
import numpy as np

from nucleate import machine
from nucleate.fleet.cut import Cut, counts
from nucleate.fleet.estimate import Needs
from nucleate.fleet.plan import Plan
from nucleate.fleet.program import Program
from nucleate.fleet.schedule import timeline
from nucleate.record import RunError, document, write_atomically

_CANDIDATES = {"cpu": (1, 4, 16)}
_ACCELERATOR_CANDIDATES = (8, 64, 512)
# Below this much work, measuring costs more than a better block could save: network-steps, and the multiplications of
# all of them where only pieces are to be chosen, whose steps take long.
_WORTH_MEASURING, _WORTH_CUTTING = 2_000_000, 3 * 10**13


class Pace(NamedTuple):
    """How the work is cut up, the network-steps that one worker then takes in a second, if measured, and whether that
    was measured before."""

    cut: Cut
    speed: float | None
    remembered: bool = False


class _Options(NamedTuple):
    """What there is to choose from: `first` are tried in blocks of the smallest size, then all `blocks`."""

    first: list[Cut]
    blocks: tuple[int, ...]

    def fastest(self, speed: Callable[[Cut], float]) -> Cut:
        best = max(self.first, key=speed) if len(self.first) > 1 else self.first[0]
        if len(self.blocks) == 1:
            return best
        return max((best._replace(block=block) for block in self.blocks), key=speed)


def choose_cut(needs: Needs, members: Sequence[int], say: Callable[[str], None], *, may_be_long: bool = False) -> Pace:
    """The fastest way to cut up the work of members of one group: measured once on this machine, then remembered.

    Small runs, and those that leave no choice, are not measured, unless they `may_be_long`.
    """
    options = _options(needs, members)
    if not may_be_long:
        options = _worthwhile(needs, options)
        if len(options.first) == len(options.blocks) == 1:
            return Pace(options.first[0], None)
    return _Speeds(needs, members).fastest(options, say)


def expected_pace(needs: Needs, members: Sequence[int], say: Callable[[str], None]) -> Pace:
    """What a run would choose, and its speed, if that is remembered; else the first candidate, measured, which takes
    less time than the choice."""
    options, speeds = _worthwhile(needs, _options(needs, members)), _Speeds(needs, members)
    if not speeds.remembers(options):
        options = _Options(options.first[:1], options.blocks[:1])
    return speeds.fastest(options, say)


def _options(needs: Needs, members: Sequence[int]) -> _Options:
    plan = needs.plan
    blocks = _blocks(plan, members, one_by_one=not needs.may_share(2))
    pieces = (plan.microbatches,) if plan.microbatches else counts(plan.recipe)
    return _Options([Cut(blocks[0], count) for count in pieces], blocks)


def _blocks(plan: Plan, members: Sequence[int], one_by_one: bool) -> tuple[int, ...]:
    if given := plan.block or (1 if one_by_one else None):
        return (given,)
    candidates = _CANDIDATES.get(jax.default_backend(), _ACCELERATOR_CANDIDATES)
    return tuple(lanes for lanes in candidates if lanes <= len(members)) or candidates[:1]


def _worthwhile(needs: Needs, options: _Options) -> _Options:
    """Without what is not worth measuring."""
    steps = needs.plan.members.count * needs.plan.steps
    first = options.first if steps * needs.products[needs.heaviest] >= _WORTH_CUTTING else options.first[:1]
    return _Options(first, options.blocks if steps >= _WORTH_MEASURING else options.blocks[:1])


class _Speeds:
    """Of the program of some members, by how they are cut up: what is remembered beside the compiled programs, and
    measured."""

    def __init__(self, needs: Needs, members: Sequence[int]):
        self._needs, self._plan, self._members = needs, (plan := needs.plan), members
        self._file = machine.cache_folder() / "speeds.json"
        program = Program(
            plan.recipe, dict(plan.group(members[0])[0]), Cut(1, counts(plan.recipe)[0]), plan.keep_weights
        )
        identity = program.identity(*plan.lanes([members[0]], 1))
        self._name = f"{jax.default_backend()}-{len(machine.workers())}-{identity}"
        self._known = dict(self._remembered().get(self._name, {}))

    def remembers(self, options: _Options) -> bool:
        try:
            self._recall(options.fastest(self._recall))
        except KeyError:
            return False
        return True

    def fastest(self, options: _Options, say: Callable[[str], None]) -> Pace:
        if not (remembered := self.remembers(options)):
            say("measuring how to cut up the work")
        cut = options.fastest(self._find)
        pace = Pace(cut, self._find(cut), remembered)
        if not remembered:
            say("")
        return pace

    def _recall(self, cut: Cut) -> float:
        return self._known[_named(cut, self._abreast(cut))]

    def _find(self, cut: Cut) -> float:
        with contextlib.suppress(KeyError):
            return self._recall(cut)
        abreast = self._abreast(cut)
        self._known[_named(cut, abreast)] = _speed(self._plan, self._members, cut, abreast)
        with contextlib.suppress(OSError):
            write_atomically(self._file, json.dumps(self._remembered() | {self._name: self._known}, indent=1).encode())
        return self._recall(cut)

    def _abreast(self, cut: Cut) -> int:
        """How many workers train side by side, which share caches and the path to memory."""
        if not self._needs.may_share(cut.block):
            return 1
        return min(len(machine.workers()), -(-self._plan.members.count // cut.block))

    def _remembered(self) -> dict[str, Mapping[str, float]]:
        with contextlib.suppress(RunError):
            return {**document.read(Mapping[str, Mapping[str, float]], self._file)}
        return {}


def _named(cut: Cut, abreast: int) -> str:
    """1 member in 4 pieces, 2 abreast"""
    return f"{cut.block} in {cut.microbatches}, {abreast} abreast"


def _speed(plan: Plan, members: Sequence[int], cut: Cut, abreast: int) -> float:
    """Network-steps a second of one worker while as many as will train do the same."""
    program = Program(plan.recipe, dict(plan.group(members[0])[0]), cut, plan.keep_weights)
    given = plan.lanes([*members[: cut.block]], cut.block)
    trials = [_Trial(program, plan, jax.device_put(given, device)) for device in machine.workers()[:abreast]]
    together = threading.Barrier(abreast)
    # A KeyboardInterrupt between a pool's locks would leave its threads waiting for ever.
    with machine.undisturbed(), ThreadPoolExecutor(abreast) as pool:
        return cut.block * sum(pool.map(lambda trial: trial.pace(together), trials)) / abreast


class _Trial:
    """A block of members that is advanced to see how fast that is."""

    def __init__(self, program: Program, plan: Plan, inputs: Any):
        chunk = timeline(plan.schedules, max(plan.steps, 1))[0]
        self._program, (self._data, self._member) = program, inputs
        self._state = program.start(*inputs)
        self._looks = {axis: np.zeros_like(looks) for axis, looks in chunk.looks.items()}
        self._gap = np.zeros_like(chunk.gap)
        self._seconds(0)  # compiles

    def pace(self, together: threading.Barrier, seconds: float = 0.3) -> float:
        """Steps a second: the best of a few short runs, all of them, but for a single one, while others are at it."""
        best, steps = 0.0, 4
        together.wait()
        deadline = time.monotonic() + seconds
        while not best or time.monotonic() < deadline:
            machine.stop_if_asked()
            spent = self._seconds(steps)
            if not best or time.monotonic() < deadline:
                best = max(best, steps / spent)
            steps = max(steps, int(steps * 0.05 / spent))
        return best

    def _seconds(self, steps: int) -> float:
        self._gap[0] = steps
        begin = time.monotonic()
        chunk = self._program.chunk(self._state, self._data, self._member, self._gap, self._looks)
        self._state, _ = jax.block_until_ready(chunk)
        return time.monotonic() - begin
