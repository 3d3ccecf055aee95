"""The paper's network as a recipe: Dec(E_a + E_b) learning addition by plain gradient descent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, PyTree

from nucleate.fleet import Crossing, Every, Probe, Recipe, View
from nucleate.models import MLP, SumDecoder
from nucleate.tasks import AdditionTask


@final
@dataclass(frozen=True)
class ReponNetwork(Recipe):
    """Dec(E_a + E_b) with one hidden layer of tanh, cross-entropy over sums, full batch and SGD [mehta2024repons].

    Members' columns: `seed` (decoder), `seed_embedding`, `seed_split`, `dim`, `width`, `train_size` (pairs that are
    trained on), `init_scale` (the embedding starts N(0, init_scale²)), `eta` (learning rate), `wd` (L2 on all
    parameters). Positions and gradients are recorded every `look` steps; with `validate`, so is the accuracy on pairs
    that are not trained on. There is no momentum, so that the gradient is the velocity: dR/dt = −∂L/∂R, with
    time eta · step.
    """

    p: int = 10
    look: int = 10
    validate: bool = False

    static = ("dim", "width")
    crossings = (Crossing("learned", "accuracy", at_least=1.0),)

    @cached_property
    def task(self) -> AdditionTask:
        return AdditionTask(self.p)

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        split = self.task.split(jax.random.key(member["seed_split"]), member["train_size"])
        weight = split.in_train / split.in_train.sum()
        return {"train": {"weight": weight.astype(np.float32)}, "in_train": split.in_train}

    def model(self, member: Mapping[str, Any], key: Array) -> SumDecoder:
        dim = member["dim"]
        start = member["init_scale"] * jax.random.normal(jax.random.key(member["seed_embedding"]), (self.p, dim))
        return SumDecoder(start, MLP((dim, member["width"], self.task.labels), key=key))

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        return optax.chain(optax.add_decayed_weights(member["wd"]), optax.sgd(member["eta"]))

    def loss(self, model: SumDecoder, batch: PyTree, key: Array) -> tuple[Float[Array, ""], PyTree]:
        logits = model.on_sums(self.task.pair_sums)
        picked = jnp.sum(jax.nn.log_softmax(logits) * np.eye(self.task.labels, dtype=np.float32)[self.task.label], 1)
        return -jnp.sum(batch["weight"] * picked), logits

    @property
    def probes(self) -> tuple[Probe, ...]:
        when = Every(self.look)

        def right(view: View) -> Bool[Array, " pair"]:
            return view.outputs.argmax(1) == self.task.label

        def held_out(view: View) -> Float[Array, ""]:
            chosen = ~view.data["in_train"]
            return jnp.sum(right(view) & chosen) / jnp.sum(chosen)

        probes = (
            Probe("train_loss", lambda view: view.loss, when),
            Probe("accuracy", lambda view: right(view).mean(), when, attrs={"long_name": "accuracy on all pairs"}),
            Probe("embedding", lambda view: view.model.embedding, when, ("token", "dim")),
            Probe("gradient", lambda view: view.grads.embedding, when, ("token", "dim")),
        )
        unseen = Probe("valid_accuracy", held_out, when, attrs={"long_name": "accuracy on pairs not trained on"})
        return (*probes, unseen) if self.validate else probes

    def describe(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        return {
            "left": (("pair",), self.task.pairs[:, 0]),
            "right": (("pair",), self.task.pairs[:, 1]),
            "label": (("pair",), self.task.label),
            "in_train": (("member", "pair"), np.stack([member["in_train"] for member in data])),
        }
