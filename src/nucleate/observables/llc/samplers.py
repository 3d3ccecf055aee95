"""How a chain moves: Langevin steps, plain, preconditioned, or corrected to be exact.

A sampler sees the offset x = w − w₀ and the slope of the energy U = nβ L + γ/2 |x|². Its hooks are called inside a
compiled loop; the loop itself is in `chains.py`.
"""

import abc
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple, final

import jax.numpy as jnp
from jaxtyping import Array, Float, PyTree

from nucleate.checking import Above, AtLeast, Below, Checked
from nucleate.observables.llc.settings import Traced


class Point(NamedTuple):
    """The position of a chain, with the loss and gradient of a batch there."""

    offset: Float[Array, " free"]
    loss: Float[Array, ""]
    gradient: Float[Array, " free"]

    def slope(self, setting: Traced) -> Float[Array, " free"]:
        """∇U"""
        return setting.nbeta * self.gradient + setting.gamma * self.offset


class Sampler(Checked, abc.ABC):
    """A way to move: w ← w − ε/2 G ∇U + √(εG) N(0, 1), accepted or not."""

    exact: ClassVar[bool]  # draws follow the posterior at any step size, which needs all data in every step
    adaptive: ClassVar[bool]  # whether burn-in shapes the metric

    @abc.abstractmethod
    def start(self, zero: Float[Array, " free"]) -> PyTree[Float[Array, "..."]]:
        """The initial memory from which the metric is computed; `zero`: a vector of zeros."""

    @abc.abstractmethod
    def adapt(self, memory: PyTree, gradient: Float[Array, " free"]) -> PyTree:
        """The memory after another gradient of the loss; called during burn-in only."""

    @abc.abstractmethod
    def metric(self, memory: PyTree) -> Float[Array, "..."]:
        """The metric G, one number per parameter or one for all."""

    @abc.abstractmethod
    def acceptance(self, old: Point, new: Point, setting: Traced) -> Float[Array, ""]:
        """The probability of accepting the move from `old` to `new`."""


class Plain(Sampler):
    """Steps of equal size in all directions: G = 1."""

    adaptive = False

    def start(self, zero: Float[Array, " free"]) -> tuple[()]:
        return ()

    def adapt(self, memory: tuple[()], gradient: Float[Array, " free"]) -> tuple[()]:
        return ()

    def metric(self, memory: tuple[()]) -> Float[Array, ""]:
        return jnp.ones((), jnp.float32)


@final
@dataclass(frozen=True)
class SGLD(Plain):
    """Stochastic gradient Langevin dynamics.

        w ← w − ε/2 (nβ ∇L_m(w) + γ(w − w₀)) + √ε N(0, 1)

    L_m: the loss on a minibatch; ε, nβ, γ: see `Setting`. It overestimates λ by about (ε/8) E[nβ ∇L_m · ∇U_m], which
    `LearningCoefficient.step_bias` measures. Source: [welling2011sgld].

    >>> old, new = Point(*jnp.array([[0.0], [0.0], [0.0]])), Point(*jnp.array([[2.0], [2.0], [2.0]]))
    >>> float(SGLD().acceptance(old, new, Traced(*jnp.array([2.0, 1.0, 0.0]))))  # of any move
    1.0
    """

    exact = False

    def acceptance(self, old: Point, new: Point, setting: Traced) -> Float[Array, ""]:
        return jnp.ones((), jnp.float32)


@final
@dataclass(frozen=True)
class RMSpropSGLD(Sampler):
    """Langevin dynamics with longer steps in directions where gradients have been small.

        w ← w − ε/2 G ∇U_m + √(εG) N(0, 1),    G = 1/(δ + √V),    V ← αV + (1 − α) (∇L_m)²

    decay: α; floor: δ, which bounds G by 1/δ. V is corrected for its start at 0 and adapted during burn-in only:
    afterwards G is constant, so that draws come from one Markov chain and the curvature term Γ of the source is 0.
    A step ε that suits `SGLD` does not carry over. Source: [li2016psgld].

    >>> RMSpropSGLD(floor=0.25).metric((jnp.array([0.0, 0.5625]), jnp.array(1.0))).tolist()
    [4.0, 1.0]
    """

    decay: Annotated[float, AtLeast(0), Below(1)] = 0.99
    floor: Annotated[float, Above(0)] = 0.1
    exact = False
    adaptive = True

    def start(self, zero: Float[Array, " free"]) -> tuple[Array, Array]:
        return zero, zero.sum()

    def adapt(self, memory: tuple[Array, Array], gradient: Float[Array, " free"]) -> tuple[Array, Array]:
        square, weight = memory
        fresh = 1 - self.decay
        return self.decay * square + fresh * jnp.square(gradient), self.decay * weight + fresh

    def metric(self, memory: tuple[Array, Array]) -> Float[Array, " free"]:
        square, weight = memory
        return 1 / (self.floor + jnp.sqrt(square / jnp.where(weight > 0, weight, 1)))

    def acceptance(self, old: Point, new: Point, setting: Traced) -> Float[Array, ""]:
        return jnp.ones((), jnp.float32)


@final
@dataclass(frozen=True)
class MALA(Plain):
    """Langevin steps that are accepted or rejected, so that draws follow the posterior at any step size.

        w' = w − ε/2 ∇U(w) + √ε N(0, 1),    accepted with probability min(1, p(w') q(w | w') / p(w) q(w' | w))

    U = −log p, see `Setting`; q: the density of a proposal. Needs the `Whole` data: two minibatches cannot be compared.
    An acceptance near 0.57 mixes fastest. Source: [roberts1998mala].

    >>> w = jnp.array([0.0, 2.0])  # from 0 to 2, where L = w²/2, ε = 2, nβ = 1 and γ = 0: exp(−w²/4)
    >>> old, new = (Point(x[None], x**2 / 2, x[None]) for x in w)
    >>> round(float(MALA().acceptance(old, new, Traced(*jnp.array([2.0, 1.0, 0.0])))), 4)
    0.3679
    """

    exact = True

    def acceptance(self, old: Point, new: Point, setting: Traced) -> Float[Array, ""]:
        def mismatch(start: Point, end: Point) -> Float[Array, ""]:
            error = end.offset - start.offset + setting.step / 2 * start.slope(setting)
            return jnp.sum(jnp.square(error)) / (2 * setting.step)

        fall = setting.nbeta * (old.loss - new.loss)
        fall += setting.gamma / 2 * (jnp.sum(jnp.square(old.offset)) - jnp.sum(jnp.square(new.offset)))
        return jnp.exp(jnp.minimum(fall + mismatch(old, new) - mismatch(new, old), 0))
