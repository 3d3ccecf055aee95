"""How a plan's record is laid out in the store."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import xarray as xr

from nucleate.checking import conform
from nucleate.fleet.plan import Plan
from nucleate.fleet.weights import FINAL, WHICH
from nucleate.record import NEVER, Outcome, Variable, as_attr
from nucleate.record.schema import OUTCOME_ATTRS, refuse_clashing_sizes

_CHUNK_BYTES = 2**21
_LARGEST_SHARD = 64
_SHARDS_PER_WORKER = 8
_ENDS = {"long_name": "weights of the network at its last step"}


@dataclass(frozen=True)
class Layout:
    """The shards and chunks of a record.

    A shard is a range of members trained by one worker: the unit of work, of checkpointing and of storage. `shapes`:
    shape and dtype of each probe's value, and of the weights at the end if they are kept, the largest in the fleet.
    """

    plan: Plan
    shard_size: int
    shapes: dict[str, tuple[tuple[int, ...], np.dtype]]

    @cached_property
    def shards(self) -> list[range]:
        count = self.plan.members.count
        return [range(i, min(i + self.shard_size, count)) for i in range(0, count, self.shard_size)]

    @cached_property
    def steps(self) -> dict[str, np.ndarray]:
        """The recorded steps of each axis."""
        return {axis: schedule.at(self.plan.steps) for axis, schedule in self.plan.schedules.items()}

    @cached_property
    def rows_per_chunk(self) -> dict[str, int]:
        """The number of steps of an axis stored in one chunk."""
        rows = {}
        for axis, steps in self.steps.items():
            names = [probe.name for probe in self.plan.probes if probe.axis == axis]
            largest = max(int(np.prod(self.shapes[n][0])) * self.shapes[n][1].itemsize for n in names)
            rows[axis] = max(1, min(_CHUNK_BYTES // (largest * self.shard_size), len(steps)))
        return rows

    def variables(self) -> list[Variable]:
        """Every streamed variable."""
        count = self.plan.members.count
        size = min(self.shard_size, count)
        per_member = {"outcome": (np.dtype("int8"), OUTCOME_ATTRS), "last_step": (np.dtype("int32"), {})}
        for crossing in self.plan.recipe.crossings:
            per_member[f"{crossing.name}_step"] = (
                np.dtype("int32"),
                {"first_step_with": crossing.rule, "never": NEVER},
            )
        variables = [
            Variable(name, ("member",), (count,), dtype, (size,), attrs) for name, (dtype, attrs) in per_member.items()
        ]
        if FINAL in self.shapes:
            shape, dtype = self.shapes[FINAL]
            variables.append(Variable(FINAL, ("member", WHICH), (count, *shape), dtype, (size, *shape), _ENDS))
        for probe in self.plan.probes:
            shape, dtype = self.shapes[probe.name]
            rows = len(self.steps[probe.axis])
            variables.append(
                Variable(
                    probe.name,
                    ("member", probe.axis, *probe.dims),
                    (count, rows, *shape),
                    dtype,
                    (size, self.rows_per_chunk[probe.axis], *shape),
                    dict(probe.attrs),
                )
            )
        return variables

    @property
    def bytes(self) -> int:
        """Of all streamed variables, before they are compressed."""
        return sum(prod(v.shape) * v.dtype.itemsize for v in self.variables())

    @property
    def files(self) -> int:
        """Of the record: chunks and descriptions, also of columns and steps, but not of what the recipe describes."""
        chunks = [prod(-(-s // c) for s, c in zip(v.shape, v.chunks, strict=True)) for v in self.variables()]
        return 1 + sum(1 + count for count in chunks) + 2 * (len(self.plan.members) + 1 + len(self.steps))

    def frame(self) -> xr.Dataset:
        """Coordinates, fixed variables and attributes."""
        plan = self.plan
        coords = {name: ("member", column) for name, column in plan.members.items()}
        coords["member"] = ("member", np.arange(plan.members.count))
        coords |= {axis: (axis, steps) for axis, steps in self.steps.items()}
        attrs = {
            "steps": plan.steps,
            "about": as_attr(dict(plan.about)),
            "outcomes": as_attr({o.name: o for o in Outcome}),
        }
        return xr.Dataset(self.described, coords=coords, attrs=attrs)

    @cached_property
    def described(self) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        """What the recipe describes, if it fits into one record with everything else: a dimension has one size."""
        where, described = f"{type(self.plan.recipe).__name__}.describe", self.plan.recipe.describe(self.plan.data)
        streamed = {variable.name: (variable.dims, variable.shape) for variable in self.variables()}
        fixed: dict[str, tuple[tuple[str, ...], tuple[int, ...]]] = {}
        for name, pair in described.items():
            dims, values = conform(f"{where}: {name}", pair, tuple[tuple[str, ...] | str, Any])
            fixed[name] = ((dims,) if isinstance(dims, str) else dims, np.shape(values))
            if len(fixed[name][0]) != len(fixed[name][1]):
                raise ValueError(f"{where}: '{name}' has the shape {fixed[name][1]}, but the dimensions {dims}.")
        if clash := fixed.keys() & {"member", *self.steps, *self.plan.members, *streamed}:
            raise ValueError(f"{where}: '{min(clash)}' is also a column, a probe or an axis; choose another name.")
        refuse_clashing_sizes({**streamed, **fixed})
        return described


def largest_shapes(
    plan: Plan, groups: Mapping[tuple, Mapping[str, Any]]
) -> dict[str, tuple[tuple[int, ...], np.dtype]]:
    """The largest shape of each probe's value, and its dtype, of those in `groups`, if a record can hold them."""
    shapes: dict[str, tuple[tuple[int, ...], np.dtype]] = {}
    for group in groups.values():
        for name, value in group.items():
            before, _ = shapes.get(name, (value.shape, value.dtype))
            if len(before) != len(value.shape):
                raise ValueError(
                    f"Probe '{name}' must give all members equally many axes; got {len(before)} and {len(value.shape)}."
                )
            if not np.issubdtype(value.dtype, np.number) and value.dtype != bool:
                raise ValueError(f"Probe '{name}' must give numbers that NumPy knows; got {value.dtype}.")
            if 0 in value.shape:
                raise ValueError(f"Probe '{name}' gives a value of shape {value.shape}, which holds no numbers.")
            shapes[name] = (tuple(map(max, before, value.shape)) if before else (), np.dtype(value.dtype))
    for probe in plan.probes:
        if len(probe.dims) != len(shapes[probe.name][0]):
            raise ValueError(
                f"Probe '{probe.name}' gives a value of shape {shapes[probe.name][0]}, so its dims must name "
                f"{len(shapes[probe.name][0])} axes; got {probe.dims}."
            )
    dims = {probe.name: probe.dims for probe in plan.probes} | {name: (WHICH,) for name in shapes if name == FINAL}
    refuse_clashing_sizes({name: (dims[name], shape) for name, (shape, _) in shapes.items()})
    return shapes


def shard_size(members: int, block: int, workers: int) -> int:
    """A shard size small enough to keep all workers busy to the end, and large enough to keep the files few."""
    fair = -(-members // (workers * _SHARDS_PER_WORKER))
    size = int(np.clip(fair, 1, _LARGEST_SHARD))
    return -(-size // block) * block
