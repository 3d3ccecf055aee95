"""The one-layer attention of Scan & Snap on mixtures of tokens, as a recipe."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, final

import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, PyTree

from nucleate.fleet import LogSpaced, Probe, Recipe, Stream, View, by_field
from nucleate.models import TokenAttention, cross_entropy
from nucleate.observables import attention_entropy
from nucleate.tasks import TokenBatch, TokenMixtureTask

ENDLESS = 0
"""The length that stands for sequences without end in a fleet's table."""


@cache
def mixture(lasts: int, nexts: int, length: int) -> TokenMixtureTask:
    """The authors' mixtures, with a length of `ENDLESS` for sequences without end."""
    return TokenMixtureTask.uniform_and_linear(lasts, nexts, length=None if length == ENDLESS else length)


@final
@dataclass(frozen=True)
class Scanning(Recipe):
    """Attention logits Z and a decoder Y that learn mixtures of tokens by gradient descent [tian2023scan].

    Members' columns: `seed` (init and sequences), `lasts` (last tokens), `length` (of sequences; 0: without end),
    `eta_z` (learning rate of Z), `mult` (η_Y/η_Z) and `momentum`. Every last token has `nexts` next tokens. Networks
    start at zero, or uniform on ±1/√M if `random_init`. Recorded at `looks` log-spaced steps: the loss, entropies of
    attention and, if `scores`, Z itself, for which all members must have the same number of last tokens.
    """

    nexts: int = 1
    batch: int = 128
    random_init: bool = False
    scores: bool = True
    looks: int = 120

    static = ("lasts", "length")

    @property
    def batching(self) -> Stream:  # type: ignore[override]
        return Stream(lambda data, key, step: self._task_of(data).sample(key, self.batch))

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        task = mixture(member["lasts"], self.nexts, member["length"])
        # A batch is drawn by a member's data alone. Its shapes say which task it has; members share a program by them.
        return {"train": {"probability": task.matrix.astype(np.float32), "position": np.zeros(member["length"], bool)}}

    def _task_of(self, data: PyTree) -> TokenMixtureTask:
        classes, length = len(data["train"]["probability"]), len(data["train"]["position"])
        return mixture(classes // self.nexts, self.nexts, length)

    def model(self, member: Mapping[str, Any], key: Array) -> TokenAttention:
        task = mixture(member["lasts"], self.nexts, member["length"])
        scale = task.tokens**-0.5 if self.random_init else 0.0
        return TokenAttention(task.lasts, task.contextual, task.classes, scale, key=key)

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        eta_z, momentum = member["eta_z"], member["momentum"]
        return by_field(Z=optax.sgd(eta_z, momentum), Y=optax.sgd(member["mult"] * eta_z, momentum))

    def loss(self, model: TokenAttention, batch: TokenBatch, key: Array) -> tuple[Float[Array, ""], PyTree]:
        count = jnp.asarray(batch.count, jnp.float32)
        losses = cross_entropy(model(count, jnp.asarray(batch.last)), jnp.asarray(batch.label))
        return jnp.sum(jnp.asarray(batch.weight, jnp.float32) * losses), None

    @property
    def probes(self) -> tuple[Probe, ...]:
        when = LogSpaced(self.looks)
        probes = [
            Probe("train_loss", lambda view: view.loss, when),
            Probe(
                "entropy",
                self._entropy(among_distinct=False),
                when,
                attrs={"long_name": "entropy of attention", "units": "nat"},
            ),
            Probe(
                "entropy_distinct",
                self._entropy(among_distinct=True),
                when,
                attrs={"long_name": "entropy of attention, distinct tokens", "units": "nat"},
            ),
        ]
        if self.scores:
            probes.append(
                Probe(
                    "scores",
                    lambda view: view.model.Z,
                    when,
                    ("last", "token"),
                    attrs={"long_name": "attention scores"},
                )
            )
        return tuple(probes)

    def _entropy(self, *, among_distinct: bool):
        def look(view: View) -> Float[Array, ""]:
            task = self._task_of(view.data)
            # Of sequences without end, whatever the network is trained on: entropies of short ones are lower.
            attention = view.model.attention(jnp.asarray(task.matrix, jnp.float32), jnp.asarray(task.last))
            return attention_entropy(attention, task.is_distinct if among_distinct else None)

        return look

    def describe(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        if not self.scores:
            return {}
        task = self._task_of(data[0])
        return {
            "probability": (("class", "token"), task.matrix),
            "last_token": (("class",), np.array(task.last)),
            "class_share": (("class",), task.shares),
            "vocabulary": ((), np.array(task.tokens)),
        }
