"""Transformers that learn text byte by byte, trained by one of five methods, as a recipe."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log
from typing import Any, Literal, final, get_args

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, PyTree

from nucleate.fleet import Every, Probe, View
from nucleate.models import SequenceShape, SequenceTransformer, TransformerSize, cross_entropy
from nucleate.observables import stable_rank
from nucleate.optimizers import galore, lora, low_rank, relora, truncated
from nucleate.papers.attention.recipe.corpus import OnText
from nucleate.tasks import BYTES

Method = Literal["adam", "galore", "low-rank", "lora", "relora"]
METHODS: tuple[str, ...] = get_args(Method)
"""The rows of the talk's table; a member's column `method` is a place in this list."""

VALID = 128
"""Windows to validate on."""

KINDS = ("query", "key", "value", "output", "up", "down")
"""Matrices of a block, in the order in which the ranks of their gradients are recorded."""

_ADAPTORS = 4  # what a seed is folded with to draw adaptors: the engine has used up 0 and 1
_MATRICES = KINDS[:4]
_SCALE = 0.25  # of GaLore's updates, as in the authors' scripts


def block_matrices(names: tuple[str, ...], shape: tuple[int, ...]) -> bool:
    """The matrices of attention and MLPs, which the authors project; not embeddings, norms and biases.

    >>> block_matrices(("blocks", "0", "attention", "query"), (8, 2, 4)), block_matrices(("embedding",), (256, 8))
    (True, False)
    """
    return names[0] == "blocks" and (names[-1] in _MATRICES or "weights" in names)


_SMALL = TransformerSize(blocks=2, heads=4, width=64, hidden=172)


@final
@dataclass(frozen=True)
class TextLearner(OnText):
    """A causal transformer on windows of bytes, trained by Adam, GaLore or low-rank factors [zhao2024galore].

    Members' columns: `method` (a place in `METHODS`), `seed` (network, windows and adaptors), `eta` (the highest
    learning rate). As in the authors' scripts it rises for a tenth of the `steps` and falls as a cosine to a tenth, and
    only matrices of blocks have a low `rank`. `gap`: steps after which GaLore projects anew, and ReLoRA starts afresh.
    Every `look` steps, bits per byte of the current windows and of `VALID` held-out ones are recorded, and the stable
    ranks of the gradients of all block matrices.
    """

    size: TransformerSize = _SMALL
    rank: int = 16
    gap: int = 200
    steps: int = 2000
    look: int = 100

    static = ("method",)

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        return {"train": self.task.train, "valid": self.task.spread(VALID)}

    def model(self, member: Mapping[str, Any], key: Array) -> SequenceTransformer:
        model = SequenceTransformer(self.size, SequenceShape(BYTES, positions=self.context), key=key)
        if METHODS[member["method"]] != "low-rank":
            return model
        return truncated(model, self.rank, block_matrices)

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        rate = warm_cosine(member["eta"], self.steps)
        rank, which = self.rank, block_matrices
        key = jax.random.fold_in(jax.random.key(member["seed"]), _ADAPTORS)
        return {
            "adam": lambda: optax.adam(rate),
            "galore": lambda: galore(rate, rank, self.gap, _SCALE, which),
            "low-rank": lambda: low_rank(rate, rank, which),
            "lora": lambda: lora(rate, rank, key, which=which),
            "relora": lambda: relora(rate, rank, key, self.gap, which=which),
        }[METHODS[member["method"]]]()

    def loss(
        self, model: SequenceTransformer, batch: Int[Array, "window place"], key: Array
    ) -> tuple[Float[Array, ""], PyTree]:
        logits = model(batch[:, :-1])
        return jnp.mean(cross_entropy(logits.reshape(-1, BYTES), batch[:, 1:].reshape(-1))), None

    @property
    def probes(self) -> tuple[Probe, ...]:
        often = Every(self.look)
        return (
            Probe(
                "train_bits",
                lambda view: view.loss / log(2),
                often,
                attrs={"long_name": "training loss per byte", "units": "bit"},
            ),
            Probe(
                "valid_bits", self._valid_bits, often, attrs={"long_name": "validation loss per byte", "units": "bit"}
            ),
            Probe("gradient_rank", _gradient_ranks, often, ("matrix",), attrs={"matrices": self.matrices}),
        )

    def _valid_bits(self, view: View) -> Float[Array, ""]:
        # In pieces the size of a batch, which fit a core's cache.
        pieces = view.data["valid"].reshape(-1, self._piece, self.context + 1)
        return jnp.mean(jax.lax.map(lambda piece: self.loss(view.model, piece, view.step)[0], pieces)) / log(2)

    @property
    def _piece(self) -> int:
        return next(size for size in range(min(self.batch, VALID), 0, -1) if VALID % size == 0)

    @property
    def matrices(self) -> list[str]:
        """The names of the block matrices, in the order in which their ranks are recorded."""
        return [f"{part} {block + 1}" for block in range(self.size.blocks) for part in KINDS]


def warm_cosine(eta: Any, steps: int) -> Callable[[Any], Float[Array, ""]]:
    """A learning rate that rises for a tenth of the steps up to `eta`, then falls as half a cosine to a tenth of it.

    >>> rate = warm_cosine(1.0, 100)
    >>> [round(float(rate(step)), 3) for step in (0, 9, 55, 100)]
    [0.1, 1.0, 0.55, 0.1]
    """
    warm = max(steps // 10, 1)

    def rate(step: Any) -> Float[Array, ""]:
        done = jnp.clip((step - warm) / max(steps - warm, 1), 0, 1)
        return eta * jnp.minimum((step + 1) / warm, 0.55 + 0.45 * jnp.cos(jnp.pi * done))

    return rate


def _gradient_ranks(view: View) -> Float[Array, " matrix"]:
    ranks = []
    for block in view.grads.blocks:
        width = block.attention.output.shape[-1]
        parts = [getattr(block.attention, name).reshape(width, width) for name in _MATRICES]
        ranks += [stable_rank(matrix) for matrix in (*parts, *block.mlp.weights)]
    return jnp.stack(ranks)
