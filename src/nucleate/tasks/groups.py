"""The multiplication of any finite group, on ordered pairs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import factorial, prod
from typing import final

import numpy as np
from jaxtyping import Array, Int

from nucleate.checking import Checked, conform
from nucleate.tasks.split import Split

LARGEST = 1000
"""The most elements a named group may have: its table has a million entries."""

_FACTOR = re.compile(r"([CDSA])(\d+)")


@final
@dataclass(frozen=True)
class Group(Checked):
    """A finite group: its elements are tokens 0..n−1, and `table[a][b]` is the token of a ∘ b.

    `elements`: what the tokens are called. A table that is not a group is refused, with the elements that fail.

    >>> group = Group.named("S3")
    >>> group.order, group.is_abelian, group.elements
    (6, False, ('e', '(1 2)', '(0 1)', '(0 1 2)', '(0 2 1)', '(0 2)'))
    """

    name: str
    elements: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]

    def check(self) -> None:
        if not self.table or any(len(row) != len(self.table) for row in self.table):
            self._refuse(
                f"table must be square; got {len(self.table)} rows of {sorted({*map(len, self.table)})} columns"
            )
        if len(set(self.elements)) != len(self.table):
            self._refuse(f"elements must be {len(self.table)} different names; got {self.elements}")
        self._check_closure()
        self._check_identity()
        self._check_inverses()
        self._check_associativity()

    @classmethod
    def named(cls, name: str) -> "Group":
        """A cyclic (C6), dihedral (D5: the ten symmetries of a pentagon), symmetric (S3) or alternating (A4) group, or
        a product of such groups (C2xC3). Token k of a cyclic group is the k-th power of its generator.

        >>> Group.named("C3").table
        ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        >>> Group.named("C2xC2").elements
        ('0,0', '0,1', '1,0', '1,1')
        """
        return _named(name)

    @classmethod
    def of_table(
        cls, table: Sequence[Sequence[int]] | np.ndarray, name: str = "group", elements: Sequence[str] | None = None
    ) -> "Group":
        """The group of a Cayley table: row a, column b holds the token of a ∘ b.

        >>> Group.of_table([[0, 1], [1, 0]]).is_abelian
        True
        >>> Group.of_table([[0, 1], [1, 1]])
        Traceback (most recent call last):
        ValueError: Group 'group': 1 has no inverse: 1 ∘ b is never the identity 0.
        """
        rows = conform("Group.of_table: table", table, tuple[tuple[int, ...], ...])
        return cls(name, tuple(elements) if elements is not None else tuple(map(str, range(len(rows)))), rows)

    @property
    def order(self) -> int:
        """The number of elements."""
        return len(self.table)

    @cached_property
    def products(self) -> Int[np.ndarray, "token token"]:
        """The table as an array."""
        return np.asarray(self.table, np.int32)

    @cached_property
    def identity(self) -> int:
        """The token e with e ∘ a = a ∘ e = a."""
        tokens = np.arange(self.order)
        neutral = (self.products == tokens).all(1) & (tokens == self.products.T).all(1)
        return int(np.argmax(neutral)) if neutral.any() else -1

    @cached_property
    def inverse(self) -> Int[np.ndarray, " token"]:
        """The token a⁻¹ of each token a.

        >>> Group.named("C4").inverse.tolist()
        [0, 3, 2, 1]
        """
        return np.argmax(self.products == self.identity, axis=1).astype(np.int32)

    @cached_property
    def is_abelian(self) -> bool:
        """Whether a ∘ b = b ∘ a for all a and b."""
        return bool((self.products == self.products.T).all())

    @cached_property
    def orders(self) -> Int[np.ndarray, " token"]:
        """The order of each element: the smallest k ≥ 1 with aᵏ = e.

        >>> Group.named("C4").orders.tolist()
        [1, 4, 2, 4]
        """
        tokens = np.arange(self.order)
        orders, power = np.zeros(self.order, np.int32), tokens
        for k in range(1, self.order + 1):
            orders[(power == self.identity) & (orders == 0)] = k
            power = self.products[power, tokens]
        return orders

    # --- what makes a table a group -----------------------------------------------------------------------------------

    def _refuse(self, why: str):
        raise ValueError(f"Group '{self.name}': {why}.")

    def _check_closure(self) -> None:
        outside = np.argwhere((self.products < 0) | (self.products >= self.order))
        if len(outside):
            a, b = outside[0].tolist()
            self._refuse(
                f"not closed: {self.elements[a]} ∘ {self.elements[b]} is {self.table[a][b]}, which is none of the "
                f"{self.order} tokens"
            )

    def _check_identity(self) -> None:
        if self.identity < 0:
            best = int(np.argmax((self.products == np.arange(self.order)).sum(1)))
            moved = next(b for b in range(self.order) if self.table[best][b] != b or self.table[b][best] != b)
            self._refuse(f"no identity: even {self.elements[best]} changes {self.elements[moved]}")

    def _check_inverses(self) -> None:
        one = self.products == self.identity
        for a in np.flatnonzero(~(one & one.T).any(1)).tolist():
            name, identity = self.elements[a], self.elements[self.identity]
            if not one[a].any():
                self._refuse(f"{name} has no inverse: {name} ∘ b is never the identity {identity}")
            b = self.elements[int(np.argmax(one[a]))]
            self._refuse(f"{name} has no inverse: {name} ∘ {b} is the identity {identity}, {b} ∘ {name} is not")

    def _check_associativity(self) -> None:
        for a in range(self.order):  # a row at a time: all triples at once would not fit in memory for large groups
            left, right = self.products[self.products[a]], self.products[a][self.products]
            wrong = np.argwhere(left != right)
            if len(wrong):
                x, y, z = (self.elements[i] for i in (a, *wrong[0].tolist()))
                self._refuse(f"not associative: ({x} ∘ {y}) ∘ {z} is not {x} ∘ ({y} ∘ {z})")


@cache
def _named(name: str) -> Group:
    # Inside, since SymPy is slow to import: only those who ask for a group should pay.
    from sympy.combinatorics import PermutationGroup
    from sympy.combinatorics.group_constructs import DirectProduct
    from sympy.combinatorics.named_groups import AlternatingGroup, CyclicGroup, DihedralGroup, SymmetricGroup

    families = {"C": CyclicGroup, "D": DihedralGroup, "S": SymmetricGroup, "A": AlternatingGroup}
    matches = [_FACTOR.fullmatch(part) for part in name.split("x")]
    if not all(match and int(match[2]) > 0 for match in matches):
        raise ValueError(
            f"Group.named: '{name}' is not the name of a group; use C6 (cyclic), D5 (dihedral), S3 (symmetric), A4 "
            "(alternating), or a product of such groups, C2xC3."
        )
    parts = [(match[1], int(match[2])) for match in matches if match]
    if prod(_order(*part) for part in parts) > LARGEST:
        raise ValueError(f"Group.named: {name} has more than {LARGEST:,} elements, the most that make a table.")
    kinds = [kind for kind, _ in parts]
    factors = [families[kind](degree) for kind, degree in parts]
    whole: PermutationGroup = DirectProduct(*factors) if len(factors) > 1 else factors[0]
    # Sorted by the images of the points: so the powers of a cyclic group are in their order.
    images = np.asarray(sorted(element.array_form for element in whole.elements))  # type: ignore[attr-defined]
    token = {tuple(image): token for token, image in enumerate(images.tolist())}
    # a ∘ b: first a, then b, as SymPy multiplies.
    table = tuple(tuple(token[tuple(image)] for image in images[:, first].tolist()) for first in images)
    starts = np.cumsum([factor.degree for factor in factors])[:-1]
    parts = [part - part.min() for part in np.split(images, starts, axis=1)]
    words = [[_word(kind, image) for image in part.tolist()] for kind, part in zip(kinds, parts, strict=True)]
    return Group(name, tuple(map(",".join, zip(*words, strict=True))), table)


def _order(kind: str, degree: int) -> int:
    """How many elements a group has, or some number beyond the largest: before it is made, which may take forever.

    >>> [_order(*part) for part in (("C", 6), ("D", 5), ("S", 3), ("A", 4))]
    [6, 10, 6, 12]
    """
    if kind in "SA":
        return factorial(min(degree, LARGEST)) // (2 if kind == "A" and degree > 1 else 1)
    return degree if kind == "C" else 2 * degree


def _word(kind: str, image: list[int]) -> str:
    """What an element is called: its power in a cyclic group, otherwise its cycles."""
    from sympy.combinatorics import Permutation

    if kind == "C":
        return str(image[0])
    cycles = Permutation(image).cyclic_form
    return "".join(f"({' '.join(map(str, cycle))})" for cycle in cycles) or "e"


@final
@dataclass(frozen=True)
class GroupTask(Checked):
    """All ordered pairs (a, b) of a group's elements, labelled by a ∘ b [liu2022grokking].

    There are n² pairs and n labels; pair (a, b) is row a n + b.

    >>> task = GroupTask(Group.named("S3"))
    >>> len(task.pairs), task.labels, task.label[1 * 6 + 2].item()  # first (1 2), then (0 1)
    (36, 6, 3)
    """

    group: Group

    def check(self) -> None:
        if self.group.order < 2:
            self.refuse("group", f"must have >= 2 elements; {self.group.name} has {self.group.order}")

    @cached_property
    def pairs(self) -> Int[np.ndarray, "pair 2"]:
        """The two elements of each pair."""
        n = self.group.order
        return np.indices((n, n)).reshape(2, -1).T.astype(np.int32)

    @cached_property
    def label(self) -> Int[np.ndarray, " pair"]:
        """The product of each pair: the label to predict."""
        return self.group.products.reshape(-1)

    @property
    def labels(self) -> int:
        """The number of different labels."""
        return self.group.order

    def split(self, key: Array, train_size: int) -> Split:
        """A uniformly random training set of `train_size` pairs.

        >>> import jax
        >>> split = GroupTask(Group.named("S3")).split(jax.random.key(0), 24)
        >>> int(split.in_train.sum()), split.index.shape
        (24, (32,))
        """
        total = len(self.pairs)
        if not 1 <= train_size <= total:
            raise ValueError(f"train_size must be between 1 and {total} for {self.group.name}; got {train_size}.")
        return Split.draw(key, train_size, total)
