"""Modular addition on ordered pairs, the task of the circles paper."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from jaxtyping import Array, Int

from nucleate.checking import AtLeast, Bits, Checked, checked
from nucleate.machine import require_memory
from nucleate.tasks.split import Split

_BYTES = 64  # of a pair: its numbers, label and split, and copies of them while they are made


@dataclass(frozen=True)
class ModularAdditionTask(Checked):
    """All ordered pairs (a, b), 0 ≤ a, b < p, labelled by (a + b) mod p [ding2024survival].

    `p`: the modulus, prime or not. There are p² pairs and p labels; pair (a, b) is row a p + b.

    >>> task = ModularAdditionTask(p=59)
    >>> len(task.pairs), task.labels, task.label[58 * 59 + 3].item()
    (3481, 59, 2)
    """

    p: Annotated[int, AtLeast(3), Bits(15)] = 59  # pairs are numbered in 31 bits

    @property
    def count(self) -> int:
        """The number of pairs."""
        return self.p**2

    @cached_property
    def pairs(self) -> Int[np.ndarray, "pair 2"]:
        """The two numbers of each pair."""
        require_memory(self.count * _BYTES, f"ModularAdditionTask(p={self.p}), with {self.count:,} pairs,", "Reduce p.")
        return np.indices((self.p, self.p)).reshape(2, -1).T.astype(np.int32)

    @cached_property
    def label(self) -> Int[np.ndarray, " pair"]:
        """The sum of each pair modulo p: the label to predict."""
        return (self.pairs.sum(1) % self.p).astype(np.int32)

    @property
    def labels(self) -> int:
        """The number of different labels."""
        return self.p

    @checked
    def split(self, key: Array, train_share: float = 0.8) -> Split:
        """A uniformly random training set of ⌊train_share · p²⌋ pairs.

        >>> import jax
        >>> split = ModularAdditionTask(p=59).split(jax.random.key(0))
        >>> int(split.in_train.sum())
        2784
        """
        total = self.count
        size = int(train_share * total)
        if not 1 <= size <= total:
            raise ValueError(f"train_share must leave 1 to {total} pairs for p={self.p}; got {train_share}.")
        return Split.draw(key, size, total)
