"""JoMA's networks as recipes: attention trained jointly with the units that read it, and a unit on clusters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.scipy.special import entr
from jaxtyping import Array, Float, PyTree

from nucleate.fleet import Every, Probe, Recipe, Stream, View
from nucleate.models import ContextAttention, JointBlock, cross_entropy, identity
from nucleate.observables import effective_rank, stable_rank
from nucleate.tasks import ContextTask


@final
@dataclass(frozen=True)
class JointNetwork(Recipe):
    """A block whose units are the logits of classes, trained by gradient descent on all contexts [tian2023joma].

    Members' columns: `seed` (data and network), `eta` (learning rate of weights and attention alike) and `init` (scale
    of both at the start). Logits, V = U_Cᵀ W, the mean attention of each query, its entropy and the ranks of V and of
    its gradient are recorded every `look` steps.
    """

    task: ContextTask
    attention: ContextAttention
    activation: Callable = identity
    dim: int = 30
    look: int = 20

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        seen = self.task.contexts(self.task.frequencies(jax.random.key(member["seed"])))
        parts = {"x": seen.x, "weight": seen.weight}
        train = {name: value.astype(np.float32) for name, value in parts.items()}
        return {"train": train | {"query": seen.query.astype(np.int32), "label": seen.label.astype(np.int32)}}

    def model(self, member: Mapping[str, Any], key: Array) -> JointBlock:
        sizes = (self.task.tokens, self.task.queries, self.task.classes)
        return JointBlock(sizes, self.attention, self.activation, scale=member["init"], dim=self.dim, key=key)

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        return optax.sgd(member["eta"])

    def loss(self, model: JointBlock, batch: PyTree, key: Array) -> tuple[Float[Array, ""], PyTree]:
        return joint_loss(model, batch)

    @property
    def probes(self) -> tuple[Probe, ...]:
        often = Every(self.look)
        wanted = {
            "loss": (lambda view: view.loss, ()),
            "accuracy": (_accuracy, ()),
            "logits": (lambda view: view.model.logits, ("query", "token")),
            "values": (lambda view: view.model.values, ("token", "unit")),
            "mean_attention": (_mean_attention, ("query", "token")),
            "entropy": (_entropy, ()),
            "stable_rank": (lambda view: stable_rank(view.model.values), ()),
            "stable_rank_gradient": (lambda view: stable_rank(_gradient(view)), ()),
            "effective_rank": (lambda view: effective_rank(view.model.values), ()),
            "effective_rank_gradient": (lambda view: effective_rank(_gradient(view)), ()),
        }
        return tuple(Probe(name, look, often, dims) for name, (look, dims) in wanted.items())


def joint_loss(model: JointBlock, batch: PyTree) -> tuple[Float[Array, ""], Float[Array, "context unit"]]:
    """Cross-entropy of the units, as logits of the classes, and the units."""
    units = jax.vmap(model)(batch["x"], batch["query"])
    return jnp.sum(batch["weight"] * cross_entropy(units, batch["label"])), units


def _accuracy(view: View) -> Float[Array, ""]:
    return jnp.sum(view.batch["weight"] * (view.outputs.argmax(1) == view.batch["label"]))


def _attention(view: View) -> Float[Array, "context token"]:
    return jax.vmap(view.model.look)(view.batch["x"], view.batch["query"])


def _mean_attention(view: View) -> Float[Array, "query token"]:
    chosen = (view.batch["query"][:, None] == jnp.arange(len(view.model.logits))) * view.batch["weight"][:, None]
    return chosen.T @ _attention(view) / chosen.sum(0)[:, None]


def _entropy(view: View) -> Float[Array, ""]:
    size = jnp.abs(_attention(view))
    return jnp.sum(view.batch["weight"] * entr(size / size.sum(1, keepdims=True)).sum(1))


def _gradient(view: View) -> Float[Array, "token unit"]:
    """The gradient by V."""
    return (view.grads.weight @ view.model.embedding[:, : view.model.logits.shape[1]]).T


# --- a unit on clusters ----------------------------------------------------------------------------------------------


class Unit(eqx.Module):
    """φ(v·x + β), one unit."""

    values: Float[Array, " dim"]
    offset: Float[Array, ""]


@final
@dataclass(frozen=True)
class UnitOnClusters(Recipe):
    """A ReLU unit that gradient ascent moves along E[g φ(v·x + β)], g constant within each cluster of x [tian2023joma].

    Members' columns: `seed` (clusters, samples and the start), `eta` and `spread`, the standard deviation within
    clusters. Centres are normal with variance 1 in each of `dim` dimensions, g is normal, clusters are equally likely,
    and `batch` fresh samples make a step.
    """

    clusters: int = 3
    dim: int = 10
    batch: int = 1024
    look: int = 10

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        rng = np.random.default_rng(member["seed"])
        centre = rng.normal(size=(self.clusters, self.dim)).astype(np.float32)
        gain = rng.normal(size=self.clusters).astype(np.float32)
        return {"centre": centre, "gain": gain, "spread": np.asarray(member["spread"], np.float32)}

    @property
    def batching(self) -> Stream:  # type: ignore[override]
        return Stream(self._sample)

    def _sample(self, data: PyTree, key: Array, step: Array) -> PyTree:
        which, noise = jax.random.split(key)
        cluster = jax.random.randint(which, (self.batch,), 0, self.clusters)
        x = data["centre"][cluster] + data["spread"] * jax.random.normal(noise, (self.batch, self.dim))
        return {"x": x, "g": data["gain"][cluster]}

    def model(self, member: Mapping[str, Any], key: Array) -> Unit:
        return Unit(jax.random.normal(key, (self.dim,)) / np.sqrt(self.dim), jnp.zeros(()))

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        return optax.sgd(member["eta"])

    def loss(self, model: Unit, batch: PyTree, key: Array) -> tuple[Float[Array, ""], PyTree]:
        return -jnp.mean(batch["g"] * jax.nn.relu(batch["x"] @ model.values + model.offset)), None

    @property
    def probes(self) -> tuple[Probe, ...]:
        often = Every(self.look)
        return (
            Probe("values", lambda view: view.model.values, often, ("dim",)),
            Probe("offset", lambda view: view.model.offset, often),
        )

    def describe(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        return {
            "centre": (("member", "cluster", "dim"), np.stack([one["centre"] for one in data])),
            "strength": (("member", "cluster"), np.stack([one["gain"] for one in data]) / self.clusters),
        }
