"""What the networks that read two symbols share: data, optimisers, accuracies and thresholds."""

import abc
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, ArrayLike, Float, Int, PyTree

from nucleate.fleet import Batching, Crossing, Every, FullBatch, Probe, Recipe, Stream, View, by_field
from nucleate.models import MLP, ProductDecoder, SumDecoder
from nucleate.papers.grokking.recipe.readouts import Readout, Regression
from nucleate.tasks import AdditionTask, GroupTask, Split

_SPLIT, _TEMPLATES = range(2)  # what `seed_split` is folded with


@dataclass(frozen=True)
class PairRecipe(Recipe):
    """A decoder of two embedded symbols, with separate AdamW for embedding and decoder [liu2022grokking].

    Members' columns: `seed` (network), `seed_split` (training set and templates), `train_size`, `eta_repr`, `eta_dec`
    (learning rates), `wd_repr`, `wd_dec` (weight decays), `init_scale` (of the embedding) and, with `minibatches`,
    `batch` (pairs in each step; 0: all). `l1`: weight of the mean absolute entry of the embedding in the loss.
    """

    width: int = 200
    readout: Readout = Regression()  # noqa: RUF009 - it is frozen
    minibatches: bool = False
    l1: float = 0.0
    look: int = 10
    stop: tuple[str, ...] = ()

    crossings = (
        Crossing("train90", "train_accuracy", at_least=0.9),
        Crossing("valid90", "valid_accuracy", at_least=0.9),
        Crossing("rqi95", "rqi", above=0.95),
    )

    axes: ClassVar[tuple[str, ...]]
    """What the axes of the embedding are called in the record."""

    # --- what each system defines -------------------------------------------------------------------------------------

    @property
    @abc.abstractmethod
    def task(self) -> AdditionTask | GroupTask:
        """The pairs and their labels."""

    @abc.abstractmethod
    def rqi(self, embedding: Float[Array, "..."]) -> Float[Array, ""]:
        """The quality of the representation."""

    @abc.abstractmethod
    def split(self, member: Mapping[str, Any]) -> Split:
        """The member's training set."""

    # --- what all of them do ------------------------------------------------------------------------------------------

    def drawn_split(self, member: Mapping[str, Any]) -> Split:
        """A random training set."""
        return self.task.split(_key(member["seed_split"], _SPLIT), member["train_size"])

    def start(self, member: Mapping[str, Any], key: Array, shape: tuple[int, ...]) -> tuple[Array, MLP]:
        """A uniform embedding in ±init_scale/2 and its decoder; `shape`: of the embedding of one symbol."""
        outputs = self.readout.outputs_for(self.task.labels)
        embedding_key, decoder_key = jax.random.split(key)
        tokens = int(self.task.pairs.max()) + 1
        embedding = member["init_scale"] * (jax.random.uniform(embedding_key, (tokens, *shape)) - 0.5)
        return embedding, MLP((int(np.prod(shape)), self.width, self.width, outputs), key=decoder_key)

    @property
    def batching(self) -> Batching:  # type: ignore[override]
        return Stream(_some_of_them) if self.minibatches else FullBatch()

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        split = self.split(member)
        targets = np.asarray(self.readout.targets(self.task.labels, _key(member["seed_split"], _TEMPLATES)))
        label = self.task.label[split.index]
        train = {
            "pair": self.task.pairs[split.index],
            "label": label,
            "target": targets[label],
            "weight": split.weight,
        }
        data = {"train": train, "targets": targets, "in_train": split.in_train}
        if self.minibatches:
            data["batch"] = np.asarray(member["batch"] or len(label), np.int32)
        return data

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        return by_field(
            embedding=optax.adamw(member["eta_repr"], weight_decay=member["wd_repr"]),
            decoder=optax.adamw(member["eta_dec"], weight_decay=member["wd_dec"]),
        )

    def loss(self, model: SumDecoder | ProductDecoder, batch: PyTree, key: Array) -> tuple[Float[Array, ""], PyTree]:
        outputs = jax.vmap(model)(batch["pair"])
        losses = self.readout.losses(outputs, batch["target"], batch["label"])
        loss = jnp.sum(batch["weight"] * losses) / jnp.sum(batch["weight"])
        return loss + self.l1 * jnp.mean(jnp.abs(model.embedding)) if self.l1 else loss, None

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
            Probe("rqi", lambda view: self.rqi(view.model.embedding), when),
            Probe("embedding", lambda view: view.model.embedding, when, dims=self.axes),
        )

    def described_pairs(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        """The pairs, and which of them each member trains on."""
        return {
            "left": (("pair",), self.task.pairs[:, 0]),
            "right": (("pair",), self.task.pairs[:, 1]),
            "label": (("pair",), self.task.label),
            "in_train": (("member", "pair"), np.stack([member["in_train"] for member in data])),
        }


@jax.jit  # a fleet asks for thousands of keys
def _key(seed: Int[ArrayLike, ""], purpose: Int[ArrayLike, ""]) -> Array:
    return jax.random.fold_in(jax.random.key(seed), purpose)


def _some_of_them(data: PyTree, key: Array, step: Int[Array, ""]) -> PyTree:
    """`data["batch"]` distinct training pairs, drawn afresh in every step; the weight of all others is 0.

    So the size of a batch is a number like any other: one program serves a whole phase diagram.
    """
    train = data["train"]
    lottery = jnp.where(train["weight"] > 0, jax.random.uniform(key, train["weight"].shape), -1.0)
    place = jnp.argsort(jnp.argsort(-lottery))
    return train | {"weight": train["weight"] * (place < data["batch"])}
