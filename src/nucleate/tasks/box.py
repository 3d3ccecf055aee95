"""Boxes with flat walls, and the particles that stand for walls in a network's input."""

from dataclasses import dataclass
from math import ceil, prod
from typing import Annotated, final

import numpy as np
from jaxtyping import Float

from nucleate.checking import Above, Checked, checked
from nucleate.machine import require_memory


@final
@dataclass(frozen=True)
class Box(Checked):
    """A rectangle or cuboid from the origin to `size`; the last axis points up [hitchcock2025emergence].

    `walls`: for each axis, whether its low and its high end have a wall; by default all do, lid included. Particles can
    leave through an end without a wall.

    >>> Box().size, Box((6.0, 6.0), walls=((True, True), (True, False))).closed
    ((28.0, 14.0), ((True, True), (True, False)))
    """

    size: Annotated[tuple[float, ...], Above(0)] = (28.0, 14.0)
    walls: tuple[tuple[bool, bool], ...] | None = None

    def check(self) -> None:
        if self.dim not in (2, 3):
            self.refuse("size", f"must have 2 or 3 numbers; got {self.size}")
        if self.walls is not None and len(self.walls) != self.dim:
            self.refuse("walls", f"must hold one pair (low, high) for each of {self.dim} axes; got {self.walls}")

    @property
    def dim(self) -> int:
        """The number of axes."""
        return len(self.size)

    @property
    def closed(self) -> tuple[tuple[bool, bool], ...]:
        """For each axis, whether its low and its high end have a wall."""
        return self.walls if self.walls is not None else ((True, True),) * self.dim

    @property
    def centre(self) -> tuple[float, ...]:
        """The middle of the box."""
        return tuple(length / 2 for length in self.size)

    @checked
    def boundary(self, spacing: Annotated[float, Above(0)] = 0.5) -> Float[np.ndarray, "boundary dim"]:
        """Virtual particles along the walls, at most `spacing` apart, that tell a network where the walls are.

        They exert no force: the simulator has flat walls. Source: [hitchcock2025emergence], Appendix C.

        >>> Box((2.0, 1.0)).boundary(1.0).tolist()
        [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, 0.0], [2.0, 1.0]]
        >>> len(Box((2.0, 1.0), walls=((False, False), (True, False))).boundary(1.0))
        3
        """
        points = prod(length / spacing + 2 for length in self.size)
        require_memory(points * self.dim * 32, f"Box{self.size} with a boundary", "Make the box smaller.")
        ticks = [np.linspace(0, length, ceil(length / spacing) + 1) for length in self.size]
        grid = np.stack([axis.ravel() for axis in np.meshgrid(*ticks, indexing="ij")], axis=1)
        on_wall = np.zeros(len(grid), bool)
        for axis, (low, high) in enumerate(self.closed):
            on_wall |= low & (grid[:, axis] == 0)
            on_wall |= high & (grid[:, axis] == self.size[axis])
        return grid[on_wall].astype(np.float32)
