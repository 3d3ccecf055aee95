"""Parallelograms: the structure by which a representation of addition generalises.

Pairs (i, j) and (m, n) with the same label form a parallelogram when E_i + E_j = E_m + E_n. A decoder that
reads only the sum then gives both the same answer, so a network that has learned one pair also knows the other.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Integer

from nucleate.checking import checked
from nucleate.observables.centring import centred
from nucleate.observables.closeness import Closeness, MeanSquare

AUTHORS = MeanSquare()


@checked
def parallelograms(label: Integer[Array | np.ndarray, " pair"]) -> Integer[np.ndarray, "parallelogram 2"]:
    """List every two pairs that share a label: the permissible parallelograms P0.

        P0 = {(P, Q) | P < Q, label_P = label_Q}

    label: the label of each pair; P, Q: indices of pairs. Ordered pairs also give the trivial parallelograms
    (i, j), (j, i), whose equation is 0 = 0. Source: [liu2022grokking], Eq. 1.

    >>> i, j = np.triu_indices(10)
    >>> len(parallelograms(i + j))
    70
    """
    label = np.asarray(label)
    return np.argwhere(np.triu(label[:, None] == label, k=1))


@checked
def equations(
    pairs: Integer[Array | np.ndarray, "pair 2"],
    quads: Integer[Array | np.ndarray, "parallelogram 2"],
    tokens: int,
) -> Float[np.ndarray, "parallelogram token"]:
    """Write each parallelogram as a row of the linear system A E = 0.

        A_q = e_i + e_j − e_m − e_n

    e_k: unit vector of token k of `tokens`; (i, j), (m, n): the two `pairs` listed in row q of `quads`.
    Source: [liu2022grokking], Eq. 7.

    >>> equations(np.array([[0, 2], [1, 1]]), np.array([[0, 1]]), tokens=3).tolist()
    [[1.0, -2.0, 1.0]]
    """
    sums = np.eye(tokens)[np.asarray(pairs)].sum(axis=1)
    first, second = np.asarray(quads).T
    return sums[first] - sums[second]


@checked
def known(
    quads: Integer[Array | np.ndarray, "parallelogram 2"], in_train: Bool[Array | np.ndarray, "*set pair"]
) -> Bool[np.ndarray, "*set parallelogram"]:
    """Which parallelograms have both pairs in the training set: membership in P0(D).

        P0(D) = {(P, Q) ∈ P0 | P ∈ D and Q ∈ D}

    quads: the pairs P, Q of each parallelogram; in_train: whether each pair is in D, for any number of sets.
    Source: [liu2022grokking], Eq. 1.

    >>> known(np.array([[0, 1], [1, 2]]), np.array([True, True, False])).tolist()
    [True, False]
    """
    in_train = np.asarray(in_train)
    first, second = np.asarray(quads).T
    return in_train[..., first] & in_train[..., second]


@checked
def normalized(embedding: Float[Array | np.ndarray, "token dim"]) -> Float[Array, "token dim"]:
    """Scale each dimension to mean 0 and variance 1 over the tokens; a constant dimension becomes 0.

        Ẽ_k = (E_k − μ) / σ,    σ² = Σ_k (E_k − μ)² / (p − 1)

    E_k: embedding of token k of p; μ: its mean. This is the authors' code; the paper's text has p for p − 1
    and σ for σ². Source: [liu2022grokking], Section 3.2.

    >>> normalized(np.array([[1.0, 7.0], [2.0, 7.0], [3.0, 7.0]])).tolist()
    [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    """
    offset = centred(embedding, per_dim=True)
    variance = jnp.var(offset, axis=0, ddof=1)
    return offset / jnp.sqrt(jnp.where(variance > 0, variance, 1))


@checked
def formed(
    embedding: Float[Array | np.ndarray, "token dim"],
    equations: Float[Array | np.ndarray, "parallelogram token"],
    closeness: Closeness = AUTHORS,
) -> Bool[Array, " parallelogram"]:
    """Which parallelograms the normalised embedding closes: membership in P(R).

        P(R) = {q ∈ P0 | A_q Ẽ is close to 0}

    A: the `equations`; Ẽ: the `normalized` embedding; closeness: the rule for what counts as close. An
    embedding with a NaN forms none. Source: [liu2022grokking], Eq. 2.

    >>> A = np.array([[1.0, -2.0, 1.0, 0.0], [0.0, 1.0, -2.0, 1.0]])
    >>> formed(np.array([[0.0], [1.0], [2.0], [7.0]]), A).tolist()
    [True, False]
    """
    return closeness(jnp.asarray(equations) @ normalized(embedding))


@checked
def rqi(
    embedding: Float[Array | np.ndarray, "token dim"],
    equations: Float[Array | np.ndarray, "parallelogram token"],
    closeness: Closeness = AUTHORS,
) -> Float[Array, ""]:
    """Representation quality index: the share of permissible parallelograms that are formed.

        RQI(R) = |P(R)| / |P0|

    P(R): see `formed`; P0: all rows of `equations`. Source: [liu2022grokking], Eq. 3.

    >>> A = np.array([[1.0, -2.0, 1.0, 0.0], [0.0, 1.0, -2.0, 1.0]])
    >>> float(rqi(np.array([[0.0], [1.0], [2.0], [7.0]]), A))
    0.5
    """
    return jnp.mean(formed(embedding, equations, closeness))


@checked
def covered(
    formed: Bool[Array | np.ndarray, "*set parallelogram"],
    quads: Integer[Array | np.ndarray, "parallelogram 2"],
    in_train: Bool[Array | np.ndarray, "*set pair"],
) -> Bool[Array, "*set pair"]:
    """Which pairs are answered correctly: training pairs, and pairs tied to one by a parallelogram.

        D̄(D, P) = D ∪ {Q | ∃ P' ∈ D: (P', Q) ∈ P}

    formed: membership of each parallelogram in P; quads: its pairs; in_train: membership of each pair in D.
    Source: [liu2022grokking], Eq. 12.

    >>> covered(np.array([True, False]), np.array([[0, 1], [0, 2]]), np.array([True, False, False])).tolist()
    [True, True, False]
    """
    formed, in_train = jnp.asarray(formed), jnp.asarray(in_train)
    first, second = jnp.asarray(quads).T
    reached = in_train.at[..., first].max(formed & in_train[..., second])
    return reached.at[..., second].max(formed & in_train[..., first])


@checked
def predicted_accuracy(
    formed: Bool[Array | np.ndarray, " parallelogram"],
    quads: Integer[Array | np.ndarray, "parallelogram 2"],
    in_train: Bool[Array | np.ndarray, " pair"],
) -> Float[Array, ""]:
    """Accuracy over all pairs that the formed parallelograms make possible.

        Âcc = |D̄(D, P)| / |D0|

    D̄: see `covered`; D0: all pairs, training and test. Source: [liu2022grokking], Eq. 13.

    >>> quads, in_train = np.array([[0, 1], [2, 3]]), np.array([True, False, False, False])
    >>> float(predicted_accuracy(np.array([True, True]), quads, in_train))
    0.5
    """
    return jnp.mean(covered(formed, quads, in_train))


@checked
def linear_residual(embedding: Float[Array | np.ndarray, "token dim"]) -> Float[Array, ""]:
    """Share of the embedding's variance that no arithmetic progression explains: 0 on a line, at most 1.

        min_{a,b} Σ_k |E_k − a − k b|² / Σ_k |E_k − μ|²

    E_k: embedding of token k = 0..p−1; μ: its mean; a, b: any vectors. A constant embedding is the line b = 0
    and gives 0. Source: the linear structure of [liu2022grokking], Section 3.1.

    >>> float(linear_residual(np.array([[1.0], [-1.0], [-1.0], [1.0]])))
    1.0
    """
    offset = centred(embedding)
    k = jnp.arange(len(offset)) - (len(offset) - 1) / 2
    slope = k @ offset / jnp.maximum(k @ k, 1)
    residual = offset - jnp.outer(k, slope)
    total = jnp.sum(jnp.square(offset))
    return jnp.minimum(jnp.sum(jnp.square(residual)) / jnp.where(total > 0, total, 1), 1)
