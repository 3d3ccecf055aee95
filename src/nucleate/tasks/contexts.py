"""Contexts of tokens around a query, the data of JoMA: some tokens tell the classes apart, others are common to all."""

from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb
from typing import Annotated, NamedTuple, final

import jax
import numpy as np
from jaxtyping import Array, Float, Int
from scipy.special import gammaln, xlogy

from nucleate.checking import Above, AtLeast, Bits, Checked, Count, checked

_MOST = 2**20  # contexts that are listed one by one


class Contexts(NamedTuple):
    """Contexts with their labels: `x`, the share of each token in a context; `query`: the last token, which attends to
    the others; `label`: the class; `weight`: the probability of each context, 1/count if they were drawn."""

    x: Float[np.ndarray, "context token"]
    query: Int[np.ndarray, " context"]
    label: Int[np.ndarray, " context"]
    weight: Float[np.ndarray, " context"]


@final
@dataclass(frozen=True)
class ContextTask(Checked):
    """Classes that differ in how often their contexts hold each of a few tokens [tian2023joma].

        P(l|n) ∝ exp(−(l − n D/C)²/s),  l < D,    P(l|n) ∝ u_ln/2,  l ≥ D

    n: one of C = `classes`; l: a token, of which the first D = `distinct` tell neighbouring classes apart and the
    other `common` ones do not; s: `spread`; u: uniform in [0, 1), drawn once with a key. Class n has the query
    n mod `queries`. A context is `length` tokens drawn from P(·|n); with no length it is infinitely long, and its
    shares are P(·|n) itself, as in the authors' code.

    >>> task = ContextTask(distinct=3, common=1, classes=2)
    >>> seen = task.contexts(task.frequencies(jax.random.key(0)))
    >>> seen.x.shape, seen.x.sum(1).round(6).tolist(), seen.weight.tolist()
    ((2, 4), [1.0, 1.0], [0.5, 0.5])
    """

    distinct: Count = 10
    common: Annotated[int, AtLeast(0), Bits(31)] = 10
    classes: Count = 20
    queries: Count = 1
    spread: Annotated[float, Above(0)] = 30.0
    length: Count | None = None

    def check(self) -> None:
        if self.queries > self.classes:
            self.refuse("queries", f"must be at most the {self.classes} classes; got {self.queries}")

    @property
    def tokens(self) -> int:
        """The number of context tokens, M_c."""
        return self.distinct + self.common

    @property
    def query(self) -> Int[np.ndarray, " class"]:
        """The query of each class."""
        return np.arange(self.classes) % self.queries

    def frequencies(self, key: Array) -> Float[np.ndarray, "class token"]:
        """P(l|n), every row of which sums to 1."""
        common = np.asarray(jax.random.uniform(key, (self.classes, self.common)), np.float64) / 2
        centre = np.arange(self.classes)[:, None] * self.distinct / self.classes
        own = np.exp(-np.square(np.arange(self.distinct) - centre) / self.spread)
        together = np.concatenate([own, common], axis=1)
        return together / together.sum(1, keepdims=True)

    @checked
    def contexts(self, frequencies: Float[np.ndarray, "class token"]) -> Contexts:
        """Every context there is, with its probability: an expectation over them is exact.

        With a `length`, these are all multisets of that many tokens for each class, with multinomial probabilities:

            P(x|n) = L!/Π_l (L x_l)! · Π_l P(l|n)^(L x_l)

        >>> task = ContextTask(distinct=2, common=0, classes=1, length=2)
        >>> seen = task.contexts(np.array([[0.25, 0.75]]))
        >>> seen.x.tolist(), seen.weight.round(4).tolist()
        ([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], [0.0625, 0.375, 0.5625])
        """
        self._refuse(frequencies)
        label = np.arange(self.classes)
        if self.length is None:
            return Contexts(frequencies, self.query, label, np.full(self.classes, 1 / self.classes))
        many = self.classes * comb(self.tokens + self.length - 1, self.length)
        if many > _MOST:
            raise ValueError(
                f"ContextTask.contexts: there are {many:,} contexts of {self.length} tokens, more than {_MOST:,}; "
                "use `draw`, a shorter length or none."
            )
        chosen = np.array([*combinations_with_replacement(range(self.tokens), self.length)])
        counts = (chosen[..., None] == np.arange(self.tokens)).sum(1)
        orders = gammaln(self.length + 1) - gammaln(counts + 1).sum(1)
        chance = np.exp(orders + xlogy(counts, frequencies[:, None]).sum(-1)) / self.classes
        x = np.tile(counts / self.length, (self.classes, 1))
        number = np.repeat(label, len(counts))
        return Contexts(x, self.query[number], number, chance.ravel())

    @checked
    def draw(self, frequencies: Float[np.ndarray, "class token"], count: Count, key: Array) -> Contexts:
        """`count` contexts of classes that are all equally likely.

        >>> task = ContextTask(distinct=3, common=1, classes=2, length=8)
        >>> task.draw(task.frequencies(jax.random.key(0)), 5, jax.random.key(1)).x.sum(1).tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0]
        """
        self._refuse(frequencies)
        rng = np.random.default_rng(np.asarray(jax.random.key_data(key)))
        label = rng.integers(0, self.classes, count)
        x = frequencies[label]
        if self.length is not None:
            x = rng.multinomial(self.length, x) / self.length
        return Contexts(x, self.query[label], label, np.full(count, 1 / count))

    def _refuse(self, frequencies: np.ndarray) -> None:
        if frequencies.shape != (self.classes, self.tokens):
            raise ValueError(
                f"ContextTask: frequencies must be [class, token] = {(self.classes, self.tokens)}; "
                f"got {frequencies.shape}."
            )
        total = frequencies.sum(1)
        if not (frequencies.min() >= 0 and np.allclose(total, 1, atol=1e-6)):
            worst = int(np.argmax(np.abs(total - 1)))
            raise ValueError(
                "ContextTask: frequencies, P(l|n), must be >= 0 and sum to 1 for each class; "
                f"those of class {worst} sum to {total[worst]:.6g}, and the smallest of all is {frequencies.min():.3g}."
            )
