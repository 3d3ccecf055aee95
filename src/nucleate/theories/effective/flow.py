r"""The effective loss of an embedding, and the flow down it (Section 3.2 and App. F of [liu2022grokking])."""

import abc
from dataclasses import dataclass
from typing import final

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Integer

from nucleate.checking import Checked
from nucleate.observables import known
from nucleate.record import Need
from nucleate.theories.effective.record import IN_TRAIN
from nucleate.theories.flow import relax


def effective_loss(
    embedding: Float[Array | np.ndarray, "token dim"],
    equations: Float[Array | np.ndarray, "parallelogram token"],
) -> Float[Array, ""]:
    r"""How far an embedding is from closing its parallelograms, whatever its scale.

        ℓ_eff = ℓ_0 / Z_0,    ℓ_0 = Σ_q |E_i + E_j − E_m − E_n|² = |A E|²,    Z_0 = Σ_k |E_k|²

    E: the `embedding`; A: the `equations`, a row e_i + e_j − e_m − e_n for each parallelogram q. The paper's
    text also divides ℓ_0 by the number of parallelograms, its code does not; to do so, divide
    A by the square root of that number. Source: [liu2022grokking], Eq. 5.

    >>> float(effective_loss(np.array([[1.0], [1.0], [0.0]]), np.array([[1.0, -2.0, 1.0]])))
    0.5
    """
    embedding, equations = jnp.asarray(embedding), jnp.asarray(equations)
    return jnp.sum((equations @ embedding) ** 2) / jnp.sum(embedding**2)


def exact_velocity(
    embedding: Float[Array | np.ndarray, "token dim"],
    equations: Float[Array | np.ndarray, "parallelogram token"],
) -> Float[Array, "token dim"]:
    r"""Gradient flow on the effective loss.

        dE/dt = −∂ℓ_eff/∂E = (2 ℓ_0/Z_0²) E − (2/Z_0) AᵀA E

    E: the `embedding`; A: the `equations`; ℓ_0, Z_0: see `effective_loss`. The first term restores the
    scale that the second takes away. Source: [liu2022grokking], Eq. 25.

    >>> A = np.array([[1.0, -2.0, 1.0]])
    >>> exact_velocity(np.array([[1.0], [1.0], [0.0]]), A).tolist()
    [[1.5], [-1.5], [1.0]]
    """
    embedding, equations = jnp.asarray(embedding), jnp.asarray(equations)
    residual = equations @ embedding
    z0 = jnp.sum(embedding**2)
    return 2 * jnp.sum(residual**2) / z0**2 * embedding - 2 / z0 * (equations.T @ residual)


def conserved(
    embedding: Float[Array | np.ndarray, "*batch token dim"],
) -> tuple[Float[Array, "*batch dim"], Float[Array, "*batch"]]:
    r"""The two quantities that Appendix F calls conserved: the sum and the sum of squares of an embedding.

        C = Σ_k E_k,    Z_0 = Σ_k |E_k|²

    E_k: the embedding of token k. Returns (C, Z_0). The flow of `exact_velocity` conserves Z_0, but dC/dt = (2
    ℓ_0/Z_0²) C, so C is conserved only if it is 0. The linear flow of Eq. 9 conserves C but not Z_0, which falls.
    Source: [liu2022grokking], Eqs. 24 to 27; Eq. 27 drops the term in C.

    >>> c, z0 = conserved(np.array([[1.0], [2.0]]))
    >>> c.tolist(), float(z0)
    ([3.0], 5.0)
    """
    embedding = jnp.asarray(embedding)
    return embedding.sum(axis=-2), jnp.sum(embedding**2, axis=(-2, -1))


class Flow(Checked, abc.ABC):
    """How an embedding moves under the effective loss: `ExactFlow` or `LinearizedFlow`."""

    @abc.abstractmethod
    def trajectory(
        self,
        gram: Float[np.ndarray, "*#set token token"],
        x0: Float[np.ndarray, "*#set token dim"],
        times: Float[np.ndarray, "*#set time"],
    ) -> Float[np.ndarray, "*set time token dim"]:
        """The embedding at each of `times`, from `x0` at time 0, where `gram` is AᵀA."""


@final
@dataclass(frozen=True)
class LinearizedFlow(Flow):
    r"""The flow with Z_0 frozen at its initial value and without the term that restores the scale.

        dE/dt = −H E,    H = (2/Z_0(0)) AᵀA,    E(t) = e^{−Ht} E(0)

    A: see `effective_loss`. It conserves C = Σ_k E_k but not Z_0. Source: [liu2022grokking], Eq. 9.

    >>> x0 = np.array([[1.0], [-1.0]])
    >>> LinearizedFlow().trajectory(np.array([[1.0, -1.0], [-1.0, 1.0]]), x0, np.array([0.5])).round(4)
    array([[[ 0.3679],
            [-0.3679]]])
    """

    def trajectory(
        self,
        gram: Float[np.ndarray, "*#set token token"],
        x0: Float[np.ndarray, "*#set token dim"],
        times: Float[np.ndarray, "*#set time"],
    ) -> Float[np.ndarray, "*set time token dim"]:
        """The embedding at each of `times`, from `x0` at time 0, where `gram` is AᵀA."""
        z0 = _scale(x0)
        return relax(2 / z0[..., None, None] * gram, x0, times)


@final
@dataclass(frozen=True)
class ExactFlow(Flow):
    r"""Gradient flow on the effective loss itself, the flow of `exact_velocity`.

        E(t) = √Z_0 · e^{−Ht} E(0) / |e^{−Ht} E(0)|,    H = (2/Z_0) AᵀA

    A, Z_0: see `effective_loss`. Since the flow conserves Z_0, H is constant, and the term that restores
    the scale multiplies all of E by the same factor: the flow is the linear one, kept at its initial norm. Hence
    this closed form, which is exact at any time, and hence the two flows predict the same once the scale is divided
    out, as it is in scores. Source: follows from [liu2022grokking], Eqs. 25 and 26.

    >>> x0 = np.array([[1.0], [-1.0], [1.0]])
    >>> ExactFlow().trajectory(np.diag([0.0, 1.0, 1.0]), x0, np.array([9.0]))[0].round(2) + 0
    array([[1.73],
           [0.  ],
           [0.  ]])
    """

    def trajectory(
        self,
        gram: Float[np.ndarray, "*#set token token"],
        x0: Float[np.ndarray, "*#set token dim"],
        times: Float[np.ndarray, "*#set time"],
    ) -> Float[np.ndarray, "*set time token dim"]:
        """The embedding at each of `times`, from `x0` at time 0, where `gram` is AᵀA."""
        linear = LinearizedFlow().trajectory(gram, x0, times)
        return linear * np.sqrt(_scale(x0)[..., None] / _scale(linear))[..., None, None]


def _scale(embedding: Float[np.ndarray, "*set token dim"]) -> Float[np.ndarray, "*set"]:
    return np.asarray(np.square(embedding).sum(axis=(-2, -1)))


class ParallelogramSet(Checked, abc.ABC):
    """Which parallelograms the effective loss sums over: `AllParallelograms` or `KnownParallelograms`."""

    @property
    @abc.abstractmethod
    def needs(self) -> tuple[Need, ...]:
        """What a record must hold for the choice."""

    @abc.abstractmethod
    def select(
        self,
        quads: Integer[np.ndarray, "parallelogram 2"],
        in_train: Bool[np.ndarray, "*set pair"] | None,
    ) -> Bool[np.ndarray, "*set parallelogram"]:
        """Which of `quads` count for a member that trains on `in_train`."""


@final
@dataclass(frozen=True)
class AllParallelograms(ParallelogramSet):
    """All of P0, as if the member had seen every pair: the authors' code for Figure 4.

    >>> AllParallelograms().select(np.array([[0, 1], [1, 2]]), None).tolist()
    [True, True]
    """

    @property
    def needs(self) -> tuple[Need, ...]:
        return ()

    def select(
        self,
        quads: Integer[np.ndarray, "parallelogram 2"],
        in_train: Bool[np.ndarray, "*set pair"] | None,
    ) -> Bool[np.ndarray, "*set parallelogram"]:
        """Which of `quads` count for a member that trains on `in_train`."""
        sets = () if in_train is None else in_train.shape[:-1]
        return np.ones((*sets, len(quads)), bool)


@final
@dataclass(frozen=True)
class KnownParallelograms(ParallelogramSet):
    """P0(D), the parallelograms both of whose pairs the member trains on: the paper's text.

    >>> KnownParallelograms().select(np.array([[0, 1], [1, 2]]), np.array([True, True, False])).tolist()
    [True, False]
    """

    @property
    def needs(self) -> tuple[Need, ...]:
        return (IN_TRAIN,)

    def select(
        self,
        quads: Integer[np.ndarray, "parallelogram 2"],
        in_train: Bool[np.ndarray, "*set pair"] | None,
    ) -> Bool[np.ndarray, "*set parallelogram"]:
        """Which of `quads` count for a member that trains on `in_train`."""
        if in_train is None:
            raise ValueError(f"KnownParallelograms needs {IN_TRAIN}. AllParallelograms() does without it.")
        return known(quads, in_train)
