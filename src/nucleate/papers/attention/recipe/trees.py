"""Transformers that tell classes apart which are made of latents, as a recipe."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, PyTree

from nucleate.fleet import Every, Probe, Recipe, View
from nucleate.models import SequenceShape, SequenceTransformer, TransformerSize, cross_entropy, look_back, post_norm
from nucleate.observables import normalised_correlation
from nucleate.papers.attention.recipe.inside import cosines, entropies, ranks
from nucleate.tasks import LatentHierarchy

LEVELS = 2
"""Levels of latents between tokens and classes, as in the talk's table."""

PAPERS_SIZE = TransformerSize(blocks=3, heads=1, width=1024, hidden=400)


@final
@dataclass(frozen=True)
class LatentClassifier(Recipe):
    """A causal transformer reads the one sequence of each class and names the class at its last token [tian2023joma].

    Members' columns: `classes`, `parts`, `lower` and `upper` (latents of the two levels), `seed` (network), `seed_tree`
    (the hierarchy), `eta` (learning rate), `decay` (L2, inside Adam's gradient). Since a class has a single sequence,
    all of them are one batch: the authors' batches are random selections from it. `length`: of the sequences; 0: as
    long as the longest class can be, and one place of padding. `most`: what the latents are padded to, so that
    hierarchies of different sizes share a program.
    """

    size: TransformerSize = PAPERS_SIZE
    tokens: int = 100
    length: int = 30
    most: tuple[int, ...] = (20, 30)
    look: int = 100

    static = ("classes",)

    def task(self, member: Mapping[str, Any]) -> LatentHierarchy:
        length = self.length or min(member["parts"] ** (LEVELS + 1), self.tokens - 1) + 1
        latents = (member["lower"], member["upper"])
        return LatentHierarchy(member["classes"], member["parts"], latents, self.tokens, length)

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        drawn = self.task(member).draw(member["seed_tree"])
        padding = [((0, 0), (0, most - level.shape[1])) for most, level in zip(self.most, drawn.latents, strict=True)]
        latents = [np.pad(level, pad) for level, pad in zip(drawn.latents, padding, strict=True)]
        return {
            "train": {"tokens": drawn.tokens, "label": np.arange(len(drawn.tokens), dtype=np.int32)},
            "latents": dict(zip(("lower", "upper"), latents, strict=True)),
            "occurs": np.isin(np.arange(self.tokens), drawn.tokens),
        }

    def model(self, member: Mapping[str, Any], key: Array) -> SequenceTransformer:
        shape = SequenceShape(self.tokens, labels=member["classes"])
        return SequenceTransformer(self.size, shape, look_back, post_norm, key=key)

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        # Adam with L2 is not AdamW: the penalty is part of the gradient that Adam sees.
        return optax.chain(optax.add_decayed_weights(member["decay"]), optax.adam(member["eta"]))

    def loss(self, model: SequenceTransformer, batch: PyTree, key: Array) -> tuple[Float[Array, ""], PyTree]:
        logits = model(batch["tokens"])[:, -1]
        return jnp.mean(cross_entropy(logits, batch["label"])), jnp.mean(logits.argmax(-1) == batch["label"])

    @property
    def probes(self) -> tuple[Probe, ...]:
        often = Every(self.look)
        return (
            Probe("loss", lambda view: view.loss, often),
            Probe("accuracy", lambda view: view.outputs, often),
            Probe("ncorr", _ncorr, often, ("level",), attrs={"long_name": "correlation of hidden units with latents"}),
            Probe(
                "entropy",
                lambda view: entropies(_seen(view)),
                often,
                ("block",),
                attrs={"long_name": "entropy of attention", "units": "nat"},
            ),
            Probe(
                "cosine",
                _cosines,
                often,
                ("layer",),
                attrs={"long_name": "median cosine between positions, without its sign"},
            ),
            Probe("stable_rank", lambda view: ranks(view.model), often, dims=("block",)),
        )

    def describe(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        """`best_accuracy`: what nobody can exceed, since classes of different latents may have the same tokens."""
        sequences = [member["train"]["tokens"] for member in data]
        best = [len(np.unique(tokens, axis=0)) / len(tokens) for tokens in sequences]
        return {"best_accuracy": (("member",), np.array(best))}


def _seen(view: View):
    return view.model.look(view.data["train"]["tokens"])


def _ncorr(view: View) -> Float[Array, " level"]:
    """NCorr of the latents of each level with the hidden units of the block of the same level, the highest over the
    places of a sequence."""
    hidden = _seen(view).hidden.max(-2)
    levels = (view.data["latents"]["lower"], view.data["latents"]["upper"])
    return jnp.stack([normalised_correlation(hidden[:, s], latent) for s, latent in enumerate(levels)])


def _cosines(view: View) -> Float[Array, " layer"]:
    return cosines(view.model, _seen(view), view.data["train"]["tokens"], view.data["occurs"])
