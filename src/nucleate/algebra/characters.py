"""The characters of a finite abelian group: its Fourier basis."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import SupportsIndex, final

import numpy as np
from jaxtyping import Complex, Int

from nucleate.algebra.tables import refuse_table
from nucleate.checking import Checked, Count, checked, conform, shown


@final
@dataclass(frozen=True, repr=False)
class Characters(Checked):
    """The characters χ_k of a finite abelian group, one for each frequency k.

        χ_k(x + y) = χ_k(x) χ_k(y),    χ_k(x) = exp(2πi e_kx / n)

    x, y: elements 0..d−1; `table[x][y]` is x + y; n: `modulus`, the least common multiple of the elements' orders; e:
    `exponents`, integers, so that nothing is known only approximately. Frequency 0 is the trivial character. In a
    cyclic group, χ_k(x) = exp(2πi kx/d), and in a product of cyclic groups frequencies are numbered as elements are.
    A table that is not of an abelian group is refused, with the elements that fail. Source: [tian2024cogo].

    >>> Characters.cyclic(3).values.round(2).tolist()[1]
    [(1+0j), (-0.5+0.87j), (-0.5-0.87j)]
    >>> Characters.of([[0, 1, 2], [1, 2, 0], [2, 0, 1]]) == Characters.cyclic(3)
    True
    """

    table: tuple[tuple[int, ...], ...]

    def check(self) -> None:
        if not self.table or any(len(row) != len(self.table) for row in self.table):
            columns = sorted({*map(len, self.table)})
            self.refuse("table", f"must be square; got {len(self.table)} rows of {columns} columns")
        refuse_table(self.sums_of_elements)

    @classmethod
    def of(cls, table: Sequence[Sequence[int]] | Int[np.ndarray, "element element"]) -> "Characters":
        """The characters of the group with this Cayley table: row x, column y holds x + y.

        >>> Characters.of([[0, 1], [1, 0]]).values.real.tolist()
        [[1.0, 1.0], [1.0, -1.0]]
        """
        return cls(conform("Characters.table", table, tuple[tuple[int, ...], ...]))

    @classmethod
    @checked
    def cyclic(cls, d: Count) -> "Characters":
        """The characters of the integers modulo d.

        >>> Characters.cyclic(5)
        Characters(a group of 5 elements)
        """
        elements = np.arange(d)
        return cls.of((elements[:, None] + elements) % d)

    def __repr__(self) -> str:
        return f"Characters(a group of {self.order} elements)"

    @property
    def order(self) -> int:
        """d, the number of elements, which is also the number of frequencies."""
        return len(self.table)

    @cached_property
    def sums_of_elements(self) -> Int[np.ndarray, "element element"]:
        """x + y for all elements x and y: the table as an array."""
        return np.asarray(self.table, np.int64)

    @cached_property
    def _orders(self) -> Int[np.ndarray, " element"]:
        elements = np.arange(self.order)
        orders, multiple = np.zeros(self.order, np.int64), elements
        for n in range(1, self.order + 1):
            orders[(multiple == self._identity) & (orders == 0)] = n
            multiple = self.sums_of_elements[multiple, elements]
        return orders

    @cached_property
    def _identity(self) -> int:
        return int(np.argmax((self.sums_of_elements == np.arange(self.order)).all(axis=1)))

    @cached_property
    def modulus(self) -> int:
        """n, such that all values are n-th roots of unity.

        >>> Characters.cyclic(6).modulus
        6
        """
        return int(np.lcm.reduce(self._orders))

    @cached_property
    def exponents(self) -> Int[np.ndarray, "freq element"]:
        """e_kx of χ_k(x) = exp(2πi e_kx / n), 0 ≤ e_kx < n.

        The subgroup H = {0} grows by one element g at a time. If m g is the first multiple of g in H, then each
        character of H has m continuations to H + ⟨g⟩: those with χ(g)^m = χ(m g).

        >>> Characters.cyclic(4).exponents.tolist()
        [[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 0, 2], [0, 3, 2, 1]]
        """
        n, add = self.modulus, self.sums_of_elements
        inside = np.array([self._identity])
        exponents = np.zeros((1, self.order), np.int64)  # meaningful on `inside` only
        for g in range(self.order):
            if g in inside:
                continue
            multiples = [self._identity, g]
            while multiples[-1] not in inside:
                multiples.append(int(add[multiples[-1], g]))
            m = len(multiples) - 1
            of_g = (exponents[:, multiples[m]] // m + (np.arange(m) * (n // m))[:, None]).ravel() % n
            exponents = np.tile(exponents, (m, 1))
            cosets = [(add[inside, multiples[i]], i) for i in range(1, m)]
            for coset, i in cosets:
                exponents[:, coset] = (exponents[:, inside] + i * of_g[:, None]) % n
            inside = np.concatenate([inside, *(coset for coset, _ in cosets)])
        return exponents

    @cached_property
    def values(self) -> Complex[np.ndarray, "freq element"]:
        """χ_k(x). Conjugates are conjugates to the last bit, and 1, i, −1 and −i have no rounding.

        >>> bool((Characters.cyclic(4).values[1] == [1, 1j, -1, -1j]).all())
        True
        """
        return _roots(self.modulus)[self.exponents]

    @cached_property
    def sum(self) -> Int[np.ndarray, "freq freq"]:
        """k₁ + k₂, the frequency of the product of two characters: χ_{k₁+k₂} = χ_{k₁} χ_{k₂}.

        >>> Characters.cyclic(3).sum.tolist()
        [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
        """
        number = {row.tobytes(): k for k, row in enumerate(self.exponents)}
        sums = [(row + self.exponents) % self.modulus for row in self.exponents]
        return np.array([[number[row.tobytes()] for row in rows] for rows in sums])

    @cached_property
    def negative(self) -> Int[np.ndarray, " freq"]:
        """−k, the frequency of the conjugate character.

        >>> Characters.cyclic(5).negative.tolist()
        [0, 4, 3, 2, 1]
        """
        return np.argmin(self.sum, axis=1)

    def frequency(self, name: str, k: SupportsIndex, least: int = 0) -> int:
        """k as an integer, refused if it is none of the frequencies; `name`: what errors call it.

        >>> Characters.cyclic(5).frequency("order: k", 7)
        Traceback (most recent call last):
        ValueError: order: k must be a frequency, 0 to 4; got 7.
        """
        if isinstance(k, bool) or not hasattr(k, "__index__") or not least <= index(k) < self.order:
            raise ValueError(f"{name} must be a frequency, {least} to {self.order - 1}; got {shown(k)}.")
        return index(k)

    @cached_property
    def halves(self) -> Int[np.ndarray, " half"]:
        """One frequency of each pair {k, −k}, k ≠ 0: the smaller. If k = −k, then k alone.

        >>> Characters.cyclic(7).halves.tolist(), Characters.cyclic(6).halves.tolist()
        ([1, 2, 3], [1, 2, 3])
        """
        frequencies = np.arange(self.order)
        return frequencies[(frequencies > 0) & (frequencies <= self.negative)]

    def is_real(self, k: SupportsIndex) -> bool:
        """Whether χ_k is its own conjugate, k = −k, as only in groups of even order for k ≠ 0.

        >>> [Characters.cyclic(6).is_real(k) for k in (1, 2, 3)]
        [False, False, True]
        """
        return bool(self.negative[k] == k)


def _roots(n: int) -> Complex[np.ndarray, " root"]:
    """exp(2πi j/n) for j = 0..n−1, exactly symmetric."""
    half = np.arange(n // 2 + 1)
    upper = np.exp(2j * np.pi * half / n)
    upper[half * 2 == n] = -1
    upper[half * 4 == n] = 1j
    return np.concatenate([upper, upper[1 : (n + 1) // 2][::-1].conj()])
