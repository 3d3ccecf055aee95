"""Addition without modulo on unordered pairs, the toy task of the grokking paper."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import jax
import numpy as np
from jaxtyping import Array, Float, Int

from nucleate.checking import AtLeast, Bits, Checked, checked
from nucleate.machine import require_memory
from nucleate.tasks.split import Split

_BYTES = 64  # of a pair: its symbols, label and split, and copies of them while they are made


@dataclass(frozen=True)
class AdditionTask(Checked):
    """All unordered pairs (i, j), i ≤ j < p, labelled by their sum [liu2022grokking].

    `p`: the number of symbols. There are p(p+1)/2 pairs and 2p−1 labels.

    >>> task = AdditionTask(p=10)
    >>> len(task.pairs), task.labels
    (55, 19)
    """

    p: Annotated[int, AtLeast(2), Bits(16)] = 10  # pairs are numbered in 31 bits

    @property
    def count(self) -> int:
        """The number of pairs."""
        return self.p * (self.p + 1) // 2

    @cached_property
    def pairs(self) -> Int[np.ndarray, "pair 2"]:
        """The two symbols of each pair."""
        require_memory(self.count * _BYTES, f"AdditionTask(p={self.p}), with {self.count:,} pairs,", "Reduce p.")
        left, right = np.triu_indices(self.p)
        return np.stack([left, right], axis=1).astype(np.int32)

    @cached_property
    def label(self) -> Int[np.ndarray, " pair"]:
        """The sum of each pair: the label to predict."""
        return self.pairs.sum(1).astype(np.int32)

    @cached_property
    def pair_sums(self) -> Float[np.ndarray, "pair token"]:
        """M, the matrix that adds up the two embeddings of each pair: (M E)_(i,j) = E_i + E_j.

        >>> AdditionTask(p=2).pair_sums.tolist()
        [[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]]
        """
        require_memory(self.count * self.p * 12, f"AdditionTask(p={self.p}).pair_sums", "Reduce p.")
        return np.eye(self.p, dtype=np.float32)[self.pairs].sum(1)

    @property
    def labels(self) -> int:
        """The number of different sums."""
        return 2 * self.p - 1

    def templates(self, key: Array, outputs: int) -> Float[Array, "label output"]:
        """Random regression targets, one vector N(0, 1)^outputs for each sum."""
        return jax.random.normal(key, (self.labels, outputs))

    @checked
    def split(self, key: Array, train_size: int) -> Split:
        """A uniformly random training set of `train_size` pairs.

        >>> split = AdditionTask(p=10).split(jax.random.key(0), 45)
        >>> int(split.in_train.sum()), split.index.shape
        (45, (48,))
        """
        total = self.count
        if not 1 <= train_size <= total:
            raise ValueError(f"train_size must be between 1 and {total} for p={self.p}; got {train_size}.")
        return Split.draw(key, train_size, total)
