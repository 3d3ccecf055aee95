"""Binary latents on a tree, whose leaves are the tokens that are seen."""

from dataclasses import dataclass
from typing import Annotated, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from nucleate.checking import AtLeast, AtMost, Checked, Count, checked
from nucleate.machine import require_memory

_Correlation = Annotated[float, AtLeast(-1), AtMost(1)]
_MOST = 20
_BYTES = 64  # of a token of an assignment: its value, and what its messages take


@final
@dataclass(frozen=True)
class LatentTree(Checked):
    """A hierarchical binary latent tree: every node is its parent's value, sent through a binary symmetric channel.

        P(child | parent) = ½ [[1 + ρ, 1 − ρ], [1 − ρ, 1 + ρ]],    P(top = 0) − P(top = 1) = ρ₀

    `height`: L, the height of the hierarchy, of which the top's own label is the last: the tokens are L − 1 channels
    below the top; `children`: of each node that is no token; `rho`: ρ; `bias`: ρ₀. A token is present if it is 1.
    Source: [tian2023joma], Section 5.

    >>> tree = LatentTree(height=3, children=2, rho=0.5, bias=0.2)
    >>> tree.tokens, tree.ancestors[0].tolist(), round(float(tree.probability(np.zeros((1, 4), int))[0]), 6)
    (4, [0, 1, 2, 2], 0.128906)
    >>> LatentTree(rho=1.5)
    Traceback (most recent call last):
    ValueError: LatentTree.rho must be >= -1 and <= 1; got 1.5.
    """

    height: Annotated[int, AtLeast(2), AtMost(16)] = 4
    children: Count = 2
    rho: _Correlation = 0.9
    bias: _Correlation = 0.0

    @property
    def tokens(self) -> int:
        """How many tokens there are."""
        return self.children ** (self.height - 1)

    @property
    def ancestors(self) -> Int[np.ndarray, "token token"]:
        """H: how many levels the lowest common ancestor of two tokens is above them."""
        require_memory(self.tokens**2 * _BYTES, f"{self}, with {self.tokens:,} tokens,", "Choose a lower tree.")
        here = np.arange(self.tokens)
        found = np.zeros((self.tokens, self.tokens), np.int32)
        for _ in range(self.height - 1):
            found += here[:, None] != here
            here = here // self.children
        return found

    def sample(self, key: Array, count: int) -> Int[Array, "sample token"]:
        """`count` independent assignments of the tokens."""
        top, *keys = jax.random.split(key, self.height)
        values = jax.random.bernoulli(top, (1 - self.bias) / 2, (count, 1))
        for level in keys:
            values = jnp.repeat(values, self.children, axis=1)
            values ^= jax.random.bernoulli(level, (1 - self.rho) / 2, values.shape)
        return values.astype(jnp.int32)

    @checked
    def probability(self, tokens: Int[np.ndarray, "sample token"]) -> Float[np.ndarray, " sample"]:
        """The exact probability of each assignment of the tokens, in double precision, from the leaves upwards.

        m_v(s) = Π_{c child of v} Σ_t P(t | s) m_c(t),    P(tokens) = Σ_s P(top = s) m_top(s)
        """
        if tokens.shape[1] != self.tokens:
            raise ValueError(f"LatentTree.probability needs all {self.tokens} tokens; got {tokens.shape[1]}.")
        channel = np.array([[1 + self.rho, 1 - self.rho], [1 - self.rho, 1 + self.rho]]) / 2
        message = np.eye(2)[tokens]
        for _ in range(self.height - 1):
            sent = message @ channel
            message = sent.reshape(len(tokens), -1, self.children, 2).prod(2)
        return message[:, 0] @ np.array([1 + self.bias, 1 - self.bias]) / 2

    def assignments(self) -> Int[np.ndarray, "sample token"]:
        """All 2^tokens assignments; for small trees."""
        if self.tokens > _MOST:
            raise ValueError(f"LatentTree has 2^{self.tokens} assignments: list them for up to {_MOST} tokens.")
        return (np.arange(2**self.tokens)[:, None] >> np.arange(self.tokens)) & 1
