"""Networks that see the embeddings of an ordered pair of symbols side by side."""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from nucleate.models.mlp import MLP


class PairTable(NamedTuple):
    """A list of pairs with its inverse: the position in the list of each pair of tokens.

    `left`, `right`: the tokens of each pair. `slot[a, b]`: position of (a, b) in the list, or one past its end if it
    is not listed.
    """

    left: Int[Array, " pair"]
    right: Int[Array, " pair"]
    slot: Int[Array, "token token"]

    @classmethod
    def of(cls, pairs: Int[np.ndarray, "pair 2"], tokens: int, listed: int) -> "PairTable":
        """The table of `pairs`; only the first `listed` count, the rest is padding.

        >>> PairTable.of(np.array([[0, 1], [2, 2], [0, 0]]), tokens=3, listed=2).slot.tolist()
        [[3, 0, 3], [3, 3, 3], [3, 3, 1]]
        """
        slot = np.full((tokens, tokens), len(pairs), np.int32)
        slot[tuple(pairs[:listed].T)] = np.arange(listed)
        return cls(pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32), slot)  # type: ignore[arg-type]


class ConcatDecoder(eqx.Module):
    """Dec([E_a, E_b]): a decoder reads two embeddings side by side [ding2024survival].

    `embedding`: E, one vector for each token. `decoder`: Dec, from 2 dim numbers to one logit for each label.

    Its first layer is a sum of two: [E_a, E_b] W = (E W_left)_a + (E W_right)_b, with W_left and W_right the upper and
    lower halves of W. Both products are computed once per token, so their cost does not grow with the number of pairs.

    >>> model = ConcatDecoder(jnp.zeros((59, 8)), MLP((16, 100, 100, 59), jax.nn.silu, key=jax.random.key(0)))
    >>> model(jnp.array([3, 4])).shape, model.on_grid().shape
    ((59,), (3481, 59))
    """

    embedding: Float[Array, "token dim"]
    decoder: MLP

    def __check_init__(self):
        dim, inputs = self.embedding.shape[1], self.decoder.weights[0].shape[0]
        if inputs != 2 * dim:
            raise ValueError(f"ConcatDecoder.decoder must read 2 dim = {2 * dim} numbers; it reads {inputs}.")

    def __call__(self, pair: Int[Array, "2"]) -> Float[Array, " output"]:
        return self.decoder(self.embedding[pair].reshape(-1))

    def on_pairs(self, table: PairTable) -> Float[Array, "pair output"]:
        """The outputs for a list of pairs; a pair listed twice counts once in the gradient."""
        return self.decoder.after_first(_pair_sum(*self._halves(), table))

    def on_grid(self) -> Float[Array, "pair output"]:
        """The outputs for all pairs; (a, b) is row a p + b."""
        left, right = self._halves()
        return self.decoder.after_first((left[:, None] + right).reshape(-1, left.shape[1]))

    def _halves(self) -> tuple[Float[Array, "token width"], Float[Array, "token width"]]:
        dim = self.embedding.shape[1]
        weight, bias = self.decoder.weights[0], self.decoder.biases[0]
        return self.embedding @ weight[:dim], self.embedding @ weight[dim:] + bias


@jax.custom_vjp
def _pair_sum(left: Array, right: Array, table: PairTable) -> Array:
    """left[a] + right[b] of every listed pair. Its transpose is a gather too, since XLA's scatter is slow on CPUs."""
    return left[table.left] + right[table.right]


def _pair_sum_forward(left: Array, right: Array, table: PairTable) -> tuple[Array, Array | np.ndarray]:
    return _pair_sum(left, right, table), table.slot


def _pair_sum_backward(slot: Array | np.ndarray, pulled: Array) -> tuple[Array, Array, None]:
    padded = jnp.concatenate([pulled, jnp.zeros((1, pulled.shape[1]), pulled.dtype)])
    return padded[slot].sum(1), padded[slot.T].sum(1), None


_pair_sum.defvjp(_pair_sum_forward, _pair_sum_backward)
