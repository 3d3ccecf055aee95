r"""A nonlinear unit on a mixture of isotropic clusters (Theorem 3 of [tian2023joma]).

A unit φ(v·x + β), whose gradient g is constant within each cluster c of x = x̄_c + σξ, moves by

    v̇ = E[g φ' x] = Σ_c a_c (m_c x̄_c + σ s_c v/‖v‖),    m_c = E[φ'(r_c + σ‖v‖ ξ)],    s_c = E[φ'(r_c + σ‖v‖ ξ) ξ]

with r_c = v·x̄_c + β, ξ normal and a_c = E[g|c] P(c). Its offset β, which the residual
connection adds, moves by β̇ = Σ_c a_c m_c.
This is the theorem's form with θ₁ = ‖v‖ m_c and θ₂ = σ‖v‖² s_c; both depend on ‖v‖ as well as on r_c.
"""

import abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, final

import numpy as np
from jaxtyping import Float
from scipy.special import ndtr

from nucleate.checking import AtLeast, Checked


class UnitGain(Checked, abc.ABC):
    """How a nonlinearity passes gradients on, averaged over a normal spread of what it receives."""

    @abc.abstractmethod
    def __call__(
        self, mean: Float[np.ndarray | np.generic, "*cluster"], spread: Float[np.ndarray | np.generic, "*cluster"]
    ) -> tuple[Float[np.ndarray | np.generic, "*cluster"], Float[np.ndarray | np.generic, "*cluster"]]:
        """E[φ'(mean + spread ξ)] and E[φ'(mean + spread ξ) ξ], ξ normal."""


@final
@dataclass(frozen=True)
class ReLUGain(UnitGain):
    """Of φ = max(0, ·): the normal cdf and pdf of mean/spread. Source: Theorem 3 of [tian2023joma], in closed form.

    >>> [round(float(part), 4) for part in ReLUGain()(np.zeros(()), np.array(2.0))]  # ½ and 1/√(2π)
    [0.5, 0.3989]
    """

    def __call__(
        self, mean: Float[np.ndarray | np.generic, "*cluster"], spread: Float[np.ndarray | np.generic, "*cluster"]
    ) -> tuple[Float[np.ndarray | np.generic, "*cluster"], Float[np.ndarray | np.generic, "*cluster"]]:
        scaled = np.asarray(mean, float) / np.asarray(spread, float)
        return ndtr(scaled), np.exp(-np.square(scaled) / 2) / np.sqrt(2 * np.pi)


@final
@dataclass(frozen=True)
class SmoothGain(UnitGain):
    """Of any smooth φ, given as its `derivative`, by Gauss–Hermite quadrature with `nodes` nodes. Source: Theorem 3 of
    [tian2023joma].

    >>> smooth = SmoothGain(lambda x: 2 * x)  # φ = x²: E[2(1 + 3ξ)] = 2 and E[2(1 + 3ξ)ξ] = 6
    >>> [round(float(part), 4) for part in smooth(np.array(1.0), np.array(3.0))]
    [2.0, 6.0]
    """

    derivative: Callable[[np.ndarray], np.ndarray]
    nodes: Annotated[int, AtLeast(2)] = 60

    def __call__(
        self, mean: Float[np.ndarray | np.generic, "*cluster"], spread: Float[np.ndarray | np.generic, "*cluster"]
    ) -> tuple[Float[np.ndarray | np.generic, "*cluster"], Float[np.ndarray | np.generic, "*cluster"]]:
        at, weight = np.polynomial.hermite_e.hermegauss(self.nodes)
        weight = weight / weight.sum()
        passed = self.derivative(np.asarray(mean, float)[..., None] + np.asarray(spread, float)[..., None] * at)
        return np.sum(weight * passed, axis=-1), np.sum(weight * at * passed, axis=-1)


@final
@dataclass(frozen=True, eq=False)
class Clusters:
    """A mixture of isotropic clusters, and what a unit gains in each: `centre` x̄_c; `strength` a_c = E[g|c] P(c);
    `spread` σ.

    >>> Clusters(np.eye(2), np.array([1.0, -1.0]), np.array(0.5)).centre.shape
    (2, 2)
    """

    centre: Float[np.ndarray, "*member cluster dim"]
    strength: Float[np.ndarray, "*member cluster"]
    spread: Float[np.ndarray | np.generic, "*member"]


@final
@dataclass(frozen=True, eq=False)
class UnitState:
    """A unit: `values` v, its weights, and `offset` β, which is added to v·x.

    >>> UnitState(np.ones(2), np.array(0.0)).values.tolist()
    [1.0, 1.0]
    """

    values: Float[np.ndarray, "*row dim"]
    offset: Float[np.ndarray | np.generic, "*row"]


def thetas(
    gain: UnitGain,
    mean: Float[np.ndarray | np.generic, "*cluster"],
    size: float | np.ndarray,
    spread: float | np.ndarray,
) -> tuple[Float[np.ndarray | np.generic, "*cluster"], Float[np.ndarray | np.generic, "*cluster"]]:
    r"""θ₁ and θ₂ of Theorem 3, for clusters in which the unit receives `mean` r_c on average.

        θ₁ = ‖v‖ E[φ'(r_c + σ‖v‖ ξ)],    θ₂ = σ ‖v‖² E[φ'(r_c + σ‖v‖ ξ) ξ]

    ‖v‖: `size`; σ: `spread`. For ReLU: ‖v‖ Φ(r_c/σ‖v‖) and σ ‖v‖² ϕ(r_c/σ‖v‖), with the normal cdf Φ and pdf ϕ.
    Source: [tian2023joma], Theorem 3.

    >>> first, second = thetas(ReLUGain(), np.zeros(1), 2.0, 1.0)
    >>> first.round(4).tolist(), second.round(4).tolist()
    ([1.0], [1.5958])
    """
    passed, tilted = gain(mean, np.broadcast_to(spread * size, np.shape(mean)))
    return size * np.asarray(passed, float), spread * np.square(size) * np.asarray(tilted, float)


def cluster_velocity(gain: UnitGain, clusters: Clusters, state: UnitState) -> UnitState:
    r"""Theorem 3: the velocity of units' weights and offsets, of one unit or of one for each member.

        v̇ = ‖v‖⁻¹ Σ_c a_c θ₁(r_c) x̄_c + ‖v‖⁻³ Σ_c a_c θ₂(r_c) v,    β̇ = ‖v‖⁻¹ Σ_c a_c θ₁(r_c)

    Source: [tian2023joma], Theorem 3; see `thetas`.

    >>> one = Clusters(np.array([[1.0, 0.0]]), np.array([1.0]), np.array(1e-3))
    >>> moving = cluster_velocity(ReLUGain(), one, UnitState(np.array([1.0, 0.0]), np.array(0.0)))
    >>> moving.values.round(3).tolist(), float(moving.offset)  # a unit that is on for the whole cluster
    ([1.0, 0.0], 1.0)
    """
    values = np.asarray(state.values)
    size = np.linalg.norm(values, axis=-1, keepdims=True)
    mean = np.einsum("...cd,...d->...c", clusters.centre, values) + np.asarray(state.offset)[..., None]
    first, second = thetas(gain, mean, size, np.asarray(clusters.spread)[..., None])
    pull = np.einsum("...c,...cd->...d", clusters.strength * first, clusters.centre) / size
    push = (clusters.strength * second).sum(-1, keepdims=True) * values / size**3
    return UnitState(pull + push, (clusters.strength * first).sum(-1) / size[..., 0])
