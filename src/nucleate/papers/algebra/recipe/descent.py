"""How weights are changed: Adam, with weight decay inside its gradient or beside it."""

import abc
from dataclasses import dataclass
from typing import final

import optax
from jaxtyping import Array, Float

from nucleate.checking import Checked

Rate = float | Float[Array, ""]


class Descent(Checked, abc.ABC):
    """An optimiser, given a learning rate and a weight decay."""

    @abc.abstractmethod
    def __call__(self, eta: Rate, decay: Rate) -> optax.GradientTransformation: ...


@final
@dataclass(frozen=True)
class AdamL2(Descent):
    """Adam on the gradient plus decay × weights, which is what PyTorch's `Adam(weight_decay=…)` does.

    The decay is divided by the gradient's scale as well, so that it is much stronger than `AdamDecoupled`'s wherever
    gradients are small.

    >>> import jax.numpy as jnp
    >>> optimizer, weights = AdamL2()(0.1, 0.01), jnp.array([2.0])
    >>> round(optimizer.update(jnp.array([0.0]), optimizer.init(weights), weights)[0].item(), 4)
    -0.1
    """

    def __call__(self, eta: Rate, decay: Rate) -> optax.GradientTransformation:
        return optax.chain(optax.add_decayed_weights(decay), optax.scale_by_adam(), optax.scale_by_learning_rate(eta))


@final
@dataclass(frozen=True)
class AdamDecoupled(Descent):
    """AdamW: weights shrink by a factor 1 − eta × decay in every step, whatever the gradient.

    >>> import jax.numpy as jnp
    >>> optimizer, weights = AdamDecoupled()(0.1, 0.01), jnp.array([2.0])
    >>> round(optimizer.update(jnp.array([0.0]), optimizer.init(weights), weights)[0].item(), 4)
    -0.002
    """

    def __call__(self, eta: Rate, decay: Rate) -> optax.GradientTransformation:
        return optax.adamw(eta, weight_decay=decay)
