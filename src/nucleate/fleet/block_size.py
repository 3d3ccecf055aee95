"""How many members of a program to advance together on this machine."""

import contextlib
import json
import time
from collections.abc import Callable

import jax
import numpy as np

from nucleate import machine
from nucleate.fleet.plan import Plan
from nucleate.fleet.program import Program
from nucleate.fleet.schedule import timeline
from nucleate.record import write_atomically

_CANDIDATES = {"cpu": (1, 4, 16)}
_ACCELERATOR_CANDIDATES = (8, 64, 512)
# Below this much work, measuring costs more than a better block could save.
_WORTH_MEASURING = 2_000_000


<<<<<<< HEAD:src/nucleate/fleet/block_size.py
=======
def cache_folder() -> Path:
    """Where compiled programs and measured block sizes are kept between runs."""
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "nucleate"


def use_compile_cache() -> None:
    """Cache compiled programs on disk, so that the next run of a program starts at once."""
    if jax.config.values["jax_compilation_cache_dir"] is None:
        jax.config.update("jax_compilation_cache_dir", str(cache_folder() / "xla"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)


def workers() -> list[Any]:
    """One device for each training thread: a thread per CPU core, or per accelerator.

    Threads share the single CPU device that JAX presents: executions on it run side by side, and a program is compiled
    once for all cores.
    """
    devices = jax.local_devices()
    if devices[0].platform != "cpu":
        return devices
    return devices[:1] * len(os.sched_getaffinity(0))


>>>>>>> english:src/nucleate/fleet/machine.py
def choose_block(plan: Plan, group: tuple, say: Callable[[str], None]) -> int:
    """The fastest block size for a group of members: measured once on this machine, then remembered."""
    if plan.block is not None:
        return plan.block
    platform = jax.default_backend()
    candidates = _CANDIDATES.get(platform, _ACCELERATOR_CANDIDATES)
    if plan.members.count * plan.steps < _WORTH_MEASURING:
        return candidates[0]
    index = [i for i in range(plan.members.count) if plan.group(i) == group]
    file = machine.cache_folder() / "blocks.json"
    known = {}
    with contextlib.suppress(OSError, ValueError):
        known = json.loads(file.read_text(encoding="utf-8"))
    name = Program(plan.recipe, dict(group[0]), 1).identity(*plan.lanes(index[:1], 1))
    name = f"{platform}-{len(machine.workers())}-{name}"
    if name not in known:
        say("measuring the block size")
        fitting = [lanes for lanes in candidates if lanes <= len(index)] or candidates[:1]
        speed = {lanes: _speed(plan, group, index, lanes) for lanes in fitting}
        known[name] = max(speed, key=speed.__getitem__)
        with contextlib.suppress(OSError):
            write_atomically(file, json.dumps(known, indent=1).encode())
        say("")
    return known[name]


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
        gap[0] = steps
        begin = time.monotonic()
        state, _ = jax.block_until_ready(program.chunk(state, *inputs, gap, blank))
        spent = time.monotonic() - begin
        best = max(best, lanes * steps / spent)
        steps = max(steps, int(steps * 0.05 / spent))
    return best
