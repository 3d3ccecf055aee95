"""The matrix model Dec(E_a E_b), which learns the multiplication of a finite group, as a recipe."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np
from jaxtyping import Array, Float, Int, PyTree

from nucleate.models import ProductDecoder
from nucleate.observables import parallelograms, product_rqi
from nucleate.papers.grokking.recipe.pairs import PairRecipe
from nucleate.tasks import Group, GroupTask, Split


@final
@dataclass(frozen=True)
class MatrixGroup(PairRecipe):
    """Dec(E_a E_b), which learns the multiplication of a group; see `PairRecipe`.

    `size`: rows of the matrices. The authors' code adds an L1 penalty on the embedding, `l1` = 1e-3; the paper does
    not mention it.
    """

    group: Group = field(kw_only=True)
    size: int = 3

    axes = ("token", "row", "column")

    @cached_property
    def task(self) -> GroupTask:
        return GroupTask(self.group)

    @cached_property
    def quads(self) -> Int[np.ndarray, "parallelogram 2"]:
        """The two pairs of each generalised parallelogram."""
        return parallelograms(self.task.label)

    def rqi(self, embedding: Float[Array, "token row row"]) -> Float[Array, ""]:
        return product_rqi(embedding, self.task.pairs, self.quads)

    def split(self, member: Mapping[str, Any]) -> Split:
        return self.drawn_split(member)

    def model(self, member: Mapping[str, Any], key: Array) -> ProductDecoder:
        return ProductDecoder(*self.start(member, key, (self.size, self.size)))

    def describe(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        return self.described_pairs(data)
