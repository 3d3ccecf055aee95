"""JoMA's block: attention of one query to its context, and a layer of units that read what it gathers."""

import abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from nucleate.checking import Above, Checked, Count, checked


class ContextAttention(Checked, abc.ABC):
    """How a query weighs the tokens of a context, given one logit for each token."""

    @abc.abstractmethod
    def __call__(self, x: Float[Array, " token"], logits: Float[Array, " token"]) -> Float[Array, " token"]:
        """b, the weight of each token; x: its share of the context."""


@final
@dataclass(frozen=True)
class LinearAttention(ContextAttention):
    """b_l = x_l z_l. Source: [tian2023joma].

    >>> LinearAttention()(jnp.array([0.5, 0.5]), jnp.array([1.0, 3.0])).tolist()
    [0.5, 1.5]
    """

    def __call__(self, x: Float[Array, " token"], logits: Float[Array, " token"]) -> Float[Array, " token"]:
        return x * logits


@final
@dataclass(frozen=True)
class ExpAttention(ContextAttention):
    """b_l = x_l exp z_l. Source: [tian2023joma].

    >>> ExpAttention()(jnp.array([0.5, 0.5]), jnp.log(jnp.array([1.0, 3.0]))).round(4).tolist()
    [0.5, 1.5]
    """

    def __call__(self, x: Float[Array, " token"], logits: Float[Array, " token"]) -> Float[Array, " token"]:
        return x * jnp.exp(logits)


@final
@dataclass(frozen=True)
class SoftmaxAttention(ContextAttention):
    """b_l = x_l exp(z_l/T) / Σ_k x_k exp(z_k/T), T: `temperature`. Source: [tian2023joma].

    >>> SoftmaxAttention()(jnp.array([0.5, 0.5]), jnp.log(jnp.array([1.0, 3.0]))).round(4).tolist()
    [0.25, 0.75]
    """

    temperature: Annotated[float, Above(0)] = 1.0

    def __call__(self, x: Float[Array, " token"], logits: Float[Array, " token"]) -> Float[Array, " token"]:
        scaled = logits / self.temperature
        # Without the highest logit of a token that is there at all, nothing overflows.
        highest = jax.lax.stop_gradient(jnp.max(jnp.where(x > 0, scaled, -jnp.inf)))
        unscaled = x * jnp.exp(jnp.where(x > 0, scaled - highest, 0))
        return unscaled / jnp.sum(unscaled)


def identity(x: Float[Array, "..."]) -> Float[Array, "..."]:
    """φ(x) = x, the activation of linear units.

    >>> identity(jnp.ones(2)).tolist()
    [1.0, 1.0]
    """
    return x


class JointBlock(eqx.Module):
    """Attention and a layer of units that are trained jointly.

        h_k = φ(w_k · f),    f = U_C b + u_q,    b = attention(x, z_q)

    x: the share of each token in a context; q: the query; z_q: its `logits`; w_k: `weight` of unit k; φ: `activation`.
    u_q is what a residual connection adds. The embeddings [U_C, u_1, u_2, …], columns of `embedding`, are orthonormal,
    drawn at random and not trained. Weights and logits are `scale` times normal at first. Source: [tian2023joma].

    >>> block = eqx.filter_eval_shape(JointBlock, (3, 1, 2), ExpAttention(), key=jax.random.key(0))
    >>> units = eqx.filter_eval_shape(JointBlock.__call__, block, jnp.ones(3) / 3, jnp.array(0))
    >>> units.shape, eqx.filter_eval_shape(lambda block: block.values, block).shape
    ((2,), (3, 2))
    """

    weight: Float[Array, "unit dim"]
    logits: Float[Array, "query token"]
    embedding: Float[Array, "dim column"]
    attention: ContextAttention = eqx.field(static=True)
    activation: Callable = eqx.field(static=True)

    @checked
    def __init__(
        self,
        sizes: tuple[Count, Count, Count],
        attention: ContextAttention,
        activation: Callable = identity,
        *,
        scale: float | Array = 0.01,
        dim: Count | None = None,
        key: Array,
    ):
        """`sizes`: tokens, queries and units; `dim`: of the embedding, as many as it needs by default."""
        tokens, queries, units = sizes
        columns = tokens + queries
        dim = columns if dim is None else dim
        if dim < columns:
            raise ValueError(f"JointBlock.dim must be at least {columns}, for orthonormal embeddings; got {dim}.")
        weight_key, logits_key, embedding_key = jax.random.split(key, 3)
        # A random reflection has orthonormal columns without a factorisation: two programs that factorise batches of
        # matrices at once wait for each other forever, if XLA has as few threads as there are programs.
        mirror = jax.random.normal(embedding_key, (dim,))
        self.embedding = (jnp.eye(dim) - 2 * jnp.outer(mirror, mirror) / (mirror @ mirror))[:, :columns]
        self.weight = scale * jax.random.normal(weight_key, (units, dim))
        self.logits = scale * jax.random.normal(logits_key, (queries, tokens))
        self.attention, self.activation = attention, activation

    def look(self, x: Float[Array, " token"], query: Int[Array, ""]) -> Float[Array, " token"]:
        """b, the attention of the query to each token of a context."""
        return self.attention(x, self.logits[query])

    def __call__(self, x: Float[Array, " token"], query: Int[Array, ""]) -> Float[Array, " unit"]:
        tokens = self.logits.shape[1]
        embedding = jax.lax.stop_gradient(self.embedding)
        gathered = embedding[:, :tokens] @ self.look(x, query) + embedding[:, tokens + query]
        return self.activation(self.weight @ gathered)

    @property
    def values(self) -> Float[Array, "token unit"]:
        """V = U_Cᵀ W, the weight of each unit for each token."""
        return (self.weight @ self.embedding[:, : self.logits.shape[1]]).T
