"""What the run of a plan would take, told before anything of it is trained."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nucleate import machine
from nucleate.checking import Count, checked
from nucleate.fleet.estimate import Needs
from nucleate.fleet.layout import Layout, largest_shapes, shard_size
from nucleate.fleet.plan import Plan
from nucleate.fleet.speeds import Pace, expected_pace

_KINDS = 8  # of networks, which differ in their static columns, that are looked at
_REPEATED = 3  # times that data are made, of which the first may compile something
_LONG = 2.0  # seconds of data that are not made again


@dataclass(frozen=True)
class Forecast:
    """What a run would take, as far as a few of its networks tell.

    `making`: seconds for the data of all networks. `labour`: seconds of one worker for all steps, by `pace`. `record`:
    bytes, before they are compressed. `files`: of the record. `shards`: the pieces in which workers take the run, each
    from its first step to its last. `most_shards`: with any number of workers.
    """

    networks: int
    steps: int
    workers: int
    pace: Pace
    making: float
    labour: float
    record: int
    files: int
    shards: int
    most_shards: int

    @property
    def seconds(self) -> float:
        """From the beginning to the end: workers take shards until none is left."""
        return self.making + -(-self.shards // self.workers) * self.shard_seconds

    @property
    def shard_seconds(self) -> float:
        """What one worker needs for one shard."""
        return self.labour / self.shards


@checked
def forecast(
    plan: Plan, workers: Count | None = None, *, say: Callable[[str], None] = lambda message: None
) -> Forecast:
    """What the run of a plan would take with the cores of this machine or, of a cluster, with `workers` as fast.

    Nothing is trained. Data are made for a few networks: of each kind that has a program of its own, or of eight kinds
    that stand for those near them. The speed is that of the first steps of the real program, the heaviest one; it is
    measured once on this machine and then remembered, beside the programs that were compiled. `say` is told what is
    being done.
    """
    machine.use_compile_cache()
    needs = Needs(plan, Path(), workers or len(machine.workers()), here=workers is None)
    kinds: dict[tuple, np.ndarray] = {}
    making = 0.0
    for neighbours in _kinds(plan):
        kind, count = neighbours[-1], sum(map(len, neighbours))
        say("making data")
        making += count * _seconds_of_data(plan, kind)
        if (group := plan.group(int(kind[0]))) not in kinds:
            needs.see(group, int(kind[0]))
            kinds[group] = kind
        needs.counts[group] += count
    pace = expected_pace(needs, kinds[needs.heaviest].tolist(), say)
    if workers is None and not needs.may_share(pace.cut.block):
        needs.workers = 1
    size = shard_size(plan.members.count, pace.cut.block, needs.workers)
    layout = Layout(plan, size, largest_shapes(plan, needs.shapes))
    return Forecast(
        networks=plan.members.count,
        steps=plan.steps,
        workers=needs.workers,
        pace=pace,
        making=making,
        labour=needs.seconds(pace.speed) * needs.workers,
        record=layout.bytes,
        files=layout.files,
        shards=len(layout.shards),
        most_shards=-(-plan.members.count // pace.cut.block),
    )


def _kinds(plan: Plan) -> list[list[np.ndarray]]:
    """The members of each kind, in the order of the table; kinds that are looked at as one are together."""
    if not plan.recipe.static:
        return [[np.arange(plan.members.count)]]
    static = np.stack([plan.members[name] for name in plan.recipe.static], axis=1)
    _, first, kind = np.unique(static, axis=0, return_index=True, return_inverse=True)
    kinds = [np.flatnonzero(kind.ravel() == number) for number in np.argsort(first)]
    together = np.array_split(np.arange(len(kinds)), min(len(kinds), _KINDS))
    return [[kinds[number] for number in numbers] for numbers in together]


def _seconds_of_data(plan: Plan, kind: Sequence[int] | np.ndarray) -> float:
    """What the data of one of these members take: of a few, the one that took least."""
    spent: list[float] = []
    for member in kind[:_REPEATED]:
        if sum(spent) < _LONG:
            began = time.monotonic()
            plan.datum(int(member))
            spent.append(time.monotonic() - began)
    return min(spent)
