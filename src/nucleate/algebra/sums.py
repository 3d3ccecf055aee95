"""Sums of monomials over the nodes of a network: all that its loss depends on."""

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Complex

from nucleate.algebra.characters import Characters

ENTRIES = 2**22
"""The most products that are held at once: 64 MB."""


@final
@dataclass(frozen=True, eq=False)
class Monomials:
    """The sums of monomials of a solution z, each of them a ring homomorphism.

        r_{k₁k₂k} = Σ_j z_{ak₁j} z_{bk₂j} z_{ckj},    r_{pk₁k₂k} = Σ_j z_{pk₁j} z_{pk₂j} z_{ckj},    p ∈ {a, b}

        r(1) = 1,    r(z₁ + z₂) = r(z₁) + r(z₂),    r(z₁ * z₂) = r(z₁) r(z₂)

    j: nodes; `cross`: r_{k₁k₂k}; `squares`: r_{pk₁k₂k}, row 0 for a, row 1 for b. Source: [tian2024cogo].

    >>> from nucleate.algebra import monomials, syn
    >>> r = monomials(syn().at(Characters.cyclic(5), 1))
    >>> round(r.cross[1, 1, 1].real), abs(r.cross[1, 4, 1]).round(12).item(), round(r.squares[0, 1, 1, 1].real)
    (3, 0.0, 3)
    """

    characters: Characters
    cross: Complex[np.ndarray, "freq freq freq"]
    squares: Complex[np.ndarray, "2 freq freq freq"]

    @classmethod
    def of(cls, characters: Characters, z: Complex[np.ndarray, "3 freq node"]) -> "Monomials":
        """The sums of z, whose rows are a, b and c."""
        a, b, c = z
        return cls(characters, _sums(a, b, c), np.stack([_sums(a, a, c), _sums(b, b, c)]))

    @cached_property
    def by_sum(self) -> Complex[np.ndarray, "2 freq freq freq"]:
        """r_{p,k',m−k',k} with the axes p, m, k', k."""
        frequencies = np.arange(self.characters.order)
        difference = self.characters.sum[:, self.characters.negative]  # m − k'
        return self.squares[:, frequencies[None, :], difference]


def _sums(
    x: Complex[np.ndarray, "freq node"], y: Complex[np.ndarray, "freq node"], c: Complex[np.ndarray, "freq node"]
) -> Complex[np.ndarray, "freq freq freq"]:
    # Some k₁ at a time: all products at once have d² q entries, 4 GB for the memorising solution of 127 elements.
    rows = max(1, ENTRIES // max(1, y.size))
    return np.concatenate([(x[i : i + rows, None] * y) @ c.T for i in range(0, len(x), rows)])
