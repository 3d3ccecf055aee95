"""What is logged of one variable, on its way to the store: whole chunks of rows, kept until they are written."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

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
    """One variable of a record that grows. `last`: the step at which each member was logged last."""

    array: GrowingArray
    last: np.ndarray
    held: dict[Place, np.ndarray] = field(default_factory=dict)
    unwritten: set[Place] = field(default_factory=set)
    noted: int = 0  # bytes that are not on the disk

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
            self.unwritten.add(place)
        self.noted += values.nbytes
        self.last[members] = step

    def write(self) -> None:
        """Write every chunk that has changed. It is forgotten by `written`, when it counts."""
        with ThreadPoolExecutor(_WRITERS) as pool:
            list(pool.map(lambda place: self.array.write(place, self.held[place]), sorted(self.unwritten)))

    def written(self) -> None:
        """What was written counts: keep no more than may soon be needed again."""
        self.unwritten.clear()
        self.noted = kept = 0
        for place in reversed(list(self.held)):
            kept += self.held[place].nbytes
            if kept > _KEPT_BYTES:
                del self.held[place]

    def fill_gaps(self, rows: int) -> None:
        """Write chunks without any row, so that none is missing."""
        for place in self._places(rows):
            if place not in self.held and not self.array.has(place):
                self._chunk(place)
                self.unwritten.add(place)
                self.write()
                self.written()

    def forget(self, steps: np.ndarray) -> None:
        """Take back rows that a killed process wrote and did not commit."""
        width, rows = self.array.chunks[:2]
        for place in list(self.array.places()):
            logged = np.zeros((width, 1), int)
            last = self.last[place[0] * width : (place[0] + 1) * width]
            logged[: len(last), 0] = np.searchsorted(steps, last, side="right")
            here = np.arange(place[1] * rows, (place[1] + 1) * rows)
            if here[0] >= logged.max():
                self.array.remove(place)
            elif here[-1] >= logged[: len(last)].min():
                chunk = self.array.read(place)
                chunk[here >= logged] = fill_value(chunk.dtype)
                self.array.write(place, chunk)

    def _chunk(self, place: Place) -> np.ndarray:
        # The newest is the last.
        self.held[place] = self.held.pop(place) if place in self.held else self.array.read(place)
        return self.held[place]

    def _places(self, rows: int) -> Iterator[Place]:
        width, long = self.array.chunks[:2]
        return ((i, j) for i in range(-(-len(self.last) // width)) for j in range(-(-rows // long)))


@dataclass
class Steps:
    """The coordinate of an axis: the steps of its rows. `count`: how many were committed."""

    array: GrowingArray
    count: int = 0

    @classmethod
    def new(cls, record: Path, axis: str) -> "Steps":
        return cls(GrowingArray.new(record, Variable(axis, (axis,), (1,), np.dtype("int64"), (_MOST_ROWS,))))

    def read(self) -> list[int]:
        """Those that were committed."""
        chunks = [self.array.read((number,)) for number in range(-(-self.count // _MOST_ROWS))]
        return np.concatenate(chunks)[: self.count].tolist()

    def write(self, steps: list[int]) -> None:
        """Write chunks that have changed."""
        for number in range(self.count // _MOST_ROWS, -(-len(steps) // _MOST_ROWS)):
            chunk = self.array.empty()
            part = steps[number * _MOST_ROWS : (number + 1) * _MOST_ROWS]
            chunk[: len(part)] = part
            self.array.write((number,), chunk)


def laid_out(name: str, dims: tuple[str, ...], value: np.ndarray, members: int) -> Variable:
    """The variable that begins with a value [member, ...]: of all members, or of one if they are logged one by one."""
    inner = value.shape[1:]
    size = max(1, int(np.prod(inner)) * value.itemsize)
    most = _CHUNK_BYTES // (1 if len(value) == members else min(members, _MOST_APART))
    width = int(np.clip(most // size, 1, len(value)))
    rows = int(np.clip(most // (size * width), 1, _MOST_ROWS))
    return Variable(name, ("member", "step", *dims), (members, 1, *inner), value.dtype, (width, rows, *inner))
