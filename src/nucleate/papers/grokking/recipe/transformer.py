"""The transformer of Section 4.2, which learns modular addition, as a recipe."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, PyTree

from nucleate.fleet import Crossing, Every, Probe, Recipe, View, by_field, pieces
from nucleate.models import BlocksDecoder, Dropout, PairTransformer, TransformerSize, cross_entropy
from nucleate.observables import effective_dimension, pca_frequencies, pca_spectrum
from nucleate.tasks import ModularAdditionTask, Split

PAPERS_SIZE = TransformerSize(blocks=2, heads=1, width=256, hidden=256)


@cache
def _task(p: int) -> ModularAdditionTask:
    return ModularAdditionTask(p)


@final
@dataclass(frozen=True)
class ModularTransformer(Recipe):
    """A transformer on pairs of symbols, with separate AdamW for embedding and decoder [liu2022grokking].

    Members' columns: `seed` (network and dropout), `seed_split`, `eta_repr`, `eta_dec` (learning rates), `wd_dec`
    (weight decay of the decoder; the embedding has none), `dropout` (its rate). Accuracies are recorded every `look`
    steps, without dropout; embeddings every `look_embedding` steps (0: never).
    """

    p: int = 53
    size: TransformerSize = PAPERS_SIZE
    train_share: float = 0.8
    look: int = 10
    look_embedding: int = 0
    stop: tuple[str, ...] = ()

    # 90 % for the phases of Table 1, 99 % for the times of Fig. 7; what stops a network is that it has generalised.
    crossings = tuple(
        Crossing(f"{kind}{percent}", f"{kind}_accuracy", at_least=percent / 100)
        for kind in ("train", "valid")
        for percent in (90, 99)
    )

    @property
    def task(self) -> ModularAdditionTask:
        return _task(self.p)

    @property
    def microbatches(self) -> tuple[int, ...]:  # type: ignore[override]
        return pieces(Split.slots(int(self.train_share * self.p**2)), rows=2)

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        split = self.task.split(jax.random.key(member["seed_split"]), self.train_share)
        train = {
            "pair": self.task.pairs[split.index],
            "label": self.task.label[split.index],
            "weight": split.weight / split.weight.mean(),  # so that the loss is a mean over pieces of the batch, too
        }
        if member["dropout"]:  # networks without dropout have a program of their own, which draws no random numbers
            train["dropout"] = np.asarray(member["dropout"], np.float32)
        return {"train": train, "in_train": split.in_train}

    def model(self, member: Mapping[str, Any], key: Array) -> PairTransformer:
        embedding_key, decoder_key = jax.random.split(key)
        embedding = jax.random.normal(embedding_key, (self.p, self.size.width))
        return PairTransformer(embedding, BlocksDecoder(self.size, tokens=2, labels=self.p, key=decoder_key))

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        return by_field(
            embedding=optax.adam(member["eta_repr"]),
            decoder=optax.adamw(member["eta_dec"], weight_decay=member["wd_dec"]),
        )

    def loss(self, model: PairTransformer, batch: PyTree, key: Array) -> tuple[Float[Array, ""], PyTree]:
        dropout = Dropout(batch["dropout"], key) if "dropout" in batch else None
        losses = cross_entropy(model(batch["pair"], dropout), batch["label"])
        return jnp.mean(batch["weight"] * losses), None

    @property
    def probes(self) -> tuple[Probe, ...]:
        often = Every(self.look)
        probes = [
            Probe("train_loss", lambda view: view.loss, often),
            Probe("train_accuracy", self._accuracy(lambda in_train: in_train), often),
            Probe("valid_accuracy", self._accuracy(lambda in_train: ~in_train), often),
            Probe(
                "effective_dimension",
                _effective_dimension,
                often,
                attrs={"long_name": "effective number of dimensions"},
            ),
            Probe(
                "frequency",
                lambda view: _first_frequency(view)[0],
                often,
                attrs={"long_name": "frequency of the first principal plane"},
            ),
            Probe(
                "frequency_share",
                lambda view: _first_frequency(view)[1],
                often,
                attrs={"long_name": "its share of the plane's variance"},
            ),
        ]
        if self.look_embedding:
            look, when = lambda view: view.model.embedding, Every(self.look_embedding)
            probes.append(Probe("embedding", look, when, ("token", "dim"), axis="step_embedding"))
        return tuple(probes)

    def _accuracy(self, over):
        def look(view: View) -> Float[Array, ""]:
            # Every pair at once: both accuracies share one forward pass.
            correct = view.model(self.task.pairs).argmax(-1) == self.task.label
            chosen = over(view.data["in_train"])
            return jnp.sum(correct & chosen) / jnp.sum(chosen)

        return look

    def describe(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        return {"in_train": (("member", "pair"), np.stack([member["in_train"] for member in data]))}


def _effective_dimension(view: View) -> Float[Array, ""]:
    return effective_dimension(pca_spectrum(view.model.embedding))


def _first_frequency(view: View) -> tuple[Array, Array]:
    """That of the first principal plane, and its share of the plane's variance."""
    (frequency,), (share,) = pca_frequencies(view.model.embedding, 1)
    return frequency, share
