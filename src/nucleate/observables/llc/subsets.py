"""Which parameters of a pytree move while all others stay fixed: those of a head, of a layer, or all of them.

The moving parameters form one flat vector. Leaves that no subset touches are neither differentiated nor mapped over
chains, so whatever depends on them alone is computed once for all chains.
"""

import abc
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PyTree

from nucleate.checking import Checked


class Leaf(NamedTuple):
    """A leaf of the parameters, identified by its path, such as `blocks/1/query`."""

    path: str
    value: Any

    @property
    def can_move(self) -> bool:
        return isinstance(self.value, Array | np.ndarray) and jnp.issubdtype(self.value.dtype, jnp.floating)


class Subset(Checked, abc.ABC):
    """A choice of parameters."""

    @abc.abstractmethod
    def masks(self, params: PyTree) -> list[Bool[np.ndarray, "..."]]:
        """Which elements move, for each leaf of `params`."""


@final
@dataclass(frozen=True)
class Everything(Subset):
    """All floating-point parameters.

        w = (all of them)

    Source: the coefficient of [lau2025llc], which restricts nothing.

    >>> [mask.tolist() for mask in Everything().masks({"weight": jnp.ones(2), "count": jnp.arange(2)})]
    [[False, False], [True, True]]
    """

    def masks(self, params: PyTree) -> list[Bool[np.ndarray, "..."]]:
        return [np.full(np.shape(leaf.value), leaf.can_move) for leaf in leaves(params)]


@final
@dataclass(frozen=True)
class Matching(Subset):
    """The parameters whose path matches a regular expression.

        w = {leaf | pattern found in path}

    pattern: searched in paths such as `blocks/1/query`. Source: the weight-restricted coefficient of [wang2024refined].

    >>> [mask.tolist() for mask in Matching("^b").masks({"a": jnp.ones(2), "b": jnp.ones(1)})]
    [[False, False], [True]]
    """

    pattern: str

    def check(self) -> None:
        try:
            re.compile(self.pattern)
        except re.error as mistake:
            self.refuse("pattern", f"must be a regular expression; got {self.pattern!r}: {mistake}")

    def masks(self, params: PyTree) -> list[Bool[np.ndarray, "..."]]:
        return [
            np.full(np.shape(leaf.value), leaf.can_move and re.search(self.pattern, leaf.path) is not None)
            for leaf in leaves(params)
        ]


@final
@dataclass(frozen=True, eq=False)
class Mask(Subset):
    """The parameters marked element by element, such as the columns of one head in a matrix that all heads share.

        w = {w_i | tree_i}

    tree: structured like the parameters, with a bool or a broadcastable array of bools at each leaf.
    Source: the weight-restricted coefficient of [wang2024refined].

    >>> [mask.tolist() for mask in Mask({"a": False, "b": np.array([True, False])}).masks({"a": 1.0, "b": jnp.ones(2)})]
    [False, [True, False]]
    """

    tree: Any = field(repr=False)

    def masks(self, params: PyTree) -> list[Bool[np.ndarray, "..."]]:
        marks, structure = jax.tree.flatten(self.tree)
        if structure != jax.tree.structure(params):
            raise ValueError(
                f"Mask.tree must have the structure of the parameters, {jax.tree.structure(params)}; got {structure}."
            )
        return [self._mask(leaf, mark) for leaf, mark in zip(leaves(params), marks, strict=True)]

    @staticmethod
    def _mask(leaf: Leaf, mark: Any) -> Bool[np.ndarray, "..."]:
        mark, shape = np.asarray(mark), np.shape(leaf.value)
        fits = mark.ndim <= len(shape) and all(m in (1, n) for m, n in zip(mark.shape[::-1], shape[::-1], strict=False))
        if mark.dtype != bool or not fits:
            raise ValueError(
                f"Mask.tree must hold bools that broadcast to {shape} at '{leaf.path}'; got {mark.dtype} {mark.shape}."
            )
        if mark.any() and not leaf.can_move:
            raise ValueError(f"Mask.tree marks '{leaf.path}', which is not an array of floats; make it False there.")
        return np.broadcast_to(mark, shape)


def leaves(params: PyTree) -> list[Leaf]:
    """The leaves of `params` with their paths."""
    found, _ = jax.tree_util.tree_flatten_with_path(params)
    return [Leaf(jax.tree_util.keystr(path, simple=True, separator="/"), value) for path, value in found]


@final
@dataclass(frozen=True)
class Placement:
    """Where the moving parameters are: hashable, so that it can shape a compiled program.

    touched: the leaves that hold some of them; complete: whether there is a single subset, which moves all of these.
    """

    touched: tuple[int, ...]
    complete: bool

    def centre(self, values: Sequence[Any], index: Int[Array | np.ndarray, " free"]) -> Float[Array, " free"]:
        """The moving parameters, read from the leaves `values`."""
        flat = self._flat(values)
        return flat if self.complete else flat[index]

    def place(
        self, values: Sequence[Any], index: Int[Array | np.ndarray, " free"], moved: Float[Array, " free"]
    ) -> list[Any]:
        """The leaves `values` with the moving parameters replaced by `moved`."""
        flat = moved if self.complete else self._flat(values).at[index].set(moved, unique_indices=True)
        ends = [0, *accumulate(values[leaf].size for leaf in self.touched)]
        values = list(values)
        for leaf, (begin, end) in zip(self.touched, pairwise(ends), strict=True):
            values[leaf] = flat[begin:end].reshape(values[leaf].shape).astype(values[leaf].dtype)
        return values

    def _flat(self, values: Sequence[Any]) -> Float[Array, " touched"]:
        flat = jnp.concatenate([jnp.ravel(values[leaf]) for leaf in self.touched])
        return flat.astype(jnp.promote_types(flat.dtype, jnp.float32))  # small steps vanish in half precision


class Group(NamedTuple):
    """Subsets that move equally many parameters of the same leaves, and so share a program.

    A program for all subsets would freeze only what is frozen in all of them: heads of a late block would then be
    differentiated through all earlier blocks.

    numbers: the numbers of the subsets; index: the places of their parameters in the concatenated leaves.
    """

    numbers: tuple[int, ...]
    placement: Placement
    index: Int[np.ndarray, "subset free"]


def lay_out(subsets: Sequence[Subset], params: PyTree) -> list[Group]:
    """Find the parameters that each subset moves."""
    alike: dict[Any, list[int]] = {}
    masks = [subset.masks(params) for subset in subsets]
    for number, (subset, mask) in enumerate(zip(subsets, masks, strict=True)):
        touched = tuple(leaf for leaf, part in enumerate(mask) if part.any())
        if not touched:
            paths = ", ".join(leaf.path for leaf in leaves(params) if leaf.can_move)
            raise ValueError(f"{subset} matches no parameter; those that can move are: {paths or 'none'}.")
        alike.setdefault((touched, sum(int(part.sum()) for part in mask)), []).append(number)
    return [_group(numbers, touched, [masks[i] for i in numbers]) for (touched, _), numbers in alike.items()]


def _group(numbers: list[int], touched: tuple[int, ...], masks: list[list[Bool[np.ndarray, "..."]]]) -> Group:
    flat = [np.concatenate([mask[leaf].ravel() for leaf in touched]) for mask in masks]
    index = np.stack([np.flatnonzero(mask) for mask in flat]).astype(np.int32)
    return Group(tuple(numbers), Placement(touched, complete=len(flat) == 1 and bool(flat[0].all())), index)
