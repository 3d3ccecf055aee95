"""How fast fleets train, as a user calls `nucleate.fleet.train`, recording included."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from nucleate.fleet import Plan, train

Planned = Callable[[str, int], Plan]
"""A plan by its name and its number of steps."""


def network_steps(planned: Planned, networks: int, steps: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """Network-steps a second: of what a run of `steps` takes longer than one of a fifth of them.

    What a run takes however long it is, `fixed_seconds` tells; loops of PyTorch are timed without their start, too.
    """
    short = max(steps // 5, 1)
    with tempfile.TemporaryDirectory() as folder:
        _seconds(planned("compiling", short), folder, clock)  # the compile cache keeps it
        spent = _seconds(planned("long", steps), folder, clock) - _seconds(planned("short", short), folder, clock)
    return networks * (steps - short) / spent


def fixed_seconds(planned: Planned) -> float:
    """Seconds of a run of one step whose program is in the compile cache."""
    with tempfile.TemporaryDirectory() as folder:
        _seconds(planned("compiling", 1), folder)
        return _seconds(planned("again", 1), folder)


def _seconds(plan: Plan, folder: str, clock: Callable[[], float] = time.perf_counter) -> float:
    for member in range(plan.members.count):
        plan.datum(member)  # made before the clock starts, like PyTorch's tensors
    began = clock()
    train(plan, Path(tempfile.mkdtemp(dir=folder)) / "run")
    return clock() - began
