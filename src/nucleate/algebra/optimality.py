"""Conditions that are sufficient for a global optimum."""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from nucleate.algebra.sums import Monomials


@final
@dataclass(frozen=True, eq=False)
class Conditions:
    """How far a solution is from the conditions of a global optimum: the worst residual at each frequency k ≠ 0.

        R_g: r_kkk = 1                     R_c: r_{k₁k₂k} = 0 for (k₁, k₂) ≠ (k, k)
        R_n: r_{p,k',−k',k} = 0            R_*: r_{p,k',m−k',k} = 0 for m ≠ 0

    r: see `Monomials`; p ∈ {a, b}. The conditions are sufficient. Of R_n and R_* the loss needs only sums:
    Σ_p Σ_k' r_{p,k',−k',k} = 0 and Σ_k' r_{p,k',m−k',k} = 0, whose residuals are `n_sum` and `star_sum`. Entry 0 of
    every residual is 0, as no output of frequency 0 is asked for. Source: [tian2024cogo].

    >>> from nucleate.algebra import Characters, conditions, order_four, order_six
    >>> group = Characters.cyclic(5)
    >>> six, four = conditions(order_six(group)), conditions(order_four(group))
    >>> six.hold(), four.hold()
    (True, False)
    >>> four.n.round(3).tolist(), float(four.star.max().round(9))  # it fails R_n, and meets R_*
    ([0.0, 0.707, 0.707, 0.707, 0.707], 0.0)
    """

    g: Float[np.ndarray, " freq"]
    c: Float[np.ndarray, " freq"]
    n: Float[np.ndarray, " freq"]
    star: Float[np.ndarray, " freq"]
    n_sum: Float[np.ndarray, " freq"]
    star_sum: Float[np.ndarray, " freq"]

    @classmethod
    def of(cls, r: Monomials) -> "Conditions":
        """The residuals, from the sums of monomials."""
        frequencies = np.arange(r.characters.order)
        cross = np.abs(r.cross)
        cross[frequencies, frequencies, frequencies] = 0
        sums = r.by_sum.sum(axis=2)  # p, m, k
        residuals = (
            np.abs(r.cross[frequencies, frequencies, frequencies] - 1),
            cross.max(axis=(0, 1)),
            np.abs(r.by_sum[:, 0]).max(axis=(0, 1)),
            np.abs(r.by_sum[:, 1:]).max(axis=(0, 1, 2), initial=0),
            np.abs(sums[:, 0].sum(axis=0)),
            np.abs(sums[:, 1:]).max(axis=(0, 1), initial=0),
        )
        return cls(*(np.where(frequencies == 0, 0.0, residual) for residual in residuals))

    def hold(self, tolerance: float = 1e-9) -> bool:
        """Whether all four conditions hold, term by term."""
        return all(residual.max() <= tolerance for residual in (self.g, self.c, self.n, self.star))
