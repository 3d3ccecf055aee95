r"""Normal equations: everything that a linear fit of forces needs, summed in one pass over configurations."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float
from scipy.linalg import solve

from nucleate.theories.pairs.basis import Basis
from nucleate.theories.pairs.terms import PairTerms

_CHUNK = 32  # configurations in memory at once: few enough for the processor's cache
_FLOOR = 1e-11  # of the mean diagonal: constants exert no force, so the data do not determine them

Columns = Callable[[np.ndarray], np.ndarray]
"""Further columns of the design: from embeddings [config, token, dim] to [config, token, dim, column]."""


@final
@dataclass(frozen=True, eq=False)
class NormalEquations:
    r"""The sums that determine the best coefficients, and the error of any coefficients.

        |F − X c|² = F·F − 2 c·b + cᵀ G c,    G = Xᵀ X,  b = Xᵀ F

    X: the design, with a row for each coordinate of each configuration; F: the recorded gradients; `total`: ΣF for
    each coordinate, because R² is relative to the mean. The sums of two sets of configurations can be added.

    >>> x, force = np.ones((2, 1, 1, 1)), np.array([[[1.0]], [[3.0]]])
    >>> NormalEquations.of(x, force).solve(np.zeros((1, 1))).round(6).tolist()
    [2.0]
    """

    gram: Float[np.ndarray, "column column"]
    moment: Float[np.ndarray, " column"]
    square: float
    total: Float[np.ndarray, "token dim"]
    count: int

    @classmethod
    def of(
        cls, design: Float[np.ndarray, "config token dim column"], force: Float[np.ndarray, "config token dim"]
    ) -> "NormalEquations":
        """The sums over the given configurations."""
        flat = design.reshape(force.size, design.shape[-1])
        return cls(flat.T @ flat, force.ravel() @ flat, float(np.sum(force**2)), force.sum(axis=0), len(force))

    def __add__(self, other: "NormalEquations") -> "NormalEquations":
        return NormalEquations(
            self.gram + other.gram,
            self.moment + other.moment,
            self.square + other.square,
            self.total + other.total,
            self.count + other.count,
        )

    def restricted(self, columns: slice) -> "NormalEquations":
        """The sums for a design that keeps only `columns`."""
        return NormalEquations(self.gram[columns, columns], self.moment[columns], self.square, self.total, self.count)

    def solve(self, penalty: Float[np.ndarray, "column column"]) -> Float[np.ndarray, " column"]:
        """argmin_c |F − X c|² + cᵀ penalty c."""
        size = len(self.moment)
        matrix = self.gram + penalty
        floor = _FLOOR * max(np.trace(matrix) / size, np.finfo(float).tiny)
        return solve(matrix + floor * np.eye(size), self.moment, assume_a="pos")

    def r2(self, coefficients: Float[np.ndarray, " column"]) -> float:
        """1 − |F − X c|²/|F − mean F|²."""
        missed = self.square - 2 * self.moment @ coefficients + coefficients @ self.gram @ coefficients
        around_mean = self.square - float(np.sum(self.total**2)) / self.count
        return float(1 - missed / around_mean) if around_mean > 0 else float("nan")


def accumulate(
    terms: PairTerms,
    bases: tuple[Basis, Basis],
    embedding: Float[np.ndarray, "config token dim"],
    force: Float[np.ndarray, "config token dim"],
    extra: Columns | None = None,
) -> NormalEquations:
    r"""Sum the normal equations of pair potentials over configurations, one chunk at a time.

    Columns: those of `bases`, the attractive one first, then those of `extra`. No array grows with the number of
    configurations.

    >>> from nucleate.theories.pairs.basis import SplineBasis
    >>> from nucleate.theories.pairs.terms import pair_terms
    >>> from nucleate.theories.pairs.symmetry import Parity
    >>> terms = pair_terms(np.array([[0, 2], [1, 1], [0, 1]]), np.array([2, 2, 1]), 3, Parity())
    >>> bases = 2 * (SplineBasis(Parity(), 4.0, cells=4, axes=1),)
    >>> accumulate(terms, bases, np.ones((5, 3, 1)), np.ones((5, 3, 1))).gram.shape
    (12, 12)
    """
    result = None
    for start in range(0, len(embedding), _CHUNK):
        part = embedding[start : start + _CHUNK]
        columns = [bases[0].design(terms.same, part), bases[1].design(terms.different, part)]
        if extra is not None:
            columns.append(extra(part))
        sums = NormalEquations.of(np.concatenate(columns, axis=-1), force[start : start + _CHUNK])
        result = sums if result is None else result + sums
    if result is None:
        raise ValueError("accumulate needs at least one configuration; got none.")
    return result
