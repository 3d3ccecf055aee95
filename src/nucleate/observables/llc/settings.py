"""The numbers that determine what a chain samples and how far it steps."""

from dataclasses import dataclass
from itertools import product
from typing import Annotated, NamedTuple, final

from jaxtyping import Array, Float

from nucleate.checking import Above, AtLeast, Checked


class Traced(NamedTuple):
    """A `Setting` inside a compiled program, where its numbers are arrays."""

    step: Float[Array, "..."]
    nbeta: Float[Array, "..."]
    gamma: Float[Array, "..."]


@final
@dataclass(frozen=True)
class Setting(Checked):
    """A tempered posterior around a point w₀, and the step size with which it is sampled.

        p(w) ∝ exp(−nβ L(w) − γ/2 |w − w₀|²),    w ← w − ε/2 ∇(−log p) + √ε N(0, 1)

    step: ε; nbeta: nβ, number of samples times inverse temperature (usually n / ln n); gamma: γ, how strongly w is held
    near w₀ (0, not at all, is only for losses that confine w themselves). L: the loss, a mean over samples.
    Source: [lau2025llc].

    >>> Setting(step=1e-4, nbeta=1000.0)
    Setting(step=0.0001, nbeta=1000.0, gamma=1.0)
    """

    step: Annotated[float, Above(0)]
    nbeta: Annotated[float, Above(0)]
    gamma: Annotated[float, AtLeast(0)] = 1.0


@final
@dataclass(frozen=True)
class Grid(Checked):
    """Every combination of step sizes, inverse temperatures and localisations.

    step, nbeta, gamma: ascending values of ε, nβ and γ, see `Setting`. The first question to ask about a coefficient is
    whether it depends on them. Source: the sweeps of [lau2025llc].

    >>> Grid(step=(1e-5, 1e-4), nbeta=(100.0, 1000.0)).settings[1]
    Setting(step=1e-05, nbeta=1000.0, gamma=1.0)
    """

    step: Annotated[tuple[float, ...], Above(0)]
    nbeta: Annotated[tuple[float, ...], Above(0)]
    gamma: Annotated[tuple[float, ...], AtLeast(0)] = (1.0,)

    def check(self) -> None:
        for name in ("step", "nbeta", "gamma"):
            values = getattr(self, name)
            if list(values) != sorted(set(values)):
                self.refuse(name, f"must hold ascending values; got {values}")

    @property
    def settings(self) -> list[Setting]:
        """All combinations; gamma changes fastest."""
        return [Setting(*values) for values in product(self.step, self.nbeta, self.gamma)]

    @property
    def shape(self) -> tuple[int, int, int]:
        """The numbers of step sizes, temperatures and localisations."""
        return len(self.step), len(self.nbeta), len(self.gamma)
