"""What is logged of one variable, on its way to the store: whole chunks of rows, kept until they are written."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from nucleate.record.disk import at_once
from nucleate.record.growing import GrowingArray
from nucleate.record.schema import NEVER, Variable, fill_value

_CHUNK_BYTES = 2**21
_MOST_ROWS = 2**14
_WRITERS = 8
_KEPT_BYTES = 2**23  # of chunks that were written and may get more rows
_MOST_APART = 8  # chunks of members that are logged one by one are smaller by this, since all of them may be in memory

Place = tuple[int, int]
"""Of a chunk: which of those along the members, and of those along the steps."""


@dataclass
class Series:
    """One variable of a record that grows.

    `last`: the step at which each member was logged last; `there`: the chunks that hold a row, on the disk or not.
    """

    array: GrowingArray
    last: np.ndarray
    before: np.ndarray = field(init=False)  # `last`, without the step at which a member was logged since it counts
    there: set[Place] = field(default_factory=set)
    held: dict[Place, np.ndarray] = field(default_factory=dict)
    unwritten: set[Place] = field(default_factory=set)
    noted: int = 0  # bytes that are not on the disk

    def __post_init__(self):
        self.before = self.last.copy()

    @classmethod
    def new(cls, record: Path, variable: Variable) -> "Series":
        return cls(GrowingArray.new(record, variable), np.full(variable.shape[0], NEVER, np.int64))

    @property
    def inner(self) -> tuple[int, ...]:
        """The shape of one member's value at one step."""
        return self.array.shape[2:]

    @property
    def dims(self) -> tuple[str, ...]:
        return self.array.dims[2:]

    @property
    def waiting(self) -> int:
        """The size of the chunks that are to be written."""
        return sum(self.held[place].nbytes for place in self.unwritten)

    def put(self, members: slice, row: int, step: int, values: np.ndarray) -> None:
        """Note the values of some members [member, ...] at a row."""
        width, rows = self.array.chunks[:2]
        for number in range(members.start // width, -(-members.stop // width)):
            place = number, row // rows
            start, stop = max(members.start, number * width), min(members.stop, (number + 1) * width)
            chunk = self._chunk(place)
            chunk[start - number * width : stop - number * width, row % rows] = values[
                start - members.start : stop - members.start
            ]
            self.there.add(place)
            self.unwritten.add(place)
        self.noted += values.nbytes
        last = self.last[members]
        self.before[members] = np.where(last == step, self.before[members], last)
        self.last[members] = step

    def leave_out(self, step: int, row: int) -> None:
        """Take back the row of a step, of those members of which it does not count yet."""
        width, rows = self.array.chunks[:2]
        for member in np.flatnonzero((self.last == step) & (self.before < step)):
            place = int(member) // width, row // rows
            self._chunk(place)[member % width, row % rows] = fill_value(self.array.dtype)
            self.unwritten.add(place)
            self.last[member] = self.before[member]

    def write(self) -> None:
        """Write every chunk that has changed. It is forgotten by `written`, when it counts."""
        at_once(lambda place: self.array.write(place, self.held[place]), sorted(self.unwritten), _WRITERS)

    def written(self) -> None:
        """What was written counts: keep no more than may soon be needed again."""
        self.before = self.last.copy()
        self.unwritten.clear()
        self.noted = kept = 0
        for place in reversed(list(self.held)):
            kept += self.held[place].nbytes
            if kept > _KEPT_BYTES:
                del self.held[place]

    def fill_gaps(self, rows: int) -> None:
        """Write chunks without any row, so that none is missing."""
        every = np.full(-(-len(self.last) // self.array.chunks[0]), rows)
        for place in sorted({*self._places(every)} - self.there):
            self._chunk(place)
            self.there.add(place)
            self.unwritten.add(place)
            self.write()
            self.written()

    def gaps(self, steps: np.ndarray) -> list[Place]:
        """Chunks without a row, at `steps` that its members have passed."""
        return sorted({*self._places(self._logged(steps).max(1))} - self.there)

    def restore(self, steps: np.ndarray, gaps: Iterable[Place]) -> None:
        """Take in what was committed, of which nothing may be lost."""
        self.there = {*self._places(self._logged(steps).max(1))} - {*gaps}
        self.array.refuse_lost(sorted(self.there))

    def forget(self, steps: np.ndarray) -> None:
        """Take back rows that a killed process wrote and did not commit."""
        rows, logged_of = self.array.chunks[1], self._logged(steps)
        for place in [place[:2] for place in self.array.places()]:
            logged = logged_of[place[0]][:, None]
            members = self.last[place[0] * len(logged) : (place[0] + 1) * len(logged)]
            here = np.arange(place[1] * rows, (place[1] + 1) * rows)
            if place not in self.there:
                self.array.remove(place)
            elif here[-1] >= logged[: len(members)].min():
                chunk = self.array.read(place)
                chunk[here >= logged] = fill_value(chunk.dtype)
                self.array.write(place, chunk)

    def _chunk(self, place: Place) -> np.ndarray:
        # The newest is the last.
        self.held[place] = self.held.pop(place) if place in self.held else self._stored(place)
        return self.held[place]

    def _stored(self, place: Place) -> np.ndarray:
        return self.array.read(place) if place in self.there else self.array.empty()

    def _logged(self, steps: np.ndarray) -> np.ndarray:
        """How many rows each member has passed: [chunk along the members, member of that chunk]."""
        width = self.array.chunks[0]
        logged = np.zeros((-(-len(self.last) // width), width), int)
        logged.flat[: len(self.last)] = np.searchsorted(steps, self.last, side="right")
        return logged

    def _places(self, rows: np.ndarray) -> Iterator[Place]:
        """Those of `rows` rows for each chunk along the members."""
        return ((i, j) for i, count in enumerate(rows) for j in range(-(-int(count) // self.array.chunks[1])))


@dataclass
class Steps:
    """The coordinate of an axis: the steps of its rows. `count`: how many were committed."""

    array: GrowingArray
    count: int = 0

    @classmethod
    def new(cls, record: Path, axis: str) -> "Steps":
        return cls(GrowingArray(record, axis, _steps_tree(_MOST_ROWS)))

    def read(self) -> list[int]:
        """Those that were committed."""
        chunks = [self.array.read((number,)) for number in range(-(-self.count // self.array.chunks[0]))]
        return np.concatenate(chunks)[: self.count].tolist()

    def write(self, steps: list[int]) -> None:
        """Write chunks that have changed."""
        rows = self.array.chunks[0]
        for number in range(self.count // rows, -(-len(steps) // rows)):
            chunk = self.array.empty()
            part = steps[number * rows : (number + 1) * rows]
            chunk[: len(part)] = part
            self.array.write((number,), chunk)


@cache
def _steps_tree(rows: int) -> dict[str, Any]:
    """What every axis of steps is, but for its name, which `GrowingArray.grow` sets; `rows` of them in a chunk."""
    return GrowingArray.new(Path(), Variable("step", ("step",), (1,), np.dtype("int64"), (rows,))).tree


def laid_out(name: str, dims: tuple[str, ...], value: np.ndarray, members: int) -> Variable:
    """The variable that begins with a value [member, ...]: of all members, or of one if they are logged one by one."""
    inner = value.shape[1:]
    size = max(1, int(np.prod(inner)) * value.itemsize)
    most = _CHUNK_BYTES // (1 if len(value) == members else min(members, _MOST_APART))
    width = int(np.clip(most // size, 1, len(value)))
    rows = int(np.clip(most // (size * width), 1, _MOST_ROWS))
    return Variable(name, ("member", "step", *dims), (members, 1, *inner), value.dtype, (width, rows, *inner))
