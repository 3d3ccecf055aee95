"""Networks as elements of a semi-ring: nodes are points over the frequencies of a group."""

from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, SupportsIndex, final

import numpy as np
from jaxtyping import Complex, Num

from nucleate.algebra.characters import Characters
from nucleate.algebra.loss import LossTerms
from nucleate.algebra.sums import Monomials
from nucleate.checking import Checked, shown

ROUNDING = 1e-9
"""What counts as 0, relative to the largest |z|: z comes from sums of hundreds of numbers in float64."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Solution(Checked):
    """A network with quadratic nodes, in the Fourier basis of a finite abelian group.

        a_jx = s Σ_k z_{akj} χ_k(x),    b_jy = s Σ_k z_{bkj} χ_k(y),    c_jm = s Σ_k z_{ckj} χ̄_k(m),    s = (2d)^{-1/3}
        (z₁ + z₂): the nodes of both,    (z₁ * z₂)_{pk(j₁j₂)} = z₁_{pkj₁} z₂_{pkj₂}

    z: rows p = a, b, c, then frequencies, then nodes; χ: `characters`; d: elements of the group. Weights are real, so
    z_{p,−k} is the conjugate of z_{pk}. Sums and products make a semi-ring, up to the order of nodes. With the scale s
    of `to_weights`, a network of zero loss has r_kkk = 1: see `Monomials`. Source: [tian2024cogo].

    >>> from nucleate.algebra import nu, syn
    >>> group = Characters.cyclic(3)
    >>> z = 6 ** (-1 / 3) * (syn() * nu(1j)).at(group, 1)
    >>> z, z.order(1), z.loss < 1e-20
    (Solution(6 nodes, a group of 3 elements), 6, True)
    >>> (z + z).nodes, (z * z).nodes
    (12, 36)
    """

    __array_ufunc__ = None  # NumPy's scalars leave products to `__rmul__`
    characters: Characters
    z: Num[np.ndarray, "3 freq node"]

    def check(self) -> None:
        z, d = complex_array("Solution.z", self.z), self.characters.order
        if z.ndim != 3 or z.shape[:2] != (3, d):
            self.refuse("z", f"must have the shape (3, {d}, nodes), rows a, b, c by frequencies; got {z.shape}")
        apart = np.abs(z[:, self.characters.negative] - z.conj())
        if apart.max(initial=0) > ROUNDING * np.abs(z).max(initial=0):
            p, k, j = np.unravel_index(np.argmax(apart), z.shape)
            self.refuse(
                "z",
                f"must be conjugate at k and −k, as weights are real; row {'abc'[p]}, node {j} is {z[p, k, j]:.3g} at "
                f"frequency {k} and {z[p, self.characters.negative[k], j]:.3g} at {self.characters.negative[k]}",
            )
        object.__setattr__(self, "z", z)

    @classmethod
    def one(cls, characters: Characters) -> "Solution":
        """The 1 of the semi-ring: one node with z = 1 everywhere.

        >>> Solution.one(Characters.cyclic(3)).z.real.ravel().tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
        """
        return cls(characters, np.ones((3, characters.order, 1), complex))

    @property
    def nodes(self) -> int:
        """q, the number of hidden nodes."""
        return self.z.shape[2]

    @cached_property
    def norm(self) -> float:
        """‖z‖, the root of the sum of |z|². The weights have the norm √d (2d)^{-1/3} ‖z‖.

        >>> round(Solution.one(Characters.cyclic(3)).norm ** 2)
        9
        """
        return float(np.linalg.norm(self.z))

    @cached_property
    def loss(self) -> float:
        """Mean square error over all pairs of elements: the sum of `LossTerms`.

        >>> round((0 * Solution.one(Characters.cyclic(5))).loss, 3)  # 1 − 1/d, of a network that answers 0
        0.8
        """
        return LossTerms.of(Monomials.of(self.characters, self.z)).total

    def order(self, k: SupportsIndex) -> int:
        """The number of nodes that are at work at frequency k: those with z_a or z_b there.

        >>> from nucleate.algebra import order_six
        >>> [order_six(Characters.cyclic(5)).order(k) for k in range(5)]
        [0, 6, 6, 6, 6]
        """
        k = self.characters.frequency("Solution.order: k", k)
        return int((np.abs(self.z[:2, k]).max(axis=0) > ROUNDING * np.abs(self.z).max(initial=0)).sum())

    def __add__(self, other: Any) -> "Solution":
        if not isinstance(other, Solution):
            return NotImplemented
        group = self._group_of(other, "+")
        return Solution(group, np.concatenate([self.z, other.z], axis=2))

    def __radd__(self, other: Any) -> "Solution":
        return self if isinstance(other, int) and other == 0 else NotImplemented  # where Python's `sum` starts

    def __mul__(self, other: Any) -> "Solution":
        if isinstance(other, Real):
            return Solution(self.characters, self.z * float(other))
        if not isinstance(other, Solution):
            return NotImplemented
        group = self._group_of(other, "*")
        product = self.z[..., :, None] * other.z[..., None, :]
        return Solution(group, product.reshape(3, group.order, -1))

    def __rmul__(self, other: Any) -> "Solution":
        return self * other if isinstance(other, Real) else NotImplemented

    def __repr__(self) -> str:
        return f"Solution({self.nodes} nodes, a group of {self.characters.order} elements)"

    def _group_of(self, other: "Solution", sign: str) -> Characters:
        if self.characters != other.characters:
            here, there = self.characters.order, other.characters.order
            raise ValueError(
                f"Solution {sign} Solution needs one group; got two different ones, of {here} and {there} elements."
            )
        return self.characters


def complex_array(name: str, value: Any) -> Complex[np.ndarray, "..."]:
    """Numbers as complex128; `name`: what errors call them.

    >>> complex_array("z", [[1, 2j]]).dtype.name
    'complex128'
    """
    try:
        array = np.asarray(value, np.complex128)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be an array of numbers; got {shown(value)}.") from None
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite; got NaN or infinite entries.")
    return array
