"""Which of a task's samples are trained on."""

from dataclasses import dataclass, field

import jax
import numpy as np
from jaxtyping import Array, Float, Int

from nucleate.machine import require_memory

# The number of slots is a multiple of this, so that training sets of similar size share one compiled program.
SLOT = 16
_BYTES = 32  # of a sample, while its place in the training set is drawn


@dataclass(frozen=True)
class Split:
    """Which pairs are trained on, as fixed-size arrays.

    `index[slot]` lists the training pairs, padded to a multiple of `SLOT`; `weight[slot]` is 1 for a pair and 0 for
    padding; `in_train[pair]` is the same set as a mask.
    """

    index: Int[np.ndarray, " slot"]
    weight: Float[np.ndarray, " slot"]
    in_train: np.ndarray = field(repr=False)

    @classmethod
    def of(cls, chosen: Int[np.ndarray, " train"], total: int) -> "Split":
        """The split that trains on the `chosen` of `total` pairs.

        >>> Split.of(np.array([0, 2]), 5).in_train
        array([ True, False,  True, False, False])
        """
        index = np.zeros(cls.slots(len(chosen)), np.int32)
        weight = np.zeros(len(index), np.float32)
        index[: len(chosen)], weight[: len(chosen)] = chosen, 1
        in_train = np.zeros(total, bool)
        in_train[chosen] = True
        return cls(index, weight, in_train)

    @staticmethod
    def slots(size: int) -> int:
        """The slots of a training set of `size` pairs.

        >>> Split.slots(45), Split.slots(48)
        (48, 48)
        """
        return -(-size // SLOT) * SLOT

    @classmethod
    def draw(cls, key: Array, size: int, total: int) -> "Split":
        """A uniformly random training set of `size` of `total` pairs, in ascending order.

        >>> split = Split.draw(jax.random.key(0), 45, 55)
        >>> int(split.in_train.sum()), split.index.shape
        (45, (48,))
        """
        require_memory(total * _BYTES, f"a training set of {size:,} of {total:,} samples", "Make the task smaller.")
        if size == total:  # nothing to draw, which saves time in fleets of thousands that train on all pairs
            return cls.of(np.arange(total), total)
        return cls.of(np.sort(np.asarray(permutation(key, total))[:size]), total)


permutation = jax.jit(jax.random.permutation, static_argnums=1)  # fleets draw thousands, each many operations
