"""Addition without modulo on unordered pairs, the toy task of the grokking paper."""

from dataclasses import dataclass
from functools import cached_property

import jax
import numpy as np
from jaxtyping import Array, Float, Int

from nucleate.tasks.split import Split


@dataclass(frozen=True)
class AdditionTask:
    """All unordered pairs (i, j), i ≤ j < p, labelled by their sum [liu2022grokking].

    `p`: the number of symbols. There are p(p+1)/2 pairs and 2p−1 labels.

    >>> task = AdditionTask(p=10)
    >>> len(task.pairs), task.labels
    (55, 19)
    """

    p: int = 10

    def __post_init__(self):
        if self.p < 2:
            raise ValueError(f"AdditionTask.p must be >= 2; got {self.p}.")

    @cached_property
    def pairs(self) -> Int[np.ndarray, "pair 2"]:
        """The two symbols of each pair."""
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
        return np.eye(self.p, dtype=np.float32)[self.pairs].sum(1)

    @property
    def labels(self) -> int:
        """The number of different sums."""
        return 2 * self.p - 1

    def templates(self, key: Array, outputs: int) -> Float[Array, "label output"]:
        """Random regression targets, one vector N(0, 1)^outputs for each sum."""
        return jax.random.normal(key, (self.labels, outputs))

    def split(self, key: Array, train_size: int) -> Split:
        """A uniformly random training set of `train_size` pairs.

        >>> split = AdditionTask(p=10).split(jax.random.key(0), 45)
        >>> int(split.in_train.sum()), split.index.shape
        (45, (48,))
        """
        total = len(self.pairs)
        if not 1 <= train_size <= total:
            raise ValueError(f"train_size must be between 1 and {total} for p={self.p}; got {train_size}.")
        return Split.draw(key, train_size, total)
