r"""Is the force conservative? The residual of a potential is searched for a swirl, on held-out runs."""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from nucleate.theories.pairs.basis import Basis
from nucleate.theories.pairs.normal_equations import NormalEquations, accumulate
from nucleate.theories.pairs.record import Configurations
from nucleate.theories.pairs.solvers import ridge_penalty
from nucleate.theories.pairs.terms import PairTerms


@final
@dataclass(frozen=True)
class CurlTest:
    r"""How much of the force a pair potential, any more general potential, and a swirl explain.

    R² on held-out runs: `pair` with f_a and f_r alone; `conservative` with any quadratic potential added;
    `general` with any linear force added, even one without a potential. A curl is `detected` if
    this last step gains more than `threshold`.

    >>> CurlTest(pair=0.7, conservative=0.72, general=0.9, threshold=0.01).detected
    True
    """

    pair: float
    conservative: float
    general: float
    threshold: float

    @property
    def gain(self) -> float:
        """The R² that only a non-conservative force can add."""
        return self.general - self.conservative

    @property
    def detected(self) -> bool:
        """Whether the gain is more than the threshold."""
        return bool(self.gain > self.threshold)


def linear_columns(embedding: Float[np.ndarray, "config token dim"]) -> Float[np.ndarray, "config token dim column"]:
    r"""A basis of all linear force laws, the conservative ones first.

        F = a + S R + A R,    S = Sᵀ,  A = −Aᵀ

    a + S R is the gradient of a·R + ½ Rᵀ S R; A R has the curl 2A and is not a gradient. Columns: n
    for a, n(n+1)/2 for S, n(n−1)/2 for A, where n is the number of coordinates.

    >>> linear_columns(np.ones((5, 3, 2))).shape
    (5, 3, 2, 42)
    """
    configs, tokens, dim = embedding.shape
    n = tokens * dim
    flat = embedding.reshape(configs, n)
    blocks = [np.broadcast_to(np.eye(n), (configs, n, n))]
    for sign, offset in ((1, 0), (-1, 1)):
        first, second = np.triu_indices(n, k=offset)
        block = np.zeros((configs, n, len(first)))
        column = np.arange(len(first))
        block[:, first, column] = flat[:, second]
        off = first != second
        block[:, second[off], column[off]] = sign * flat[:, first[off]]
        blocks.append(block)
    return np.concatenate(blocks, axis=-1).reshape(configs, tokens, dim, n + n * n)


def curl_test(
    terms: PairTerms,
    bases: tuple[Basis, Basis],
    halves: tuple[Configurations, Configurations],
    ridge: float = 1e-4,
    threshold: float = 0.01,
) -> CurlTest:
    r"""Look for a curl: does a force that is not a gradient predict held-out runs better?

        F = ∇U_pair + a + S R        against        F = ∇U_pair + a + S R + A R,    A = −Aᵀ

    Both are linear and solved exactly: on one half of the runs and scored on the other, then the other way
    round. The symmetric S absorbs what a quadratic potential beyond pairs of pairs explains, so
    that a missing potential is not mistaken for a swirl. The test sees a curl that does not vanish on average over
    the data, and misses one that does (a vortex here, its mirror image there). Where the potential is
    badly misspecified, the gain may come from the best linear approximation over the particular data: compare
    `pair` and `conservative`. `halves`: configurations of disjoint runs. Source: [mehta2024repons], Section 4, leaves
    open "the extent to which the assumption of conservativeness holds".

    >>> from nucleate.theories.pairs.basis import SplineBasis
    >>> from nucleate.theories.pairs.terms import pair_terms
    >>> from nucleate.theories.pairs.symmetry import Parity
    >>> terms = pair_terms(np.array([[0, 0], [0, 1], [1, 1]]), np.array([0, 1, 2]), 2, Parity())
    >>> r = np.random.default_rng(0).normal(size=(2, 50, 2, 1))
    >>> swirl = np.array([[0.0, 1.0], [-1.0, 0.0]]) @ r
    >>> halves = Configurations(r[0], swirl[0]), Configurations(r[1], swirl[1])
    >>> bases = 2 * (SplineBasis(Parity(), 4.0, cells=4, axes=1),)
    >>> curl_test(PairTerms(terms.different, terms.different), bases, halves).detected
    True
    """
    sums = [accumulate(terms, bases, half.embedding, half.gradient, linear_columns) for half in halves]
    n = halves[0].embedding[0].size
    conservative = len(sums[0].moment) - n * (n - 1) // 2
    pair = conservative - n - n * (n + 1) // 2

    def held_out(columns: int) -> float:
        parts = [part.restricted(slice(columns)) for part in sums]
        scores = [test.r2(_solve(train, bases, ridge)) for train, test in (parts, parts[::-1])]
        return float(np.mean(scores))

    return CurlTest(held_out(pair), held_out(conservative), held_out(len(sums[0].moment)), threshold)


def _solve(train: NormalEquations, bases: tuple[Basis, Basis], ridge: float) -> Float[np.ndarray, " column"]:
    smooth = ridge_penalty(train, bases, ridge)
    penalty = np.zeros_like(train.gram)
    penalty[: len(smooth), : len(smooth)] = smooth
    return train.solve(penalty)
