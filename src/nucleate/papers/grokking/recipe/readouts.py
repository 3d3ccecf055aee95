"""What a decoder is asked for: regression to random templates, or classification."""

import abc
from dataclasses import dataclass
from typing import final

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int


class Readout(abc.ABC):
    """What the decoder is asked for, and when an answer counts as correct."""

    @abc.abstractmethod
    def targets(self, labels: int, key: Array) -> Float[Array, "label output"]:
        """The target vector of every label."""

    @abc.abstractmethod
    def outputs_for(self, labels: int) -> int:
        """How many numbers the decoder puts out."""

    @abc.abstractmethod
    def losses(self, outputs: Float[Array, "pair output"], target: Array, label: Int[Array, " pair"]) -> Array:
        """The loss of every pair, given its own target vector and label."""

    @abc.abstractmethod
    def answers(self, outputs: Float[Array, "pair output"], targets: Array) -> Int[Array, " pair"]:
        """The label that every output stands for."""


@final
@dataclass(frozen=True)
class Regression(Readout):
    """Mean squared error to a template N(0, 1)^outputs per label; the answer is the nearest template."""

    outputs: int = 30

    def outputs_for(self, labels: int) -> int:
        return self.outputs

    def targets(self, labels: int, key: Array) -> Float[Array, "label output"]:
        return jax.random.normal(key, (labels, self.outputs))

    def losses(self, outputs: Float[Array, "pair output"], target: Array, label: Int[Array, " pair"]) -> Array:
        return jnp.mean((outputs - target) ** 2, axis=-1)

    def answers(self, outputs: Float[Array, "pair output"], targets: Array) -> Int[Array, " pair"]:
        # argmin over t of |o − t|², without the term |o|² that all t share.
        return jnp.argmin(jnp.sum(targets**2, axis=-1) - 2 * outputs @ targets.T, axis=-1)


@final
@dataclass(frozen=True)
class Classification(Readout):
    """Cross-entropy over one logit per label; the answer is the largest."""

    def outputs_for(self, labels: int) -> int:
        return labels

    def targets(self, labels: int, key: Array) -> Float[Array, "label output"]:
        return jnp.eye(labels)

    def losses(self, outputs: Float[Array, "pair output"], target: Array, label: Int[Array, " pair"]) -> Array:
        return optax.softmax_cross_entropy_with_integer_labels(outputs, label)

    def answers(self, outputs: Float[Array, "pair output"], targets: Array) -> Int[Array, " pair"]:
        return jnp.argmax(outputs, axis=-1)
