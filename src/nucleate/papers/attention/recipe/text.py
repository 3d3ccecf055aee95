"""Transformers of the original parameterisation that learn text, and how their attention changes, as a recipe."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, final

import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, PyTree

from nucleate.fleet import Every, LogSpaced, Probe, View
from nucleate.models import (
    Dropout,
    SequenceShape,
    SequenceTransformer,
    TransformerSize,
    cross_entropy,
    look_back,
    post_norm,
)
from nucleate.papers.attention.recipe.corpus import OnText
from nucleate.papers.attention.recipe.inside import cosines, entropies, padded, ranks
from nucleate.tasks import BYTES

VALID = 32
"""Windows to validate on, in which attention is watched."""

PAPERS_SIZE = TransformerSize(blocks=1, heads=1, width=200, hidden=200)

_CLIP = 0.5  # the norm that gradients are clipped at, as in the authors' code


@final
@dataclass(frozen=True)
class TextReader(OnText):
    """A causal post-norm transformer on windows of bytes, trained by SGD or Adam with clipped gradients [tian2023scan].

    Members' columns: `blocks` (how many), `seed` (network and windows), `eta` (learning rate). `most`: the most blocks
    of a network of the fleet: what is recorded of each block is NaN for blocks that a network lacks. Every `look` steps
    losses, entropies, cosines and ranks are recorded, without dropout, and `maps` times, at log-spaced steps, the
    attention of the lowest block's first head in one held-out window.
    """

    descent: Literal["sgd", "adam"] = "adam"
    size: TransformerSize = PAPERS_SIZE
    most: int = 1
    context: int = 35
    batch: int = 20
    dropout: float = 0.2
    look: int = 100
    maps: int = 30

    static = ("blocks",)

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        task = self.task
        return {
            "train": task.train,
            "valid": task.spread(VALID),
            "occurs": np.isin(np.arange(BYTES), task.train),
        }

    def model(self, member: Mapping[str, Any], key: Array) -> SequenceTransformer:
        size = TransformerSize(member["blocks"], self.size.heads, self.size.width, self.size.hidden)
        shape = SequenceShape(BYTES, positions=self.context)
        return SequenceTransformer(size, shape, look_back, post_norm, key=key)

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        descent = {"sgd": optax.sgd, "adam": optax.adam}[self.descent]
        return optax.chain(optax.clip_by_global_norm(_CLIP), descent(member["eta"]))

    def loss(
        self, model: SequenceTransformer, batch: Int[Array, "window place"], key: Array
    ) -> tuple[Float[Array, ""], PyTree]:
        return _nats(model, batch, Dropout(self.dropout, key) if self.dropout else None), None

    @property
    def probes(self) -> tuple[Probe, ...]:
        often, now_and_then = Every(self.look), LogSpaced(self.maps)
        return (
            Probe("loss", lambda view: view.loss, often),
            Probe("valid_loss", lambda view: _nats(view.model, view.data["valid"]), often),
            Probe(
                "entropy",
                lambda view: padded(entropies(_seen(view)), self.most),
                often,
                ("block",),
                attrs={"long_name": "entropy of attention", "units": "nat"},
            ),
            Probe(
                "cosine",
                lambda view: padded(_cosines(view), self.most + 1),
                often,
                ("layer",),
                attrs={"long_name": "median cosine between positions, without its sign"},
            ),
            Probe("stable_rank", lambda view: padded(ranks(view.model), self.most), often, dims=("block",)),
            Probe(
                "attention",
                lambda view: _seen(view).attention[0, 0, 0],
                now_and_then,
                ("query", "key"),
                axis="step_map",
            ),
        )

    def describe(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        return {
            "window": (("key",), data[0]["valid"][0, :-1]),
            "checksum": (("member",), np.full(len(data), self.task.checksum)),
        }


def _nats(model: SequenceTransformer, text: Int[Array, "window place"], dropout: Dropout | None = None) -> Array:
    """Nats per byte."""
    logits = model(text[:, :-1], dropout)
    return jnp.mean(cross_entropy(logits.reshape(-1, BYTES), text[:, 1:].reshape(-1)))


def _seen(view: View):
    return view.model.look(view.data["valid"][:, :-1])


def _cosines(view: View) -> Float[Array, " layer"]:
    return cosines(view.model, _seen(view), view.data["valid"][:, :-1], view.data["occurs"])
