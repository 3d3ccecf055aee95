"""The loss of a network, written as sums of monomials."""

from dataclasses import dataclass
from typing import final

import numpy as np
from jaxtyping import Float

from nucleate.algebra.sums import Monomials


@final
@dataclass(frozen=True, eq=False)
class LossTerms:
    """The mean square error over all pairs of elements, in parts that belong to conditions on r, for each frequency.

        ℓ = d⁻¹ Σ_{k≠0} (goal_k + cross_k + constant_k + squares_k + means_k)

        goal_k = |r_kkk − 1|²,    cross_k = Σ_{(k₁,k₂)≠(k,k)} |r_{k₁k₂k}|²
        constant_k = ¼ |Σ_p Σ_k' r_{p,k',−k',k}|²,    squares_k = ¼ Σ_{m≠0} Σ_p |Σ_k' r_{p,k',m−k',k}|²
        means_k = Re Σ_m (r̄_{m0k} Σ_k' r_{a,k',m−k',k} + r̄_{0mk} Σ_k' r_{b,k',m−k',k})

    r: see `Monomials`. `goal`, `cross`, `constant` and `squares` are 0 where R_g, R_c, R_n and R_* hold: see
    `Conditions`. [tian2024cogo] has −2 r_kkk + |r_kkk|² in each ℓ_k and adds 1 − 1/d to the sum, where `goal` is a
    square, so that a loss of 10⁻³⁰ is not lost in rounding; and it has no `means`, which are 0 if z_{p0} = 0. Entry 0
    of every part is 0: outputs are compared after their mean is taken away.

    >>> from nucleate.algebra import Characters, decompose, order_six
    >>> terms = decompose(0.9 * order_six(Characters.cyclic(5)))
    >>> terms.goal.round(4).tolist(), terms.cross.round(4).tolist()  # (1 − 0.9³)² at every frequency
    ([0.0, 0.0734, 0.0734, 0.0734, 0.0734], [0.0, 0.0, 0.0, 0.0, 0.0])
    """

    goal: Float[np.ndarray, " freq"]
    cross: Float[np.ndarray, " freq"]
    constant: Float[np.ndarray, " freq"]
    squares: Float[np.ndarray, " freq"]
    means: Float[np.ndarray, " freq"]

    @classmethod
    def of(cls, r: Monomials) -> "LossTerms":
        """The parts of the loss, from the sums of monomials."""
        frequencies = np.arange(r.characters.order)
        each = r.cross[frequencies, frequencies, frequencies]
        coefficients = r.by_sum.sum(axis=2)  # p, m, k
        crossed = (np.abs(r.cross) ** 2).sum(axis=(0, 1)) - np.abs(each) ** 2
        constant = np.abs(coefficients[:, 0].sum(axis=0)) ** 2 / 4
        squares = (np.abs(coefficients[:, 1:]) ** 2).sum(axis=(0, 1)) / 4
        with_mean = np.stack([r.cross[:, 0], r.cross[0]])  # r_{m0k} and r_{0mk}
        means = np.real(with_mean.conj() * coefficients).sum(axis=(0, 1))
        parts = (np.abs(each - 1) ** 2, crossed, constant, squares, means)
        return cls(*(np.where(frequencies == 0, 0.0, part) for part in parts))

    @property
    def frequencies(self) -> Float[np.ndarray, " freq"]:
        """ℓ_k + 1, the sum of the parts of each frequency; ℓ_k as [tian2024cogo] has it is 1 less for k ≠ 0."""
        return self.goal + self.cross + self.constant + self.squares + self.means

    @property
    def total(self) -> float:
        """ℓ, the loss."""
        return float(self.frequencies.mean())
