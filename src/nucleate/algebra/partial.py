"""Building blocks of solutions: a few nodes at one frequency."""

from dataclasses import dataclass
from numbers import Number
from typing import Any, SupportsIndex, final

import numpy as np
from jaxtyping import Num

from nucleate.algebra.characters import Characters
from nucleate.algebra.solution import ROUNDING, Solution, complex_array
from nucleate.checking import Checked, checked


@final
@dataclass(frozen=True, eq=False, repr=False)
class Partial(Checked):
    """A partial solution: nodes that are at work at one frequency, which is named or left open.

        (z₁ + z₂): the nodes of both,    (z₁ * z₂)_{p(j₁j₂)} = z₁_{pj₁} z₂_{pj₂},    (s z)_{pj} = s z_{pj}

    z: rows p = a, b, c, one column for each node. A sum or product of two is at the frequency that either names; if
    they name different ones, it is not defined, and `at` makes solutions of a whole group that can be added and
    multiplied. Source: [tian2024cogo].

    >>> from nucleate.algebra import nu, syn, xi
    >>> block = syn() * nu(1j) + xi(1j)
    >>> block, block.at(Characters.cyclic(7), 2).order(2)
    (Partial(8 nodes), 8)
    >>> syn().pinned(1) * nu(1j).pinned(2)
    Traceback (most recent call last):
    ValueError: Partial * Partial is not defined for two frequencies; got 1 and 2. Place each with .at(characters).
    """

    __array_ufunc__ = None  # NumPy's scalars leave products to `__rmul__`
    z: Num[np.ndarray, "3 node"]
    frequency: int | None = None

    def check(self) -> None:
        z = complex_array("Partial.z", self.z)
        if z.ndim != 2 or z.shape[0] != 3:
            self.refuse("z", f"must have the shape (3, nodes), rows a, b and c; got {z.shape}")
        if self.frequency is not None and self.frequency < 1:
            self.refuse("frequency", f"must be >= 1, as frequency 0 has no part in the loss; got {self.frequency}")
        object.__setattr__(self, "z", z)

    @property
    def nodes(self) -> int:
        """The number of nodes, which is the order of the partial solution."""
        return self.z.shape[1]

    def normalised(self) -> "Partial":
        """The same nodes, scaled to r_kkk = 1: divided by the cube root of Σ_j z_aj z_bj z_cj (real for real nodes).

        >>> from nucleate.algebra import nu, syn
        >>> float((syn() * nu(1j)).normalised().z[0, 0].real.round(4)), round(6 ** (-1 / 3), 4)
        (0.5503, 0.5503)
        """
        total = self.z.prod(axis=0).sum()
        if abs(total) <= ROUNDING * np.abs(self.z).max(initial=0) ** 3:
            raise ValueError("Partial.normalised: the products of rows a, b and c must not sum to 0; they do.")
        return self * (1 / (np.cbrt(total.real) if self._is_real else total ** (1 / 3)))

    def pinned(self, k: SupportsIndex) -> "Partial":
        """The same nodes, at frequency k.

        >>> from nucleate.algebra import syn
        >>> syn().pinned(3)
        Partial(3 nodes at frequency 3)
        """
        pinned = Partial(self.z, k)  # type: ignore[arg-type]
        _one_frequency(self.frequency, pinned.frequency, "Partial.pinned")
        return pinned

    @checked
    def at(self, characters: Characters, k: SupportsIndex | None = None) -> Solution:
        """These nodes in a group: z at frequency k, its conjugate at −k, and 0 elsewhere.

        >>> from nucleate.algebra import xi
        >>> xi(1j).at(Characters.cyclic(3), 1).z[0].tolist()
        [[0j, 0j], [(1+0j), 1j], [(1-0j), -1j]]
        """
        given = self.frequency if k is None else k
        if given is None:
            raise ValueError("Partial.at: k must be given, as the nodes are pinned to no frequency; got None.")
        place = characters.frequency("Partial.at: k", given, least=1)
        _one_frequency(self.frequency, place, "Partial.at")
        return self._at(characters, [place])

    @checked
    def everywhere(self, characters: Characters) -> Solution:
        """The same nodes at all frequencies k ≠ 0 at once: z at one of each pair ±k, its conjugate at the other.

        >>> from nucleate.algebra import unit
        >>> unit(2.0).everywhere(Characters.cyclic(3)).z.real.tolist()
        [[[0.0], [2.0], [2.0]], [[0.0], [1.0], [1.0]], [[0.0], [0.5], [0.5]]]
        """
        if self.frequency is not None:
            raise ValueError(f"Partial.everywhere: the nodes must be pinned to no frequency; got {self.frequency}.")
        return self._at(characters, characters.halves.tolist())

    @property
    def _is_real(self) -> bool:
        return bool(np.abs(np.imag(self.z)).max(initial=0) <= ROUNDING * np.abs(self.z).max(initial=0))

    def _at(self, characters: Characters, frequencies: list[int]) -> Solution:
        z = np.zeros((3, characters.order, self.nodes), complex)
        for k in frequencies:
            if characters.is_real(k) and not self._is_real:
                raise ValueError(
                    f"Partial.at: k must differ from −k for complex nodes; got {k}, which is its own negative in this "
                    "group. Only real ones, such as nu(1), can be there."
                )
            z[:, k], z[:, characters.negative[k]] = self.z, self.z.conj()
        return Solution(characters, z)

    def __add__(self, other: Any) -> "Partial":
        _refuse_solution(other, "+")
        if not isinstance(other, Partial):
            return NotImplemented
        k = _one_frequency(self.frequency, other.frequency, "Partial + Partial")
        return Partial(np.concatenate([self.z, other.z], axis=1), k)

    def __radd__(self, other: Any) -> "Partial":
        _refuse_solution(other, "+")
        return self if isinstance(other, int) and other == 0 else NotImplemented  # where Python's `sum` starts

    def __mul__(self, other: Any) -> "Partial":
        _refuse_solution(other, "*")
        if isinstance(other, Number):
            return Partial(self.z * complex(other), self.frequency)  # type: ignore[arg-type]
        if not isinstance(other, Partial):
            return NotImplemented
        k = _one_frequency(self.frequency, other.frequency, "Partial * Partial")
        return Partial((self.z[:, :, None] * other.z[:, None, :]).reshape(3, -1), k)

    def __rmul__(self, other: Any) -> "Partial":
        _refuse_solution(other, "*")
        return self * other if isinstance(other, Number) else NotImplemented

    def __repr__(self) -> str:
        where = "" if self.frequency is None else f" at frequency {self.frequency}"
        return f"Partial({self.nodes} node{'s' * (self.nodes != 1)}{where})"


def _refuse_solution(other: Any, sign: str) -> None:
    if isinstance(other, Solution):
        raise ValueError(
            f"Partial {sign} Solution is not defined: a partial solution has no group yet. Place it first, with "
            ".at(characters, k), or .everywhere(characters)."
        )


def _one_frequency(first: int | None, second: int | None, what: str) -> int | None:
    if first is not None and second is not None and first != second:
        raise ValueError(
            f"{what} is not defined for two frequencies; got {first} and {second}. Place each with .at(characters)."
        )
    return second if first is None else first
