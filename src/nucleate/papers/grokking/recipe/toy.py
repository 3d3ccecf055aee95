"""The toy model Dec(E_a + E_b), which learns addition, as a recipe; and the structure of its task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from jaxtyping import Array, Bool, Float, Int, PyTree

from nucleate.machine import require_memory
from nucleate.models import SumDecoder
from nucleate.observables import equations, ideal_test_accuracy, parallelograms, rqi
from nucleate.papers.grokking.recipe.pairs import PairRecipe
from nucleate.tasks import AdditionTask, Split

P = 10
"""Symbols of the paper's task."""


@dataclass(frozen=True)
class Structure:
    """The pairs of addition on `p` symbols, and the parallelograms that they form."""

    p: int

    @property
    def count(self) -> int:
        """The number of parallelograms: two of the pairs that have a sum, for each of the sums.

        >>> Structure(10).count, len(Structure(10).quads)
        (70, 70)
        """
        pairs = [min(total, 2 * self.p - 2 - total) // 2 + 1 for total in range(self.task.labels)]
        return sum(n * (n - 1) // 2 for n in pairs)

    @cached_property
    def task(self) -> AdditionTask:
        return AdditionTask(self.p)

    @property
    def pairs(self) -> Int[np.ndarray, "pair 2"]:
        return self.task.pairs

    @cached_property
    def quads(self) -> Int[np.ndarray, "parallelogram 2"]:
        """The two pairs of each parallelogram."""
        # Their equations are the largest part, in double precision and with a copy.
        what = f"addition on p = {self.p} symbols, with {self.count:,} parallelograms,"
        require_memory(16 * self.count * self.p, what, "Reduce p.")
        return parallelograms(self.task.label)

    @cached_property
    def equations(self) -> Float[np.ndarray, "parallelogram token"]:
        """Each parallelogram as a row of A E = 0."""
        return equations(self.pairs, self.quads, self.p)

    def training_set(self, *pairs: tuple[int, int]) -> Bool[np.ndarray, " pair"]:
        """The mask of a training set that is listed pair by pair.

        >>> Structure(2).training_set((1, 0)).tolist()
        [False, True, False]
        """
        wanted = {tuple(sorted(pair)) for pair in pairs}
        return np.asarray([tuple(pair) in wanted for pair in self.pairs.tolist()])


@final
@dataclass(frozen=True)
class ToyAddition(PairRecipe):
    """Dec(E_a + E_b), which learns addition; see `PairRecipe`.

    `training_set`, where given, is used instead of a random split.
    """

    p: int = P
    dim: int = 1
    training_set: tuple[tuple[int, int], ...] = ()

    axes = ("token", "dim")

    @cached_property
    def structure(self) -> Structure:
        return Structure(self.p)

    @property
    def task(self) -> AdditionTask:
        return self.structure.task

    def rqi(self, embedding: Float[Array, "token dim"]) -> Float[Array, ""]:
        return rqi(embedding, self.structure.equations)

    def split(self, member: Mapping[str, Any]) -> Split:
        if self.training_set:
            chosen = np.flatnonzero(self.structure.training_set(*self.training_set))
            return Split.of(chosen, len(self.task.pairs))
        return self.drawn_split(member)

    def model(self, member: Mapping[str, Any], key: Array) -> SumDecoder:
        return SumDecoder(*self.start(member, key, (self.dim,)))

    def describe(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        described = self.described_pairs(data)
        in_train = described["in_train"][1]
        ideal = np.asarray(ideal_test_accuracy(self.structure.equations, self.structure.quads, in_train))
        return described | {"ideal_test_accuracy": (("member",), ideal)}
