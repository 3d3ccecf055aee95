"""What a training set determines: exact linear algebra on the parallelograms it states.

An ideal model satisfies A E = 0 for the parallelograms it knows. What else follows from them, and whether they
leave only the line E_k = a + k b, depends on the set of training pairs alone. `known` may have any number of
leading axes, one entry per training set. Everything is float64 NumPy: float32 would miscount ranks.
"""

import numpy as np
from jaxtyping import Array, ArrayLike, Bool, Float, Int, Integer, Num

from nucleate.checking import checked
from nucleate.observables.parallelograms import known as known_parallelograms

ZERO = 1e-8
"""An eigenvalue of the integer matrix AᵀA, or the squared length of a projected row of A, counts as 0 below this."""


@checked
def gram(
    equations: Float[np.ndarray, "parallelogram token"], known: Bool[np.ndarray, "*set parallelogram"]
) -> Float[np.ndarray, "*set token token"]:
    """Gram matrix of the known equations, the Hessian of the effective loss up to a factor.

        G = Σ_{q known} A_q A_qᵀ

    A_q: row q of `equations`; known: membership of each row in P0(D). Source: [liu2022grokking], Eq. 8.

    >>> gram(np.array([[1.0, -1.0], [5.0, 5.0]]), np.array([True, False])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    rows = np.asarray(equations, np.float64)
    return (rows.T * known[..., None, :]) @ rows


@checked
def nullity(
    equations: Float[np.ndarray, "parallelogram token"], known: Bool[np.ndarray, "*set parallelogram"]
) -> Int[np.ndarray | np.generic, "*set"]:
    """Count the degrees of freedom n0 that the known equations leave to each embedding dimension.

        n0 = dim {E | A_q E = 0 for all q known} = #{eigenvalues of G < 1e-8}

    A: the `equations`; G: see `gram`. All parallelograms of addition leave 2: shift and scale.
    Source: [liu2022grokking], Section 3.2.

    >>> int(nullity(np.array([[1.0, -2.0, 1.0]]), np.array([True])))
    2
    """
    return (np.linalg.eigvalsh(gram(equations, known)) < ZERO).sum(axis=-1)


@checked
def null_space(
    equations: Float[np.ndarray, "parallelogram token"], known: Bool[np.ndarray, " parallelogram"]
) -> Float[np.ndarray, "token freedom"]:
    """Orthonormal basis of the embeddings that the known equations allow: the ground states of one set.

        A_q V = 0 for all q known,    Vᵀ V = 1

    A: the `equations`; V: the basis, one column for each of the `nullity` degrees of freedom.
    Source: [liu2022grokking], Eq. 7.

    >>> abs(null_space(np.array([[1.0, -1.0]]), np.array([True]))).round(3).tolist()
    [[0.707], [0.707]]
    """
    values, vectors = np.linalg.eigh(gram(equations, known))
    return vectors[:, values < ZERO]


@checked
def implied(
    equations: Float[np.ndarray, "parallelogram token"], known: Bool[np.ndarray, "*set parallelogram"]
) -> Bool[np.ndarray, "*set parallelogram"]:
    """Which parallelograms follow from the known ones: membership in P(D).

        P(D) = {q ∈ P0 | rank A(P0(D) ∪ q) = rank A(P0(D))} = {q | A_q V = 0}

    A: the `equations`; P0(D): the known rows; V: see `null_space`. Source: [liu2022grokking], Eq. 14.

    >>> A = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0], [1.0, 0.0, -1.0], [1.0, -2.0, 2.0]])
    >>> implied(A, np.array([True, True, False, False])).tolist()
    [True, True, True, False]
    """
    values, vectors = np.linalg.eigh(gram(equations, known))
    free = vectors * (values < ZERO)[..., None, :]
    return np.square(equations @ free).sum(axis=-1) < ZERO


@checked
def ideal_rqi(
    equations: Float[np.ndarray, "parallelogram token"], known: Bool[np.ndarray, "*set parallelogram"]
) -> Float[np.ndarray | np.generic, "*set"]:
    """Representation quality index of the ideal model, which forms exactly the parallelograms its data imply.

        RQI-bar = |P(D)| / |P0|

    P(D): see `implied`; P0: all rows of `equations`. Source: [liu2022grokking], Eq. 16.

    >>> A = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0], [1.0, 0.0, -1.0], [1.0, -2.0, 2.0]])
    >>> float(ideal_rqi(A, np.array([True, True, False, False])))
    0.75
    """
    return implied(equations, known).mean(axis=-1)


def _ideally_covered(equations, quads, in_train) -> np.ndarray:
    """`covered` by all implied parallelograms; in NumPy, since JAX would compile anew for each number of sets."""
    in_train, (first, second) = np.asarray(in_train), np.asarray(quads).T
    formed, pair = implied(equations, known_parallelograms(quads, in_train)), np.eye(in_train.shape[-1], dtype=bool)
    return in_train | (formed & in_train[..., second]) @ pair[first] | (formed & in_train[..., first]) @ pair[second]


@checked
def ideal_accuracy(
    equations: Float[np.ndarray, "parallelogram token"],
    quads: Integer[Array | np.ndarray, "parallelogram 2"],
    in_train: Bool[Array | np.ndarray, "*set pair"],
) -> Float[np.ndarray | np.generic, "*set"]:
    """Accuracy of the ideal model over all pairs.

        Acc-bar = |D̄(D, P(D))| / |D0|

    D̄: see `covered`; P(D): see `implied`; D0: all pairs; quads: the pairs of each row of `equations`.
    Source: [liu2022grokking], Eq. 17.

    >>> A, quads = np.array([[1.0, -2.0, 1.0]]), np.array([[0, 1]])
    >>> ideal_accuracy(A, quads, np.array([[True, True, False], [True, False, False]])).round(3).tolist()
    [0.667, 0.333]
    """
    return _ideally_covered(equations, quads, in_train).mean(axis=-1)


@checked
def ideal_test_accuracy(
    equations: Float[np.ndarray, "parallelogram token"],
    quads: Integer[Array | np.ndarray, "parallelogram 2"],
    in_train: Bool[Array | np.ndarray, "*set pair"],
) -> Float[np.ndarray | np.generic, "*set"]:
    """Accuracy of the ideal model over the pairs outside the training set; NaN where there are none.

        |D̄(D, P(D)) \\ D| / |D0 \\ D|

    Symbols as in `ideal_accuracy`. A split whose value is below the accuracy that defines generalisation
    cannot generalise, whatever the training. Source: [liu2022grokking], Eq. 17, over the test pairs.

    >>> A, quads = np.array([[1.0, -1.0], [2.0, -2.0]]), np.array([[0, 1], [2, 3]])
    >>> float(ideal_test_accuracy(A, quads, np.array([True, True, True, False])))
    1.0
    """
    test = ~np.asarray(in_train)
    right, total = (_ideally_covered(equations, quads, in_train) & test).sum(axis=-1), test.sum(axis=-1)
    return np.where(total > 0, right / np.maximum(total, 1), np.nan)


@checked
def grokking_rate(
    equations: Float[np.ndarray, "parallelogram token"],
    known: Bool[np.ndarray, "*set parallelogram"],
    z0: Num[ArrayLike, "*#set"],
    per_parallelogram: bool = False,
) -> Float[np.ndarray | np.generic, "*set"]:
    """Rate λ3 at which the slowest mode approaches the line in the effective theory; 0 if the line is undetermined.

        λ3 = 2 g3 / Z0,    or 2 g3 / (Z0 |P0(D)|) if `per_parallelogram`

    g3: third-smallest eigenvalue of `gram`; Z0 = Σ_k |E_k|²; P0(D): the known rows. The slowest
    component shrinks e-fold in n_h = 1 / (λ3 η) steps of size η. The paper's text has the factor 1/|P0(D)|
    (Eq. 5); the authors' code has none, and only without it do the step counts match the paper's figures.
    Source: [liu2022grokking], Eqs. 5, 8, 9.

    >>> float(grokking_rate(np.array([[1.0, -2.0, 1.0]]), np.array([True]), z0=3.0))
    4.0
    """
    if equations.shape[-1] < 3:
        raise ValueError(f"grokking_rate needs equations of >= 3 tokens; got {equations.shape[-1]}.")
    third = np.linalg.eigvalsh(gram(equations, known))[..., 2]
    rate = 2 * np.where(third < ZERO, 0, third) / np.asarray(z0)
    return rate / np.maximum(known.sum(axis=-1), 1) if per_parallelogram else rate


@checked
def is_linear(
    equations: Float[np.ndarray, "parallelogram token"], known: Bool[np.ndarray, "*set parallelogram"]
) -> Bool[np.ndarray | np.generic, "*set"]:
    """Whether the training set leaves only the linear representation.

        n0 = 2  ⇔  E_k = a + k b

    n0: see `nullity`; E_k: embedding of token k; a, b: any vectors. Source: [liu2022grokking], Section 3.2.

    >>> bool(is_linear(np.array([[1.0, -2.0, 1.0]]), np.array([True])))
    True
    """
    return nullity(equations, known) == 2
