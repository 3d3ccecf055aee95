"""What a run needs of this machine, estimated before any of it is made: memory, disk and time."""

from collections import Counter
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import jax
import numpy as np

from nucleate.fleet.cut import first_cut
from nucleate.fleet.layout import Layout, largest_shapes, shard_size
from nucleate.fleet.plan import Plan
from nucleate.fleet.program import Program
from nucleate.fleet.schedule import EVENTS, Chunk, timeline
from nucleate.fleet.weights import FINAL, flat_weights
from nucleate.fleet.work import steps_at_once
from nucleate.machine import TooLarge, in_bytes, require_disk, require_memory

LIMIT = 7 * 24 * 3600.0
"""A run that would take longer than a week is refused, unless it is allowed to."""

_ADVICE = "Train fewer or smaller networks, or look less often."
_KEPT = 2**30  # bytes of data that are kept where they are not trained
# No step of a small network on a core is faster than this, measured or not.
_SECONDS, _SECONDS_PER_PARAMETER = 2e-6, 3e-10


@dataclass
class Needs:
    """What the run of a plan in `folder` needs, as far as its members have been seen: one of each group.

    `here`: whether its workers are on this machine. `programs`, `shapes`: those of each group, for one member. `data`:
    bytes of all members' data, but for arrays that they share with the first member. `inputs`, `state`: the most bytes
    that a member has of data, and of parameters with everything that belongs to them. `parameters`: the fewest that a
    member has. `matrices`, `started`: the most that one call decomposes for a member, while it trains and while it is
    started. `products`: the multiplications in a step of a member of each group, and `counts` its members.
    """

    plan: Plan
    folder: Path
    workers: int
    here: bool = True
    programs: dict[tuple, Program] = field(default_factory=dict)
    shapes: dict[tuple, dict[str, jax.ShapeDtypeStruct]] = field(default_factory=dict)
    data: int = 0
    inputs: int = 0
    state: int = 0
    parameters: float = np.inf
    matrices: int = 0
    started: int = 0
    products: dict[tuple, int] = field(default_factory=dict)
    counts: Counter[tuple] = field(default_factory=Counter)

    def see(self, group: tuple, member: int) -> None:
        """Add the group of a member, the first one that was met."""
        cut = first_cut(self.plan)
        self.programs[group] = program = Program(self.plan.recipe, dict(group[0]), cut, self.plan.keep_weights)
        inputs = self.plan.lanes([member], 1)
        state, shapes, matrices, started, self.products[group] = program.outline(*inputs)
        ends = {} if self.plan.keep_weights is None else {FINAL: jax.eval_shape(flat_weights, state.params)}
        self.shapes[group] = shapes | ends
        self.matrices, self.started = max(self.matrices, matrices), max(self.started, started)
        self.inputs = max(self.inputs, _bytes(self.plan.datum(member)))
        self.state = max(self.state, _bytes(state))
        self.parameters = min(self.parameters, sum(leaf.size for leaf in jax.tree.leaves(state.params)))

    def see_data(self, member: int) -> None:
        """Count the data of a member, and as much for every other. Arrays that it shares with the first are free."""
        shared = {id(_owner(leaf)) for leaf in jax.tree.leaves(self.plan.datum(0))}
        own = [leaf for leaf in jax.tree.leaves(self.plan.datum(member)) if id(_owner(leaf)) not in shared]
        self.data = max(self.data, _bytes(own) * self.plan.members.count)

    def timeline(self) -> list[Chunk]:
        """The run in chunks that take a few seconds, or more where members stop by themselves: when that is noticed
        decides how far they come."""
        recipe = self.plan.recipe
        longest = steps_at_once(max(self.products.values()))
        max_gap = recipe.max_gap if recipe.stop else min(recipe.max_gap, longest)
        return list(timeline(self.plan.schedules, self.plan.steps, max_gap=max_gap, longest=longest))

    @property
    def may_keep_data(self) -> bool:
        """Whether the data of all members stay, once they are made: who does not train them needs them only twice, to
        sort the members and to describe them."""
        return self.here or self.data <= _KEPT

    @property
    def layout(self) -> Layout:
        """How the record would be laid out, if no other group came."""
        plan = self.plan
        size = shard_size(plan.members.count, plan.block or 1, self.workers)
        return Layout(plan, size, largest_shapes(plan, self.shapes))

    @property
    def disk(self) -> int:
        """Bytes of the record, before they are compressed."""
        return self.layout.bytes

    @property
    def memory(self) -> int:
        """Bytes of all data, and of what each worker here holds of a shard: data, states before and after, rows."""
        if not self.here:
            return min(self.data, _KEPT)
        layout = self.layout
        looks = {axis: len(steps) for axis, steps in layout.steps.items()}
        rows = sum(
            min(looks[probe.axis], EVENTS) * prod(shape) * dtype.itemsize
            for probe in self.plan.probes
            for shape, dtype in [layout.shapes[probe.name]]
        )
        block = self.plan.block or 1
        lanes = max(min(layout.shard_size, self.plan.members.count), block)  # a block is filled up with copies
        return self.data + self.workers * lanes * (self.inputs + 2 * self.state + 2 * rows)

    @property
    def least_seconds(self) -> float:
        """What the run takes at the very least on CPUs."""
        steps = self.plan.members.count * self.plan.steps / self.workers
        return steps * max(_SECONDS, self.parameters * _SECONDS_PER_PARAMETER)

    def may_share(self, block: int) -> bool:
        """Whether workers may train blocks of this size side by side: see `decompositions`."""
        return self.matrices * block <= 1 or jax.default_backend() != "cpu"

    def may_start(self, block: int) -> bool:
        """Whether workers may start blocks of this size side by side."""
        return self.started * block <= 1 or jax.default_backend() != "cpu"

    def may_be_long(self) -> bool:
        """Whether the run could take longer than `LIMIT`: most steps take a thousand times the least at most."""
        return self.seconds(None) * 1000 > LIMIT

    def require_room(self) -> None:
        """Refuse a run for which this machine has too little memory or disk."""
        what = f"this run of {self.what}"
        require_memory(self.memory, what, _ADVICE)
        require_disk(self.disk, self.folder, f"{what}, for its record,", _ADVICE)

    def require_time(self, speed: float | None) -> None:
        """Refuse a run that takes longer than `LIMIT`; `speed`: steps a second of one worker, if that was measured."""
        seconds = self.seconds(speed)
        if seconds > LIMIT:
            raise TooLarge(
                f"this run of {self.what} takes {'about' if speed else 'at least'} {in_days(seconds)} on this machine. "
                "Train fewer networks or steps, or ask for it all the same: --allow-long, or "
                "train(..., allow=Allow.LONG)."
            )

    @property
    def heaviest(self) -> tuple:
        """The group with most of the work."""
        return max(self.counts, key=lambda group: self.counts[group] * self._cost(group))

    def seconds(self, speed: float | None) -> float:
        """What the run takes if that is the speed of the heaviest group, and steps of others take as long as they have
        multiplications; the least it can take if no speed was measured."""
        if speed:
            cost = sum(count * self._cost(group) for group, count in self.counts.items())
            return cost / self._cost(self.heaviest) * self.plan.steps / (speed * self.workers)
        return self.least_seconds if jax.default_backend() == "cpu" else 0.0

    def _cost(self, group: tuple) -> int:
        return max(self.products[group], 1)

    @property
    def what(self) -> str:
        """120 networks × 10,000 steps"""
        count, steps = self.plan.members.count, self.plan.steps
        return f"{count:,} network{'s' * (count > 1)} × {steps:,} step{'s' * (steps > 1)}"

    def in_words(self, speed: float | None) -> str:
        """120 networks × 10,000 steps; record at most 14 MB; about 3 min"""
        time = f"; about {in_days(self.seconds(speed))}" if speed else ""
        return f"{self.what}; record at most {in_bytes(self.disk)}{time}"


def in_days(seconds: float) -> str:
    """A duration, for a reader.

    >>> in_days(30), in_days(200), in_days(10_000), in_days(1e6), in_days(1e9)
    ('30 s', '3.3 min', '2.8 h', '12 days', '31.7 years')
    """
    for unit, length, most in (("s", 1, 90), ("min", 60, 90), ("h", 3600, 48), ("days", 86400, 700)):
        if seconds < most * length:
            return f"{seconds / length:.2g} {unit}"
    return f"{seconds / 86400 / 365.25:,.3g} years"


def _bytes(tree: Any) -> int:
    return sum(
        int(np.prod(np.shape(leaf), dtype=object)) * np.result_type(leaf).itemsize for leaf in jax.tree.leaves(tree)
    )


def _owner(array: Any) -> Any:
    """The array whose memory this one shows."""
    while isinstance(getattr(array, "base", None), np.ndarray):
        array = array.base
    return array
