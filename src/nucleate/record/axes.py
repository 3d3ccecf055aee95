"""The axes of steps of a record that grows: what is logged at the same steps has one."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

STEP = "step"


@dataclass
class StepAxis:
    """The `steps` at which some variables were logged, and at how many of them each was: only the newest may lack."""

    name: str
    steps: list[int]
    rows: dict[str, int]

    def find(self, step: int) -> int | None:
        """The row of a step, if there is one."""
        row = bisect_left(self.steps, step)
        return row if row < len(self.steps) and self.steps[row] == step else None


@dataclass
class StepAxes:
    """Which variable is on which axis.

    Variables that were first logged at the same step share an axis for as long as they are logged together; when one
    has missed a step, they part. The largest one keeps the name `step`: that is what theories read. Rows of an axis
    that were there when it was `settled` never change.

    >>> axes = StepAxes()
    >>> for step, logged in enumerate([("weights", "loss"), ("loss",), ("weights", "loss")]):
    ...     rows = [axes.place(name, {"weights": 9, "loss": 1}[name], step) for name in logged]
    >>> {axis.name: (axis.steps, list(axis.rows)) for axis in axes.settled()}
    {'step': ([0, 2], ['weights']), 'step_loss': ([0, 1, 2], ['loss'])}
    """

    sizes: dict[str, int] = field(default_factory=dict)
    of: dict[str, StepAxis] = field(default_factory=dict)

    def gap(self, variable: str, step: int) -> list[int] | None:
        """The steps around a new one that would have to be put between them: None if there are none."""
        axis = self.of.get(variable)
        if axis is None or step > axis.steps[-1] or axis.find(step) is not None:
            return None
        row = bisect_left(axis.steps, step)
        return axis.steps[max(row - 1, 0) : row + 1]

    def row(self, variable: str, step: int) -> int | None:
        """The row of a step on the axis of a variable, if there is one."""
        axis = self.of.get(variable)
        return axis and axis.find(step)

    def place(self, variable: str, size: int, step: int) -> int:
        """The row for a variable, of `size` numbers, at a step."""
        axis = self.of.get(variable) or self._first(variable, size, step)
        row = axis.find(step)
        if row is None:
            axis = self._part(axis, variable)
            axis.steps.append(step)
            row = len(axis.steps) - 1
        axis.rows[variable] = max(axis.rows[variable], row + 1)
        return row

    def leave_out(self, step: int, last: dict[str, int]) -> None:
        """Take back the newest step of axes on which nothing is logged at it, by the newest step of each variable."""
        for name in self.of.keys() - last.keys():
            del self.of[name], self.sizes[name]
        for axis in self:
            axis.rows = {name: bisect_right(axis.steps, last[name]) for name in axis.rows if name in last}
            if axis.steps[-1] == step and max(axis.rows.values()) < len(axis.steps):
                del axis.steps[-1]

    def settled(self) -> list[StepAxis]:
        """All axes, when no more is logged at the newest step of any."""
        for axis in list(self):
            self._part(axis)
        return list(self)

    def restore(self, axis: StepAxis, sizes: dict[str, int]) -> None:
        """Take in an axis that was settled before, and the sizes of its variables."""
        self.sizes |= sizes
        self.of |= dict.fromkeys(axis.rows, axis)

    def __iter__(self):
        return iter({axis.name: axis for axis in self.of.values()}.values())

    def _first(self, variable: str, size: int, step: int) -> StepAxis:
        begun = next((axis for axis in self if axis.steps == [step]), None)
        axis = begun or StepAxis(STEP if not self.of else self._free(variable), [step], {})
        axis.rows[variable] = 0
        self.sizes[variable], self.of[variable] = size, axis
        return axis

    def _part(self, axis: StepAxis, variable: str | None = None) -> StepAxis:
        """Take those apart that have missed the newest step from those that have not; the axis of `variable` then."""
        behind = [name for name, rows in axis.rows.items() if rows < len(axis.steps)]
        ahead = [name for name in axis.rows if name not in behind]
        if behind and ahead:
            first = max(axis.rows, key=lambda name: self.sizes[name])
            leave = behind if first in ahead else ahead
            other = StepAxis(self._free(max(leave, key=lambda name: self.sizes[name])), [*axis.steps], {})
            other.rows = {name: axis.rows.pop(name) for name in leave}
            lacking = other if leave is behind else axis
            del lacking.steps[-1]
            self.of |= dict.fromkeys(leave, other)
        return axis if variable is None else self.of[variable]

    def _free(self, variable: str) -> str:
        names = {axis.name for axis in self}
        name = f"{STEP}_{variable}"
        return name if name not in names else next(n for k in range(2, 99) if (n := f"{name}_{k}") not in names)
