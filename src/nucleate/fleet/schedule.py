"""When probes are evaluated: schedules, and the timeline that the compiled loop follows."""

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, final

import numpy as np

from nucleate.checking import AtLeast, Bits, Checked, Count
from nucleate.machine import require_memory

_COPIES = 8  # of the steps of a schedule, while they are sorted and cut into chunks
EVENTS = 64  # the most events of a chunk
_NOTICES = 4  # a chunk is about this many times `max_gap` long


class Schedule(Checked, abc.ABC):
    """The steps of a run at which a probe is evaluated."""

    @abc.abstractmethod
    def at(self, steps: int) -> np.ndarray:
        """The chosen steps within 0..steps, in ascending order."""


@final
@dataclass(frozen=True)
class Every(Schedule):
    """Every `gap` steps, including the first and last.

    >>> Every(4).at(10)
    array([ 0,  4,  8, 10])
    """

    gap: Count

    def at(self, steps: int) -> np.ndarray:
        _require_room(steps // self.gap, self)
        return np.union1d(np.arange(0, steps + 1, self.gap), [steps])


@final
@dataclass(frozen=True)
class LogSpaced(Schedule):
    """About `count` steps, equally spaced in ln(1 + step), including the first and last.

    >>> LogSpaced(5).at(100)
    array([  0,   2,   9,  31, 100])
    """

    count: Annotated[int, AtLeast(2), Bits(31)]

    def at(self, steps: int) -> np.ndarray:
        _require_room(self.count, self)
        return np.unique(np.round(np.expm1(np.linspace(0, np.log1p(steps), self.count))).astype(int))


@final
@dataclass(frozen=True)
class First(Schedule):
    """Each of the first `count` steps, step 0 included.

    >>> First(3).at(10)
    array([0, 1, 2])
    """

    count: Count

    def at(self, steps: int) -> np.ndarray:
        _require_room(min(self.count, steps), self)
        return np.arange(min(self.count, steps + 1))


@final
@dataclass(frozen=True)
class At(Schedule):
    """Exactly these steps; any past the end are left out.

    >>> At((0, 100, 5000)).at(1000)
    array([  0, 100])
    """

    chosen: Annotated[tuple[int, ...], AtLeast(0)]

    def at(self, steps: int) -> np.ndarray:
        chosen = np.unique(self.chosen)
        return chosen[chosen <= steps]


@final
@dataclass(frozen=True)
class Last(Schedule):
    """The last step only.

    >>> Last().at(10)
    array([10])
    """

    def at(self, steps: int) -> np.ndarray:
        return np.array([steps])


def _require_room(looks: int, schedule: Schedule) -> None:
    require_memory(looks * 8 * _COPIES, f"{schedule} looks {looks:,} times, which", "Look less often.")


@dataclass(frozen=True)
class Chunk:
    """A part of the timeline: `gap[event]` steps follow each event; `looks[axis][event]`: whether the axis records."""

    gap: np.ndarray
    looks: dict[str, np.ndarray]
    start: int
    stop: int

    @property
    def steps(self) -> int:
        return self.stop - self.start


def timeline(
    axes: Mapping[str, Schedule],
    steps: int,
    *,
    events: int = EVENTS,
    max_gap: int = 250,
    longest: int = _NOTICES * 250,
) -> Sequence[Chunk]:
    """Cut a run into chunks of at most `events` events and about `longest` steps, or four times `max_gap` if that is
    less; all have room for `events`, so that one program serves them all.

    There is an event at every step at which some axis records, and often enough that no two are more than `max_gap`
    steps apart: members that have diverged or finished are noticed only there. How a timeline is cut never changes what
    is computed, only when a run can be saved, stopped or shown.

    >>> [chunk.stop for chunk in timeline({"step": Every(10)}, 1500)]
    [640, 1280, 1500]
    >>> [chunk.stop for chunk in timeline({"step": Last()}, 1500)]
    [1000, 1500]
    >>> [chunk.stop for chunk in timeline({"step": Last()}, 100, max_gap=10)]
    [40, 80, 100]
    >>> [chunk.stop for chunk in timeline({"step": Last()}, 25, max_gap=5, longest=10)]
    [10, 20, 25]
    """
    longest = min(longest, _NOTICES * max_gap)
    looked = {name: schedule.at(steps) for name, schedule in axes.items()}
    marks = np.unique(np.concatenate([np.arange(0, steps + 1, max_gap), [steps], *looked.values()]))
    gaps = np.diff(marks, append=steps)
    chunks, first = [], 0
    while first < len(marks):
        last = max(first + 1, int(np.searchsorted(marks, marks[first] + longest)))
        last = min(last, first + events, len(marks))
        part = marks[first:last]
        padding = (0, events - len(part))
        gap = np.pad(gaps[first:last], padding).astype(np.int32)
        looks = {name: np.pad(np.isin(part, at), padding) for name, at in looked.items()}
        chunks.append(Chunk(gap, looks, int(part[0]), int(part[0] + gap.sum())))
        first = last
    return chunks
