"""The paper's toy model as a recipe: Dec(E_a + E_b) learning addition."""

import abc
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, PyTree

from nucleate.fleet import Batching, Crossing, Every, FullBatch, Minibatch, Probe, Recipe, View, by_field
from nucleate.models import MLP, SumDecoder
from nucleate.observables import ideal_test_accuracy, rqi
from nucleate.papers.grokking.structure import Structure
from nucleate.tasks import AdditionTask, Split

_SPLIT, _TEMPLATES = range(2)  # what `seed_split` is folded with


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
    """Mean squared error to one random template for each label; the answer is the nearest template."""

    outputs: int = 30

    def outputs_for(self, task: AdditionTask) -> int:
        return self.outputs

    def targets(self, task: AdditionTask, key: Array) -> Float[Array, "label output"]:
        return task.templates(key, self.outputs)

    def losses(self, outputs: Float[Array, "pair output"], target: Array, label: Int[Array, " pair"]) -> Array:
        return jnp.mean((outputs - target) ** 2, axis=-1)

    def answers(self, outputs: Float[Array, "pair output"], targets: Array) -> Int[Array, " pair"]:
        # argmin |o − t|² without the term that is the same for all t.
        return jnp.argmin(jnp.sum(targets**2, axis=-1) - 2 * outputs @ targets.T, axis=-1)


@final
@dataclass(frozen=True)
class Classification(Readout):
    """Cross-entropy over one logit for each label; the answer is the largest."""

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

    p: int = 10
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
    def task(self) -> AdditionTask:
        return AdditionTask(self.p)

    @cached_property
    def structure(self) -> Structure:
        return Structure(self.p)

    @property
    def batching(self) -> Batching:  # type: ignore[override]
        return Minibatch(self.batch) if self.batch else FullBatch()

    def split(self, member: Mapping[str, Any]) -> Split:
        """The member's training set."""
        if self.training_set:
            wanted = {tuple(sorted(pair)) for pair in self.training_set}
            chosen = [i for i, pair in enumerate(self.task.pairs.tolist()) if tuple(pair) in wanted]
            return Split.of(np.asarray(chosen), len(self.task.pairs))
        key = jax.random.fold_in(jax.random.key(member["seed_split"]), _SPLIT)
        return self.task.split(key, member["train_size"])

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        split = self.split(member)
        key = jax.random.fold_in(jax.random.key(member["seed_split"]), _TEMPLATES)
        targets = np.asarray(self.readout.targets(self.task, key))
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
