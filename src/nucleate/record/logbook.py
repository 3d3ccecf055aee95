"""What a training loop has logged: variables, their steps, and how far each member has come; committed as one."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import xarray as xr

from nucleate.record.axes import StepAxes, StepAxis
from nucleate.record.frame import Dims, dims_of, refuse_misfits
from nucleate.record.growing import GrowingArray, GrowingRecord
from nucleate.record.schema import NEVER, Outcome
from nucleate.record.series import Series, Steps, laid_out
from nucleate.record.store import LOGGED, as_attr

_LOSS = "loss"
_MOST_NOTED = 2**26
_MOST_WAITING = 2**29


class Logbook:
    """The record at `path`, open for more steps. Nothing counts before the next `commit`."""

    def __init__(self, path: Path, record: xr.Dataset, dims: Dims):
        self.count = record.sizes["member"]
        self.series: dict[str, Series] = {}
        self._dims = dims
        self._record, self._axes = GrowingRecord(path), StepAxes()
        self._steps: dict[str, Steps] = {}
        self._outcome = record.outcome.values.copy()
        self._record.attrs.pop("steps", None)
        self._record.sweep()
        for name, last in json.loads(self._record.attrs[LOGGED]):
            each = np.broadcast_to(np.asarray(last, np.int64), self.count).copy()
            self.series[name] = Series(self._record.array(name), each)
        for axis in dict.fromkeys(series.array.dims[1] for series in self.series.values()):
            self._restore(axis)
        self.fixed = {
            str(name): (tuple(map(str, variable.dims)), variable.shape)
            for name, variable in record.variables.items()
            if name not in self.series and name not in self._steps
        }

    @property
    def last_steps(self) -> np.ndarray:
        """The newest step of each member."""
        return np.max([np.full(self.count, NEVER), *(series.last for series in self.series.values())], axis=0)

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
        if name not in self.series:
            variable = laid_out(name, dims_of(name, array.shape[1:], self._dims), array, self.count)
            self.series[name] = Series.new(self._record.path, variable)
        row = self._axes.place(name, int(np.prod(array.shape[1:])), step)
        self.series[name].put(members, row, step, array)
        if name == _LOSS:
            self._outcome[members] = np.where(finite(array), self._outcome[members], Outcome.DIVERGED)

    def commit(self) -> None:
        """Write values first, then where they end, then what makes them count."""
        axes = self._axes.settled()
        for series in self.series.values():
            series.write()
        self._record.write_small("outcome", self._outcome)
        self._record.write_small("last_step", self.last_steps.astype(np.int32))
        for axis in axes:
            if axis.name not in self._steps:
                self._steps[axis.name] = Steps.new(self._record.path, axis.name)
            self._steps[axis.name].write(axis.steps)
        logged = [[name, _in_short(series.last)] for name, series in self.series.items()]
        self._record.attrs[LOGGED] = as_attr(logged)
        self._record.commit(self._grown(axes))
        for series in self.series.values():
            series.written()
        for axis in axes:
            self._steps[axis.name].count = len(axis.steps)

    def complete(self, steps: int) -> None:
        """Nothing more comes: what is missing is missing, and who has not diverged is well."""
        axes = self._axes.settled()
        for axis in axes:
            for name in axis.rows:
                self.series[name].fill_gaps(len(axis.steps))
        ended = (self.last_steps != NEVER) & (self._outcome == Outcome.PENDING)
        self._record.write_small("outcome", np.where(ended, Outcome.OK, self._outcome).astype(np.int8))
        self._record.attrs["steps"] = steps
        self._record.commit(self._grown(axes))

    def _grown(self, axes: list[StepAxis]) -> Iterator[tuple[GrowingArray, int, str]]:
        for axis in axes:
            arrays = [self._steps[axis.name].array, *(self.series[name].array for name in axis.rows)]
            yield from ((array, len(axis.steps), axis.name) for array in arrays)

    def _restore(self, axis: str) -> None:
        """Take in an axis and its variables as they were committed; what was written later never was."""
        array = self._record.array(axis)
        self._steps[axis] = Steps(array, array.shape[0])
        here = {name: series for name, series in self.series.items() if series.array.dims[1] == axis}
        steps = self._steps[axis].read()
        sizes = {name: int(np.prod(series.inner)) for name, series in here.items()}
        self._axes.restore(StepAxis(axis, steps, dict.fromkeys(here, len(steps))), sizes)
        for series in here.values():
            series.forget(np.asarray(steps))


def finite(values: np.ndarray) -> np.ndarray:
    """Whether all values of each member are finite."""
    return np.all(np.isfinite(values.reshape(len(values), -1)), axis=1)


def _in_short(last: np.ndarray) -> int | list[int]:
    """One number where all members are at the same step."""
    return int(last[0]) if np.all(last == last[0]) else last.tolist()
