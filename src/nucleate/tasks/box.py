"""Boxes with flat walls, and the particles that stand for walls in a network's input."""

from dataclasses import dataclass
from math import ceil, isfinite
from typing import final

import numpy as np
from jaxtyping import Float


@final
@dataclass(frozen=True)
class Box:
    """A rectangle or cuboid from the origin to `size`; the last axis points up [hitchcock2025emergence].

    `walls`: for each axis, whether its low and its high end have a wall; by default all do, lid included. Particles can
    leave through an end without a wall.

    >>> Box().size, Box((6.0, 6.0), walls=((True, True), (True, False))).closed
    ((28.0, 14.0), ((True, True), (True, False)))
    """

    size: tuple[float, ...] = (28.0, 14.0)
    walls: tuple[tuple[bool, bool], ...] | None = None

    def __post_init__(self):
        if np.asarray(self.size, object).shape not in ((2,), (3,)):
            raise ValueError(f"Box.size must have 2 or 3 numbers; got {self.size}.")
        if not all(isfinite(length) and length > 0 for length in self.size):
            raise ValueError(f"Box.size must be positive and finite; got {self.size}.")
        if self.walls is not None and np.asarray(self.walls, object).shape != (self.dim, 2):
            raise ValueError(f"Box.walls must hold one pair (low, high) for each of {self.dim} axes; got {self.walls}.")

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

    def boundary(self, spacing: float = 0.5) -> Float[np.ndarray, "boundary dim"]:
        """Virtual particles along the walls, at most `spacing` apart, that tell a network where the walls are.

        They exert no force: the simulator has flat walls. Source: [hitchcock2025emergence], Appendix C.

        >>> Box((2.0, 1.0)).boundary(1.0).tolist()
        [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, 0.0], [2.0, 1.0]]
        >>> len(Box((2.0, 1.0), walls=((False, False), (True, False))).boundary(1.0))
        3
        """
        if not (isfinite(spacing) and spacing > 0):
            raise ValueError(f"Box.boundary: spacing must be positive; got {spacing}.")
        ticks = [np.linspace(0, length, ceil(length / spacing) + 1) for length in self.size]
        grid = np.stack([axis.ravel() for axis in np.meshgrid(*ticks, indexing="ij")], axis=1)
        on_wall = np.zeros(len(grid), bool)
        for axis, (low, high) in enumerate(self.closed):
            on_wall |= low & (grid[:, axis] == 0)
            on_wall |= high & (grid[:, axis] == self.size[axis])
        return grid[on_wall].astype(np.float32)
