r"""What training conserves in attention and the units that read it: one law for each kind of attention.

For one query, orthonormal embeddings and equal learning rates, gradient flow ties the logits z to V = U_Cᵀ W
(Theorem 1 of [tian2023joma]). What remains of z once the part that V explains is taken away is constant.
"""

import abc
from dataclasses import dataclass
from typing import Annotated, final

import numpy as np
from jaxtyping import Float

from nucleate.checking import Above, Checked


class JointLaw(Checked, abc.ABC):
    """A quantity of each token that training conserves: a function of the logits minus what the units explain of it."""

    many_queries: bool
    """Whether the sum over queries is conserved if several share the units."""

    @abc.abstractmethod
    def of_logits(self, logits: Float[np.ndarray, "*row query token"]) -> Float[np.ndarray, "*row token"]:
        """The part of the invariant that is made of logits, summed over queries."""

    @abc.abstractmethod
    def explained(
        self, values: Float[np.ndarray, "*row token unit"], attention: Float[np.ndarray, "*#row token"]
    ) -> Float[np.ndarray, "*row token"]:
        """The part that is made of V; `attention`: b̄, the mean attention, which only softmax needs."""

    @abc.abstractmethod
    def to_logits(
        self, quantity: Float[np.ndarray, "*row token"], start: Float[np.ndarray, "*#row token"]
    ) -> Float[np.ndarray, "*row token"]:
        """The logits of one query whose `of_logits` is `quantity`; `start`: those at the start, for their signs."""


@final
@dataclass(frozen=True)
class LinearLaw(JointLaw):
    """Linear attention: Σ_m z_m² − Σ_k v_k² is constant. Source: [tian2023joma], Theorem 1.

    >>> LinearLaw().explained(np.array([[1.0, 2.0]]), np.ones(1)).tolist()
    [5.0]
    """

    many_queries = True

    def of_logits(self, logits: Float[np.ndarray, "*row query token"]) -> Float[np.ndarray, "*row token"]:
        return np.square(logits).sum(-2)

    def explained(
        self, values: Float[np.ndarray, "*row token unit"], attention: Float[np.ndarray, "*#row token"]
    ) -> Float[np.ndarray, "*row token"]:
        return np.square(values).sum(-1)

    def to_logits(
        self, quantity: Float[np.ndarray, "*row token"], start: Float[np.ndarray, "*#row token"]
    ) -> Float[np.ndarray, "*row token"]:
        return np.where(start < 0, -1, 1) * np.sqrt(np.maximum(quantity, 0))


@final
@dataclass(frozen=True)
class ExpLaw(JointLaw):
    """Exp attention: Σ_m z_m − ½ Σ_k v_k² is constant. Source: [tian2023joma], Theorem 1.

    >>> ExpLaw().explained(np.array([[1.0, 2.0]]), np.ones(1)).tolist()
    [2.5]
    """

    many_queries = True

    def of_logits(self, logits: Float[np.ndarray, "*row query token"]) -> Float[np.ndarray, "*row token"]:
        return logits.sum(-2)

    def explained(
        self, values: Float[np.ndarray, "*row token unit"], attention: Float[np.ndarray, "*#row token"]
    ) -> Float[np.ndarray, "*row token"]:
        return np.square(values).sum(-1) / 2

    def to_logits(
        self, quantity: Float[np.ndarray, "*row token"], start: Float[np.ndarray, "*#row token"]
    ) -> Float[np.ndarray, "*row token"]:
        return quantity


@final
@dataclass(frozen=True)
class SoftmaxLaw(JointLaw):
    """Softmax attention: z − Σ_k (v_k² − ‖v_k‖² b̄)/2T is constant, as long as b̄ is, and b is not correlated with g.

    b̄: the mean attention; T: `temperature`. On the talk's slide the bracket is ½ Σ_k v_k² − ‖v_k‖² b̄, in which the last
    term counts twice: `bracket_of_the_slide` has it so. With several queries there is no such law: each has its own b̄.
    Source: [tian2023joma], Theorem 1.

    >>> SoftmaxLaw().explained(np.array([[2.0], [0.0]]), np.array([0.5, 0.5])).tolist()
    [1.0, -1.0]
    """

    temperature: Annotated[float, Above(0)] = 1.0
    bracket_of_the_slide: bool = False
    many_queries = False

    def of_logits(self, logits: Float[np.ndarray, "*row query token"]) -> Float[np.ndarray, "*row token"]:
        return logits.sum(-2)

    def explained(
        self, values: Float[np.ndarray, "*row token unit"], attention: Float[np.ndarray, "*#row token"]
    ) -> Float[np.ndarray, "*row token"]:
        squares = np.square(values).sum(-1)
        shared = squares.sum(-1, keepdims=True) * attention
        return (squares - (2 if self.bracket_of_the_slide else 1) * shared) / (2 * self.temperature)

    def to_logits(
        self, quantity: Float[np.ndarray, "*row token"], start: Float[np.ndarray, "*#row token"]
    ) -> Float[np.ndarray, "*row token"]:
        return quantity
