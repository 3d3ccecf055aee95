"""Sequences of tokens drawn from a mixture for each class, the data of Scan & Snap."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from nucleate.checking import AtLeast, AtMost, Checked, Count, checked
from nucleate.machine import require_memory

_ROUNDING = 1e-6  # how far a sum of probabilities may be from 1: single precision

_Probability = Annotated[float, AtLeast(0), AtMost(1)]


class TokenBatch(NamedTuple):
    """Sequences as what attention without positions sees of them: how often each token occurs before the last one.

    `count`: occurrences, or their shares of a sequence without end. `last`: the number of the last token, `label`: the
    class, which is the next token. `weight`: the share of each row in the loss; the weights sum to 1.
    """

    count: Float[Array | np.ndarray, "sample token"]
    last: Int[Array | np.ndarray, " sample"]
    label: Int[Array | np.ndarray, " sample"]
    weight: Float[Array | np.ndarray, " sample"]


@final
@dataclass(frozen=True)
class TokenMixtureTask(Checked):
    """Predict the next token of a sequence whose tokens are drawn independently, given the class n [tian2023scan].

        x_1 … x_{L−1} ~ P(·|n),    x_L = ψ(n),    x_{L+1} = n

    `probability`: P(l|n), a row for each class n over the contextual tokens l. `last`: ψ(n), the number of the last
    token of each class. `frequency`: how often each class occurs; None for equally often. `length`: L; None for
    sequences without end, whose batch is the exact expectation. A token that one class alone has is *distinct*, one
    that several have is *common*.

    >>> task = TokenMixtureTask.uniform_and_linear(lasts=2)
    >>> task.classes, task.contextual, task.tokens, int(task.is_common.sum())
    (2, 30, 34, 10)
    >>> TokenMixtureTask(((0.5, 0.5, 0.0), (0.5, 0.0, 0.4)), last=(0, 1))
    Traceback (most recent call last):
    ValueError: TokenMixtureTask.probability must sum to 1 in every row, over the tokens of a class; row 1 sums to 0.9.
    """

    probability: tuple[tuple[_Probability, ...], ...]
    last: Annotated[tuple[int, ...], AtLeast(0)]
    frequency: tuple[_Probability, ...] | None = None
    length: Annotated[int, AtLeast(2)] | None = 128

    def check(self) -> None:
        if len({len(row) for row in self.probability}) != 1 or not self.probability[0]:
            self.refuse("probability", "must have one entry for each token in every row, and at least one row")
        for number, row in enumerate(self.probability):
            if abs(sum(row) - 1) > _ROUNDING:
                way_out = f"must sum to 1 in every row, over the tokens of a class; row {number} sums to {sum(row):.6g}"
                self.refuse("probability", way_out)
        if len(self.last) != self.classes:
            self.refuse("last", f"must name a last token for each of the {self.classes} classes; got {self.last}")
        if set(self.last) != set(range(self.lasts)):
            self.refuse("last", f"must number the last tokens 0, 1, 2, … without gaps; got {self.last}")
        if self.frequency and (len(self.frequency) != self.classes or abs(sum(self.frequency) - 1) > _ROUNDING):
            self.refuse("frequency", f"must be {self.classes} numbers that sum to 1; got {self.frequency}")

    @classmethod
    @checked
    def uniform_and_linear(
        cls, lasts: Count, nexts: Count = 1, common: Count = 10, distinct: Count = 10, length: int | None = 128
    ) -> "TokenMixtureTask":
        """The authors' mixtures: `common` tokens equally often, `distinct` tokens of each class from rare to frequent.

            P(l|n) ∝ 1 on common tokens, linspace(0.1, 1) on the class's own

        `lasts` last tokens have `nexts` classes each. Common tokens come first.

        >>> task = TokenMixtureTask.uniform_and_linear(lasts=1, nexts=2, common=1, distinct=2)
        >>> task.matrix.round(3).tolist(), task.last
        ([[0.476, 0.048, 0.476, 0.0, 0.0], [0.476, 0.0, 0.0, 0.048, 0.476]], (0, 0))
        """
        classes = lasts * nexts
        require_memory(classes * (common + classes * distinct) * 64, f"{classes:,} classes of tokens", "Choose fewer.")
        own = np.linspace(0.1, 1, distinct) if distinct > 1 else np.ones(1)
        rows = np.concatenate([np.ones((classes, common)), np.kron(np.eye(classes), own)], axis=1)
        rows /= rows.sum(1, keepdims=True)
        return cls(tuple(map(tuple, rows.tolist())), tuple(np.repeat(np.arange(lasts), nexts).tolist()), None, length)

    @property
    def classes(self) -> int:
        """K, the number of classes, which is that of next tokens."""
        return len(self.probability)

    @property
    def lasts(self) -> int:
        """The number of last tokens."""
        return max(self.last) + 1

    @property
    def contextual(self) -> int:
        """The number of tokens that sequences are drawn from."""
        return len(self.probability[0])

    @property
    def tokens(self) -> int:
        """M, the size of the vocabulary: contextual tokens, last tokens and next tokens."""
        return self.contextual + self.lasts + self.classes

    @cached_property
    def matrix(self) -> Float[np.ndarray, "class token"]:
        """P(l|n), with rows that sum to 1 in double precision."""
        rows = np.array(self.probability)
        return rows / rows.sum(1, keepdims=True)

    @cached_property
    def shares(self) -> Float[np.ndarray, " class"]:
        """How often each class occurs."""
        return np.array(self.frequency) if self.frequency else np.full(self.classes, 1 / self.classes)

    @cached_property
    def is_common(self) -> Bool[np.ndarray, " token"]:
        """Whether several classes have a token."""
        return (self.matrix > 0).sum(0) > 1

    @cached_property
    def is_distinct(self) -> Bool[np.ndarray, "class token"]:
        """Whether a class alone has a token."""
        return (self.matrix > 0) & ((self.matrix > 0).sum(0) == 1)

    @cached_property
    def expected(self) -> TokenBatch:
        """All that there is to learn: every class once, with the shares of tokens in a sequence without end.

        >>> TokenMixtureTask.uniform_and_linear(lasts=3).expected.weight.tolist()
        [0.333..., 0.333..., 0.333...]
        """
        return TokenBatch(self.matrix, np.array(self.last), np.arange(self.classes), self.shares)

    def sequences(self, key: Array, batch: int) -> tuple[Int[Array, "sample position"], Int[Array, " sample"]]:
        """Contextual tokens x_1 … x_{L−1} of `batch` sequences, token by token, and their classes.

        >>> task = TokenMixtureTask.uniform_and_linear(lasts=2, length=8)
        >>> jax.eval_shape(lambda key: task.sequences(key, 3)[0], jax.random.key(0)).shape
        (3, 7)
        """
        chance, label = self._draw(key, batch)
        place = jnp.sum(chance[:, :, None] >= self._steps(label)[:, None, :], axis=2)
        return jnp.take_along_axis(jnp.asarray(self._support)[label], place, axis=1), label

    def sample(self, key: Array, batch: int) -> TokenBatch:
        """The counts of `batch` sequences; those of `sequences` with the same key, or `expected` if they have no end.

        >>> task = TokenMixtureTask.uniform_and_linear(lasts=2, length=8)
        >>> jax.jit(lambda key: task.sample(key, 3).count.sum(1))(jax.random.key(0)).tolist()
        [7.0, 7.0, 7.0]
        """
        if self.length is None:
            return self.expected
        chance, label = self._draw(key, batch)
        # Counted between the steps of the cumulative distribution: half the time of drawing tokens and counting those.
        below = jnp.sum(chance[:, None, :] < self._steps(label)[:, :, None], axis=2, dtype=jnp.float32)
        nothing, all_of_them = jnp.zeros((batch, 1)), jnp.full((batch, 1), self.length - 1.0)
        count = jnp.diff(jnp.concatenate([nothing, below, all_of_them], axis=1), axis=1)
        padded = jnp.concatenate([count, nothing], axis=1)
        of_all = jnp.take_along_axis(padded, jnp.asarray(self._slot)[label], axis=1)
        return TokenBatch(of_all, jnp.asarray(self.last)[label], label, jnp.full(batch, 1 / batch))

    def _draw(self, key: Array, batch: int) -> tuple[Float[Array, "sample position"], Int[Array, " sample"]]:
        """A uniform number for each token of each sequence, and the classes of the sequences."""
        if self.length is None:
            self.refuse("length", "must be a number for sequences to be drawn; got None")
        of_class, of_tokens = jax.random.split(key)
        label = jax.random.choice(of_class, self.classes, (batch,), p=jnp.asarray(self.shares, jnp.float32))
        return jax.random.uniform(of_tokens, (batch, self.length - 1)), label

    def _steps(self, label: Int[Array, " sample"]) -> Float[Array, "sample place"]:
        """Where the cumulative distribution of each sequence goes from one token of its class to the next."""
        return jnp.asarray(self._cumulative[:, :-1], jnp.float32)[label]

    @cached_property
    def _support(self) -> Int[np.ndarray, "class place"]:
        """The tokens that each class has; a class with fewer than others repeats its last one, which is never drawn."""
        own = [np.flatnonzero(row) for row in self.matrix]
        most = max(map(len, own))
        return np.stack([np.pad(tokens, (0, most - len(tokens)), mode="edge") for tokens in own])

    @cached_property
    def _cumulative(self) -> Float[np.ndarray, "class place"]:
        held = np.take_along_axis(self.matrix, self._support, axis=1)
        cumulative = held.cumsum(1)
        sizes = (self.matrix > 0).sum(1, keepdims=True)
        return np.where(np.arange(held.shape[1]) >= sizes - 1, 1.0, cumulative)

    @cached_property
    def _slot(self) -> Int[np.ndarray, "class token"]:
        """The place of each token in `_support`, or one past its end for a token that the class lacks."""
        has = self.matrix > 0
        return np.where(has, has.cumsum(1) - 1, self._support.shape[1])
