"""Spheres in contact: damped linear springs, the energy they store and the power they dissipate.

Arrays are laid out (dim, particle, *state), with any number of state axes last. One vector instruction then serves as
many states as it has lanes, and no axis of length 2 or 3 is ever innermost.
"""

from dataclasses import dataclass
from math import exp, inf, pi, sqrt
from typing import Annotated, NamedTuple, final

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from nucleate.checking import Above, AtLeast, Checked
from nucleate.tasks.box import Box

_TINY = 1e-12  # a smaller squared distance is that of a particle to itself, or gives no direction to push in


class Energy(NamedTuple):
    """The energy of a state: in motion, in height above the floor and in springs.

    >>> float(Energy(*jnp.array([1.0, 2.0, 3.0])).total)
    6.0
    """

    kinetic: Float[Array, "*state"]
    gravitational: Float[Array, "*state"]
    elastic: Float[Array, "*state"]

    @property
    def total(self) -> Float[Array, "*state"]:
        return self.kinetic + self.gravitational + self.elastic


@final
@dataclass(frozen=True)
class Contact(Checked):
    """Damped linear springs between equal spheres, and between spheres and flat walls.

        f_i = Σ_j (k δ_ij − γ (v_i − v_j)·n_ij) n_ij  over j with δ_ij > 0,    δ_ij = d − |p_i − p_j|

    k, γ: `stiffness` and `damping`; d: `diameter`; n_ij: unit vector from j to i. A wall acts through the same spring
    but does not move, and δ = d/2 − distance. There is no friction, and the dashpot is not clipped: it may pull at the
    end of a contact. It makes the force depend on velocities, so f has no potential unless γ = 0.
    Source: [luding2008introduction]; the default values are those of [hitchcock2025emergence], Table 3.

    >>> contact = Contact()
    >>> round(contact.duration, 4), round(contact.restitution, 3)
    (0.0721, 0.486)
    """

    stiffness: Annotated[float, Above(0)] = 1000.0
    damping: Annotated[float, AtLeast(0)] = 10.0
    diameter: Annotated[float, Above(0)] = 1.0
    mass: Annotated[float, Above(0)] = 1.0

    @property
    def duration(self) -> float:
        """How long two free spheres stay in contact: half a period of the damped spring between them.

            π / ω,    ω = √(ω₀² − η²),    ω₀² = 2k/m,    η = γ/m

        Infinite if overdamped. Source: [luding2008introduction].
        """
        frequency = self._frequency
        return pi / frequency if frequency else inf

    @property
    def restitution(self) -> float:
        """Relative speed of two free spheres after a collision over that before it: exp(−π η / ω), see `duration`."""
        frequency = self._frequency
        return exp(-pi * self.damping / self.mass / frequency) if frequency else 0.0

    @property
    def _frequency(self) -> float:
        return sqrt(max(2 * self.stiffness / self.mass - (self.damping / self.mass) ** 2, 0))

    def stable(self, dt: float) -> bool:
        """Whether semi-implicit Euler with time step `dt` damps every motion, even in a dense pile.

            ω₀² dt² + 4 η dt < 1

        ω₀, η: see `duration`. A single contact would allow 4 on the right; in a close packing of spheres the stiffest
        mode has four times the ω₀² and η of a pair.

        >>> Contact().stable(0.005), Contact().stable(0.02)
        (True, False)
        """
        return 2 * self.stiffness / self.mass * dt * dt + 4 * self.damping / self.mass * dt < 1

    def acceleration(
        self, position: Float[Array, "dim particle *state"], velocity: Float[Array, "dim particle *state"], box: Box
    ) -> Float[Array, "dim particle *state"]:
        """Acceleration f_i / m of each sphere by contacts with others and with the walls of `box`, without gravity."""
        apart = [axis[:, None] - axis[None] for axis in position]
        away = [axis[:, None] - axis[None] for axis in velocity]
        square = sum(r * r for r in apart)
        inverse = jax.lax.rsqrt(jnp.maximum(square, _TINY))
        opening = sum(r * u for r, u in zip(apart, away, strict=True)) * inverse * inverse
        spring = self.stiffness * (self.diameter * inverse - 1) - self.damping * opening
        # Force divided by distance: multiplied by r_ii = 0 it vanishes, so no particle pushes itself.
        strength = jnp.where(square < self.diameter**2, spring, 0)
        force = jnp.stack([jnp.sum(strength * r, axis=1) for r in apart]) + self._wall_force(position, velocity, box)
        return force / self.mass

    def spread(
        self, position: Float[Array, "dim particle *state"], box: Box, sweeps: int
    ) -> Float[Array, "dim particle *state"]:
        """Push overlapping spheres apart by half their overlap each, and back into the box, `sweeps` times."""
        radius, rank = self.diameter / 2, position.ndim - 1
        size = jnp.asarray(box.size, position.dtype).reshape(-1, *[1] * rank)

        def sweep(_, position):
            apart = position[:, :, None] - position[:, None]
            distance = jnp.sqrt(jnp.maximum(jnp.sum(apart * apart, axis=0), _TINY))
            overlap = jnp.maximum(self.diameter - distance, 0)
            position = position + jnp.sum(overlap / (2 * distance) * apart, axis=2)
            return jnp.clip(position, radius, size - radius)

        return jax.lax.fori_loop(0, sweeps, sweep, position)

    def elastic(self, position: Float[Array, "dim particle *state"], box: Box) -> Float[Array, "*state"]:
        """Energy in the springs: Σ ½ k δ² over contacts with spheres and with walls."""
        overlap = self._overlap(position)[1]
        pairs = jnp.sum(jnp.square(overlap), axis=(0, 1)) / 4
        walls = sum(jnp.sum(jnp.square(overlap), axis=0) for _, _, overlap in self._walls(position, box)) / 2
        return self.stiffness * (pairs + walls)

    def dissipation(
        self, position: Float[Array, "dim particle *state"], velocity: Float[Array, "dim particle *state"], box: Box
    ) -> Float[Array, "*state"]:
        """Power that the dashpots turn into heat: Σ γ (u·n)² over contacts, with u the relative velocity."""
        normal, overlap = self._overlap(position)
        opening = jnp.sum((velocity[:, :, None] - velocity[:, None]) * normal, axis=0)
        pairs = jnp.sum(jnp.where(overlap > 0, jnp.square(opening), 0), axis=(0, 1)) / 2
        walls = sum(
            jnp.sum(jnp.where(overlap > 0, jnp.square(velocity[axis]), 0), axis=0)
            for axis, _, overlap in self._walls(position, box)
        )
        return self.damping * (pairs + walls)

    def _overlap(self, position: Array) -> tuple[Array, Array]:
        """Unit vectors n_ij (dim, i, j, *state) and δ_ij where spheres touch, 0 elsewhere (i, j, *state)."""
        apart = position[:, :, None] - position[:, None]
        distance = jnp.sqrt(jnp.maximum(jnp.sum(apart * apart, axis=0), _TINY))
        others = ~jnp.eye(position.shape[1], dtype=bool).reshape(*[position.shape[1]] * 2, *[1] * (position.ndim - 2))
        return apart / distance, jnp.where(others, jnp.maximum(self.diameter - distance, 0), 0)

    def _walls(self, position: Array, box: Box) -> list[tuple[int, int, Array]]:
        """Axis, direction of the push (1: up the axis) and overlap (particle, *state) of every wall."""
        radius, walls = self.diameter / 2, []
        for axis, (length, (low, high)) in enumerate(zip(box.size, box.closed, strict=True)):
            if low:
                walls.append((axis, 1, jnp.maximum(radius - position[axis], 0)))
            if high:
                walls.append((axis, -1, jnp.maximum(radius - (length - position[axis]), 0)))
        return walls

    def _wall_force(self, position: Array, velocity: Array, box: Box) -> Array:
        force = [jnp.zeros_like(axis) for axis in position]
        for axis, push, overlap in self._walls(position, box):
            spring = push * self.stiffness * overlap - self.damping * velocity[axis]
            force[axis] = force[axis] + jnp.where(overlap > 0, spring, 0)
        return jnp.stack(force)
