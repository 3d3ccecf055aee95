"""The quadratic network that learns the addition of an abelian group, as a recipe."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, PyTree

from nucleate.fleet import LogSpaced, Probe, Recipe, View
from nucleate.models import Quadratic
from nucleate.papers.algebra.recipe.descent import Descent
from nucleate.papers.algebra.recipe.starts import Start
from nucleate.tasks import Group, GroupTask


@final
@dataclass(frozen=True)
class GroupNetwork(Recipe):
    """A quadratic network on all pairs of a group's elements, some of them held out [tian2024cogo].

        loss = mean ‖P⊥ o‖² − 2 (P⊥ o)_{x+y} + 1 − 1/d = mean ‖P⊥ o − P⊥ e_{x+y}‖²

    over the pairs (x, y) that are trained on, all of them in every step. Members' columns: `seed` (weights),
    `seed_split` (which pairs are held out), `eta` (learning rate) and `wd` (weight decay). Losses, accuracies and the
    squared norm of all weights are recorded at `points` log-spaced steps, the weights themselves at `looks` of them.
    """

    group: Group
    start: Start
    descent: Descent
    train_share: float = 0.9
    points: int = 200
    looks: int = 40

    @cached_property
    def task(self) -> GroupTask:
        return GroupTask(self.group)

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        d = self.group.order
        size = max(1, round(self.train_share * d * d))
        in_train = self.task.split(jax.random.key(member["seed_split"]), size).in_train.reshape(d, d)
        train = {"label": self.group.products, "weight": (in_train / size).astype(np.float32)}
        return {"train": train, "in_train": in_train}

    def model(self, member: Mapping[str, Any], key: Array) -> Quadratic:
        return self.start(self.group, key)

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        return self.descent(member["eta"], member["wd"])

    def loss(self, model: Quadratic, batch: PyTree, key: Array) -> tuple[Float[Array, ""], PyTree]:
        # Held-out pairs have no weight. Leaving them out would take gathers, and scatters in the gradient.
        return jnp.sum(batch["weight"] * _errors(model.on_grid(), batch["label"])), None

    @property
    def probes(self) -> tuple[Probe, ...]:
        often, seldom = LogSpaced(self.points), LogSpaced(self.looks)
        weights = {"a": ("element", "node"), "b": ("element", "node"), "c": ("node", "element")}
        return (
            Probe("train_loss", lambda view: view.loss, often),
            Probe("test_loss", _over(jnp.logical_not, _errors), often),
            Probe("train_accuracy", _over(jnp.asarray, _right), often),
            Probe("test_accuracy", _over(jnp.logical_not, _right), often),
            Probe(
                "squared_norm",
                lambda view: optax.tree.norm(view.model, squared=True),
                often,
                attrs={"long_name": "sum of squared weights"},
            ),
            *(
                Probe(name, lambda view, name=name: getattr(view.model, name), seldom, dims, axis="step_weights")
                for name, dims in weights.items()
            ),
        )

    def describe(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        return {
            "in_train": (("member", "pair"), np.stack([member["in_train"].ravel() for member in data])),
            "sums": (("row", "column"), self.group.products),
        }


def _errors(
    outputs: Float[Array, "element element element"], label: Int[Array | np.ndarray, "element element"]
) -> Float[Array, "element element"]:
    """The squared distance of each pair's outputs from its centred label."""
    d = outputs.shape[-1]
    return jnp.square(outputs - (label[..., None] == jnp.arange(d)) + 1 / d).sum(-1)


def _right(
    outputs: Float[Array, "element element element"], label: Int[Array | np.ndarray, "element element"]
) -> Array:
    return outputs.argmax(-1) == label


def _over(choose, score):
    """The mean of a score over the pairs that are chosen by whether they are trained on; NaN if there are none."""

    def look(view: View) -> Float[Array, ""]:
        chosen = choose(view.data["in_train"])
        # Counted before it is divided, so that all right is 1 to the last bit.
        return jnp.sum(chosen * score(view.model.on_grid(), view.data["train"]["label"])) / jnp.sum(chosen)

    return look
