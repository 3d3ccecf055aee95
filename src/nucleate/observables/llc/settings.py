"""The numbers that decide what a chain samples and how far it steps."""

from dataclasses import dataclass
from itertools import product
from math import isfinite
from typing import NamedTuple, final

from jaxtyping import Array, Float


class Traced(NamedTuple):
    """A `Setting` inside a compiled program, where its numbers are arrays."""

    step: Float[Array, "..."]
    nbeta: Float[Array, "..."]
    gamma: Float[Array, "..."]


@final
@dataclass(frozen=True)
class Setting:
    """A tempered posterior around a point w₀, and the size of the steps in which it is walked.

        p(w) ∝ exp(−nβ L(w) − γ/2 |w − w₀|²),    w ← w − ε/2 ∇(−log p) + √ε N(0, 1)

    step: ε; nbeta: nβ, samples times inverse temperature (n / ln n is usual); gamma: γ, how strongly w is held near
    w₀ (0: not at all, which only a loss that confines w by itself allows). L: the loss, a mean over samples. Source:
    [lau2025llc].

    >>> Setting(step=1e-4, nbeta=1000.0)
    Setting(step=0.0001, nbeta=1000.0, gamma=1.0)
    """

    step: float
    nbeta: float
    gamma: float = 1.0

    def __post_init__(self):
        for name in ("step", "nbeta"):
            value = getattr(self, name)
            if not (value > 0 and isfinite(value)):
                raise ValueError(f"Setting.{name} must be a number > 0; got {value}.")
        if not (self.gamma >= 0 and isfinite(self.gamma)):
            raise ValueError(f"Setting.gamma must be a number >= 0; got {self.gamma}.")


@final
@dataclass(frozen=True)
class Grid:
    """Every combination of step sizes, inverse temperatures and localisations.

    step, nbeta, gamma: rising values of ε, nβ and γ, see `Setting`. Whether a coefficient depends on them is the first
    question to ask of it. Source: the sweeps of [lau2025llc].

    >>> Grid(step=(1e-5, 1e-4), nbeta=(100.0, 1000.0)).settings[1]
    Setting(step=1e-05, nbeta=1000.0, gamma=1.0)
    """

    step: tuple[float, ...]
    nbeta: tuple[float, ...]
    gamma: tuple[float, ...] = (1.0,)

    def __post_init__(self):
        for name in ("step", "nbeta", "gamma"):
            values = getattr(self, name)
            if not values or list(values) != sorted(set(values)):
                raise ValueError(f"Grid.{name} must hold one or more rising values; got {values}.")

    @property
    def settings(self) -> list[Setting]:
        """All of them; gamma changes fastest."""
        return [Setting(*values) for values in product(self.step, self.nbeta, self.gamma)]

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many steps, temperatures and localisations there are."""
        return len(self.step), len(self.nbeta), len(self.gamma)
