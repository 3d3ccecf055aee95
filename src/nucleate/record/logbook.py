"""What a training loop has logged: variables, their steps, and how far each member has come; committed as one."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import xarray as xr

from nucleate.record.axes import STEP, StepAxes, StepAxis
from nucleate.record.frame import Dims, dims_of, refuse_misfits
from nucleate.record.growing import GrowingArray, GrowingRecord
from nucleate.record.schema import NEVER, Outcome
from nucleate.record.series import Series, Steps, laid_out
from nucleate.record.store import LOGGED, as_attr

_LOSS = "loss"
_NOT_YET = 2**62
_MOST_NOTED = 2**26
_MOST_WAITING = 2**29


class Logbook:
    """The record at `path`, open for more steps. Nothing counts before the next `commit`."""

    def __init__(self, path: Path, record: xr.Dataset, dims: Dims):
        self.count = record.sizes["member"]
        self.now: int | None = None
        self.series: dict[str, Series] = {}
        self._dims = dims
        self._record, self._axes = GrowingRecord(path), StepAxes()
        self._steps: dict[str, Steps] = {}
        Steps.new(path, STEP)  # lays out axes for good: when Python exits, Zarr no longer can
        counts = json.loads(self._record.attrs[LOGGED])
        self._diverged = np.where(self._each(counts["outcome"]) == Outcome.DIVERGED, 0, _NOT_YET)
        self._record.attrs.pop("steps", None)
        for name, last, _ in counts["variables"]:
            self.series[name] = Series(self._record.array(name), self._each(last))
        for axis in dict.fromkeys(series.array.dims[1] for series in self.series.values()):
            self._restore(axis)
        for name, _, gaps in counts["variables"]:
            self.series[name].restore(self._steps_of(name), map(tuple, gaps))
        self.fixed = {
            str(name): (tuple(map(str, variable.dims)), variable.shape)
            for name, variable in record.variables.items()
            if name not in self.series and name not in self._steps
        }
        for name in self.fixed.keys() - {"outcome", "last_step"}:  # which are made again
            self._record.array(name).refuse_lost(self._record.array(name).whole())

    def take_back(self) -> None:
        """Remove what a killed process wrote and did not commit."""
        self._record.sweep()
        for name, series in self.series.items():
            series.forget(self._steps_of(name))
        self._write_ends(self._outcome)

    @property
    def last_steps(self) -> np.ndarray:
        """The newest step of each member."""
        return np.max([np.full(self.count, NEVER), *(series.last for series in self.series.values())], axis=0)

    @property
    def newest(self) -> int:
        """For how many steps the members were trained, as a run says it."""
        return max(1, int(self.last_steps.max()))

    @property
    def is_full(self) -> bool:
        """Whether so much waits to be written that it should not wait for more."""
        noted, waiting = (sum(getattr(s, what) for s in self.series.values()) for what in ("noted", "waiting"))
        return noted > _MOST_NOTED or waiting > _MOST_WAITING

    def gap(self, name: str, step: int) -> list[int] | None:
        """The steps that a new one would have to be put between."""
        return self._axes.gap(name, step)

    def refuse_misfits(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Refuse new variables, [member, ...], whose names or sizes do not fit into the record."""
        fresh = {name: array.shape[1:] for name, array in arrays.items() if name not in self.series}
        if fresh:
            known = {name: (series.dims, series.inner) for name, series in self.series.items()}
            refuse_misfits(fresh, known, self.fixed, self._dims)

    def put(self, name: str, array: np.ndarray, members: slice, step: int) -> None:
        """Note the values [member, ...] of a variable."""
        self.now = step
        if name not in self.series:
            variable = laid_out(name, dims_of(name, array.shape[1:], self._dims), array, self.count)
            self.series[name] = Series.new(self._record.path, variable)
        row = self._axes.place(name, int(np.prod(array.shape[1:])), step)
        self.series[name].put(members, row, step, array)
        if name == _LOSS:
            since = np.where(finite(array), _NOT_YET, step)
            self._diverged[members] = np.minimum(self._diverged[members], since)

    def leave_out_half(self) -> None:
        """Take back the step that is being logged, unless all variables of all members were logged at it.

        A step is taken for whole if there is one before to compare it with: what is logged at the first is not known.
        """
        if (step := self.now) is None or self._is_whole(step):
            return
        for name, series in list(self.series.items()):
            row = self._axes.row(name, step)
            if row is not None:
                series.leave_out(step, row)
            if np.all(series.last == NEVER):
                del self.series[name]
        self._axes.leave_out(step, {name: int(series.last.max()) for name, series in self.series.items()})
        loss = self.series[_LOSS].last if _LOSS in self.series else NEVER
        self._diverged = np.where(self._diverged <= loss, self._diverged, _NOT_YET)

    def _is_whole(self, step: int) -> bool:
        every = self.series.values()
        return all((series.last == step).all() for series in every) and any(
            series.before.max() >= 0 for series in every
        )

    def commit(self) -> None:
        """Write values first, then what makes them count, then what repeats where they end."""
        axes = self._axes.settled()
        for series in self.series.values():
            series.write()
        for axis in axes:
            if axis.name not in self._steps:
                self._steps[axis.name] = Steps.new(self._record.path, axis.name)
            self._steps[axis.name].write(axis.steps)
        self._count(axes, self._outcome)
        for series in self.series.values():
            series.written()
        for axis in axes:
            self._steps[axis.name].count = len(axis.steps)

    def complete(self) -> None:
        """Nothing more comes: what is missing is missing, and who has not diverged is well."""
        axes = self._axes.settled()
        for axis in axes:
            for name in axis.rows:
                self.series[name].fill_gaps(len(axis.steps))
        ended = (self.last_steps != NEVER) & (self._outcome == Outcome.PENDING)
        self._record.attrs["steps"] = self.newest
        self._count(axes, np.where(ended, Outcome.OK, self._outcome))

    @property
    def _outcome(self) -> np.ndarray:
        return np.where(self._diverged == _NOT_YET, Outcome.PENDING, Outcome.DIVERGED)

    def _count(self, axes: list[StepAxis], outcome: np.ndarray) -> None:
        """Let everything count that was written, all at once."""
        variables = [
            [name, _in_short(series.last), series.gaps(self._steps_of(name))] for name, series in self.series.items()
        ]
        self._record.attrs[LOGGED] = as_attr({"outcome": _in_short(outcome), "variables": variables})
        self._record.commit(self._grown(axes))
        self._write_ends(outcome)

    def _write_ends(self, outcome: np.ndarray) -> None:
        self._record.write_small("outcome", outcome.astype(np.int8))
        self._record.write_small("last_step", self.last_steps.astype(np.int32))

    def _steps_of(self, name: str) -> np.ndarray:
        return np.asarray(self._axes.of[name].steps)

    def _each(self, short: int | list[int]) -> np.ndarray:
        """What was said in short, of each member."""
        return np.broadcast_to(np.asarray(short, np.int64), self.count).copy()

    def _grown(self, axes: list[StepAxis]) -> Iterator[tuple[GrowingArray, int, str]]:
        for axis in axes:
            arrays = [self._steps[axis.name].array, *(self.series[name].array for name in axis.rows)]
            yield from ((array, len(axis.steps), axis.name) for array in arrays)

    def _restore(self, axis: str) -> None:
        """Take in an axis and its variables as they were committed."""
        array = self._record.array(axis)
        self._steps[axis] = Steps(array, array.shape[0])
        here = {name: series for name, series in self.series.items() if series.array.dims[1] == axis}
        steps = self._steps[axis].read()
        sizes = {name: int(np.prod(series.inner)) for name, series in here.items()}
        self._axes.restore(StepAxis(axis, steps, dict.fromkeys(here, len(steps))), sizes)


def finite(values: np.ndarray) -> np.ndarray:
    """Whether all values of each member are finite."""
    return np.all(np.isfinite(values.reshape(len(values), -1)), axis=1)


def _in_short(last: np.ndarray) -> int | list[int]:
    """One number where all members are at the same step."""
    return int(last[0]) if np.all(last == last[0]) else last.tolist()
