"""A classifier whose last layer can be trained apart from the rest."""

from collections.abc import Callable

import equinox as eqx
import jax
from jaxtyping import Array, Float

from nucleate.models.mlp import MLP


class Classifier(eqx.Module):
    """y = W φ(body(x)) + b: all layers but the last are the `body`, and `last` is W and b.

    Initialised as `MLP` is, with every parameter multiplied by `scale`.

    >>> Classifier((784, 200, 200, 10), key=jax.random.key(0))(jax.numpy.ones(784)).shape
    (10,)
    """

    body: MLP
    last: MLP

    def __init__(
        self,
        sizes: tuple[int, ...],
        activation: Callable = jax.nn.relu,
        *,
        scale: Float[Array, ""] | float = 1.0,
        key: Array,
    ):
        if len(sizes) < 3:
            raise ValueError(f"Classifier.sizes must be at least three numbers; got {sizes}.")
        body_key, last_key = jax.random.split(key)
        body, last = MLP(sizes[:-1], activation, key=body_key), MLP(sizes[-2:], activation, key=last_key)
        self.body, self.last = jax.tree.map(lambda array: scale * array, (body, last))

    def __call__(self, x: Float[Array, "*batch input"]) -> Float[Array, "*batch output"]:
        return self.last(self.body.activation(self.body(x)))
