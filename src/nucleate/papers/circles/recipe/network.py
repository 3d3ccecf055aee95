"""The paper's network as a recipe: Dec([E_a, E_b]) learning modular addition."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, PyTree

from nucleate.fleet import Crossing, Every, LogSpaced, Probe, Recipe, Schedule, View, by_field
from nucleate.interventions import keep
from nucleate.models import MLP, ConcatDecoder, PairTable, cross_entropy
from nucleate.observables import gradient_spectrum, margin, mean_signal, signal
from nucleate.papers.circles.recipe.starts import RANDOM, Start
from nucleate.tasks import ModularAdditionTask

TRAIN_SHARE = 0.8
KEPT = 5  # how many of the strongest circles the ablation of Section 4.1 keeps, at most


@cache
def _task(p: int) -> ModularAdditionTask:
    return ModularAdditionTask(p)


@final
@dataclass(frozen=True)
class CircleNetwork(Recipe):
    """Dec([E_a, E_b]) with AdamW on all parameters, on 80 % of the ordered pairs [ding2024survival].

    Members' columns: `seed` (decoder), `seed_embedding`, `seed_split`, `p`, `dim`, `eta` (learning rate), `wd` (weight
    decay), and those that `start` reads. `frozen` embeddings neither learn nor decay. Signals are recorded every `look`
    steps, accuracy and losses every `look_test`, embeddings `snapshots` times, ablations every `look_ablation` (0:
    never).
    """

    width: int = 100
    start: Start = RANDOM
    frozen: bool = False
    look: int = 20
    look_test: int = 100
    snapshots: int = 0
    look_ablation: int = 0
    # A member may stop once every signal is this far, in units of ln s, from the line between dead and alive. In a
    # pilot of ten networks, those that got there (8) kept their survivors; these end about ln 2 above the line.
    clear: float = 0.5
    stop: tuple[str, ...] = ()

    static = ("p", "dim")

    @property
    def crossings(self) -> tuple[Crossing, ...]:  # type: ignore[override]
        return (Crossing("test99", "test_accuracy", at_least=0.99), Crossing("clear", "margin", at_least=self.clear))

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        task = _task(member["p"])
        split = task.split(jax.random.key(member["seed_split"]), TRAIN_SHARE)
        train = {
            "pairs": PairTable.of(task.pairs[split.index], task.p, int(split.in_train.sum())),
            "label": task.label[split.index],
            "weight": split.weight,
        }
        return {"train": train, "label": task.label, "in_train": split.in_train}

    def model(self, member: Mapping[str, Any], key: Array) -> ConcatDecoder:
        p, dim = member["p"], member["dim"]
        return ConcatDecoder(self.start(member), MLP((2 * dim, self.width, self.width, p), jax.nn.silu, key=key))

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        adam = optax.adamw(member["eta"], weight_decay=member["wd"])
        return by_field(embedding=optax.set_to_zero(), decoder=adam) if self.frozen else adam

    def loss(self, model: ConcatDecoder, batch: PyTree, key: Array) -> tuple[Float[Array, ""], PyTree]:
        if self.frozen:
            model = ConcatDecoder(jax.lax.stop_gradient(model.embedding), model.decoder)
        losses = cross_entropy(model.on_pairs(batch["pairs"]), batch["label"])
        return jnp.sum(batch["weight"] * losses) / jnp.sum(batch["weight"]), None

    @property
    def probes(self) -> tuple[Probe, ...]:
        often, tested = Every(self.look), Every(self.look_test)
        probes = [
            Probe("signal", lambda view: signal(view.model.embedding), often, ("freq",)),
            Probe("mean_signal", lambda view: mean_signal(view.model.embedding), often),
            Probe("gradient_spectrum", lambda view: gradient_spectrum(view.grads.embedding), often, ("freq",)),
            Probe("margin", _margin, often, attrs={"long_name": "distance of the nearest signal from 2 s̄ (log)"}),
            Probe("train_loss", lambda view: view.loss, tested, axis="step_test"),
            Probe("test_loss", _over_test(cross_entropy), tested, axis="step_test"),
            Probe("test_accuracy", _over_test(_is_right), tested, axis="step_test"),
        ]
        if self.snapshots:
            when = LogSpaced(self.snapshots)
            probes.append(_apart("embedding", lambda view: view.model.embedding, when, ("token", "dim")))
        if self.look_ablation:
            probes.append(_apart("ablated_loss", _ablated_loss, Every(self.look_ablation), ("kept",)))
        return tuple(probes)

    def describe(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        pairs = max(len(member["in_train"]) for member in data)
        in_train = np.zeros((len(data), pairs), bool)
        for row, member in zip(in_train, data, strict=True):
            row[: len(member["in_train"])] = member["in_train"]
        return {"in_train": (("member", "pair"), in_train)}


def _is_right(logits: Float[Array, "pair label"], label: Int[Array, " pair"]) -> Array:
    return logits.argmax(1) == label


def _over_test(score):
    """The mean of a score over the pairs that are not trained on."""

    def look(view: View) -> Float[Array, ""]:
        held_out = ~view.data["in_train"]
        return jnp.sum(score(view.model.on_grid(), view.data["label"]) * held_out) / jnp.sum(held_out)

    return look


def _margin(view: View) -> Float[Array, ""]:
    return margin(signal(view.model.embedding), mean_signal(view.model.embedding))


def _ablated_loss(view: View) -> Float[Array, " kept"]:
    """The loss on all pairs with only the n strongest circles left, n = 1..KEPT; fewer if there are fewer."""
    embedding = view.model.embedding
    strongest = jnp.argsort(-signal(embedding))[:KEPT] + 1

    def loss(count: int) -> Float[Array, ""]:
        if count > len(strongest):
            return jnp.asarray(jnp.nan)
        left = ConcatDecoder(keep(embedding, list(strongest[:count])), view.model.decoder)
        return cross_entropy(left.on_grid(), view.data["label"]).mean()

    return jnp.stack([loss(count) for count in range(1, KEPT + 1)])


def _apart(name: str, look, when: Schedule, dims: tuple[str, ...]) -> Probe:
    return Probe(name, look, when, dims, axis=f"step_{name}")
