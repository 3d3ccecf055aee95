"""The toy model Dec(E_a + E_b), which learns addition, as a recipe; and the structure of its task."""

import abc
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, ArrayLike, Bool, Float, Int, PyTree

from nucleate.fleet import Batching, Crossing, Every, FullBatch, Minibatch, Probe, Recipe, View, by_field
from nucleate.models import MLP, SumDecoder
from nucleate.observables import equations, ideal_test_accuracy, parallelograms, rqi
from nucleate.tasks import AdditionTask, Split

P = 10
"""Symbols of the paper's task."""

_SPLIT, _TEMPLATES = range(2)  # what `seed_split` is folded with


@jax.jit  # a fleet asks for thousands of keys
def _key(seed: Int[ArrayLike, ""], purpose: Int[ArrayLike, ""]) -> Array:
    return jax.random.fold_in(jax.random.key(seed), purpose)


@dataclass(frozen=True)
class Structure:
    """The pairs of addition on `p` symbols, and the parallelograms that they form."""

    p: int

    @cached_property
    def task(self) -> AdditionTask:
        return AdditionTask(self.p)

    @property
    def pairs(self) -> Int[np.ndarray, "pair 2"]:
        return self.task.pairs

    @cached_property
    def quads(self) -> Int[np.ndarray, "parallelogram 2"]:
        """The two pairs of each parallelogram."""
        return parallelograms(self.task.label)

    @cached_property
    def equations(self) -> Float[np.ndarray, "parallelogram token"]:
        """Each parallelogram as a row of A E = 0."""
        return equations(self.pairs, self.quads, self.p)

    def training_set(self, *pairs: tuple[int, int]) -> Bool[np.ndarray, " pair"]:
        """The mask of a training set that is listed pair by pair.

        >>> Structure(2).training_set((1, 0)).tolist()
        [False, True, False]
        """
        wanted = {tuple(sorted(pair)) for pair in pairs}
        return np.asarray([tuple(pair) in wanted for pair in self.pairs.tolist()])


class Readout(abc.ABC):
    """What the decoder is asked for, and when an answer counts as correct."""

    @abc.abstractmethod
    def targets(self, task: AdditionTask, key: Array) -> Float[Array, "label output"]:
        """The target vector of every label."""

    @abc.abstractmethod
    def outputs_for(self, task: AdditionTask) -> int:
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
    """Mean squared error to a random template per label; the answer is the nearest template."""

    outputs: int = 30

    def outputs_for(self, task: AdditionTask) -> int:
        return self.outputs

    def targets(self, task: AdditionTask, key: Array) -> Float[Array, "label output"]:
        return task.templates(key, self.outputs)

    def losses(self, outputs: Float[Array, "pair output"], target: Array, label: Int[Array, " pair"]) -> Array:
        return jnp.mean((outputs - target) ** 2, axis=-1)

    def answers(self, outputs: Float[Array, "pair output"], targets: Array) -> Int[Array, " pair"]:
        # argmin over t of |o − t|², without the term |o|² that all t share.
        return jnp.argmin(jnp.sum(targets**2, axis=-1) - 2 * outputs @ targets.T, axis=-1)


@final
@dataclass(frozen=True)
class Classification(Readout):
    """Cross-entropy over one logit per label; the answer is the largest."""

    def outputs_for(self, task: AdditionTask) -> int:
        return task.labels

    def targets(self, task: AdditionTask, key: Array) -> Float[Array, "label output"]:
        return jnp.eye(task.labels)

    def losses(self, outputs: Float[Array, "pair output"], target: Array, label: Int[Array, " pair"]) -> Array:
        return optax.softmax_cross_entropy_with_integer_labels(outputs, label)

    def answers(self, outputs: Float[Array, "pair output"], targets: Array) -> Int[Array, " pair"]:
        return jnp.argmax(outputs, axis=-1)


@final
@dataclass(frozen=True)
class ToyAddition(Recipe):
    """Dec(E_a + E_b) with separate AdamW for embedding and decoder [liu2022grokking].

    Members' columns: `seed` (network), `seed_split` (training set and templates), `train_size`, `eta_repr`, `eta_dec`
    (learning rates), `wd_repr`, `wd_dec` (weight decays), `init_scale` (of the embedding). `batch` = 0 is full batch.
    `training_set`, where given, is used instead of a random split.
    """

    p: int = P
    dim: int = 1
    width: int = 200
    readout: Readout = Regression()
    batch: int = 0
    look: int = 10
    stop: tuple[str, ...] = ()
    training_set: tuple[tuple[int, int], ...] = ()

    crossings = (
        Crossing("train90", "train_accuracy", at_least=0.9),
        Crossing("valid90", "valid_accuracy", at_least=0.9),
        Crossing("rqi95", "rqi", above=0.95),
    )

    @cached_property
    def structure(self) -> Structure:
        return Structure(self.p)

    @property
    def task(self) -> AdditionTask:
        return self.structure.task

    @property
    def batching(self) -> Batching:  # type: ignore[override]
        return Minibatch(self.batch) if self.batch else FullBatch()

    def split(self, member: Mapping[str, Any]) -> Split:
        """The member's training set."""
        if self.training_set:
            chosen = np.flatnonzero(self.structure.training_set(*self.training_set))
            return Split.of(chosen, len(self.task.pairs))
        return self.task.split(_key(member["seed_split"], _SPLIT), member["train_size"])

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        split = self.split(member)
        targets = np.asarray(self.readout.targets(self.task, _key(member["seed_split"], _TEMPLATES)))
        label = self.task.label[split.index]
        train = {
            "pair": self.task.pairs[split.index],
            "label": label,
            "target": targets[label],
            "weight": split.weight,
        }
        return {"train": train, "targets": targets, "in_train": split.in_train}

    def model(self, member: Mapping[str, Any], key: Array) -> SumDecoder:
        outputs = self.readout.outputs_for(self.task)
        embedding_key, decoder_key = jax.random.split(key)
        embedding = member["init_scale"] * (jax.random.uniform(embedding_key, (self.p, self.dim)) - 0.5)
        return SumDecoder(embedding, MLP((self.dim, self.width, self.width, outputs), key=decoder_key))

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        return by_field(
            embedding=optax.adamw(member["eta_repr"], weight_decay=member["wd_repr"]),
            decoder=optax.adamw(member["eta_dec"], weight_decay=member["wd_dec"]),
        )

    def loss(self, model: SumDecoder, batch: PyTree, key: Array) -> tuple[Float[Array, ""], PyTree]:
        outputs = jax.vmap(model)(batch["pair"])
        losses = self.readout.losses(outputs, batch["target"], batch["label"])
        return jnp.sum(batch["weight"] * losses) / jnp.sum(batch["weight"]), None

    @property
    def probes(self) -> tuple[Probe, ...]:
        when = Every(self.look)

        def accuracy(over):
            def look(view: View) -> Float[Array, ""]:
                # Every pair at once: the three accuracies below share one forward pass.
                outputs = jax.vmap(view.model)(jnp.asarray(self.task.pairs))
                correct = self.readout.answers(outputs, view.data["targets"]) == self.task.label
                chosen = over(view.data["in_train"])
                return jnp.sum(correct & chosen) / jnp.sum(chosen)

            return look

        return (
            Probe("train_loss", lambda view: view.loss, when),
            Probe("train_accuracy", accuracy(lambda in_train: in_train), when),
            Probe("valid_accuracy", accuracy(lambda in_train: ~in_train), when),
            Probe("accuracy", accuracy(jnp.ones_like), when, attrs={"long_name": "accuracy on all pairs"}),
            Probe("rqi", lambda view: rqi(view.model.embedding, self.structure.equations), when),
            Probe("embedding", lambda view: view.model.embedding, when, dims=("token", "dim")),
        )

    def describe(self, data: list[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        in_train = np.stack([member["in_train"] for member in data])
        ideal = np.asarray(ideal_test_accuracy(self.structure.equations, self.structure.quads, in_train))
        return {
            "left": (("pair",), self.task.pairs[:, 0]),
            "right": (("pair",), self.task.pairs[:, 1]),
            "label": (("pair",), self.task.label),
            "in_train": (("member", "pair"), in_train),
            "ideal_test_accuracy": (("member",), ideal),
        }
