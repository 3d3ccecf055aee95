"""A classifier of images with large initial weights, as a recipe."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, PyTree, UInt8

from nucleate.fleet import Batching, Crossing, Every, Probe, Recipe, Stream, View, by_field
from nucleate.models import Classifier
from nucleate.tasks import ImageTask, bundled_digits, read_images

_SPLIT, _ORDER = 2, 3  # what seeds are folded with: the engine has used up 0 and 1


def images_of(digits: str) -> ImageTask:
    """The images in the file `digits`; the bundled ones if it is empty."""
    if not digits:
        return bundled_digits()
    try:
        changed = Path(digits).stat().st_mtime_ns
    except OSError:
        changed = 0  # reading it says what is wrong
    return _read(digits, changed)


@lru_cache(maxsize=2)
def _read(digits: str, changed: int) -> ImageTask:
    return read_images(digits)


@final
@dataclass(frozen=True)
class ImageClassifier(Recipe):
    """784-200-200-10 with ReLU by AdamW on the squared error to one-hot targets [liu2022grokking], Appendix J.

    Members' columns: `seed` (network and batches), `seed_split` (training and held-out images), `train_size`,
    `init_scale` (of all parameters), `eta` and `eta_last` (learning rates of all layers but the last, and of the
    last), `decay` (weight decay of all). `held_out`: images to validate on.
    """

    digits: str = ""
    width: int = 200
    batch: int = 200
    held_out: int = 1000
    look: int = 200
    stop: tuple[str, ...] = ()

    crossings = (
        Crossing("train90", "train_accuracy", at_least=0.9),
        Crossing("valid60", "valid_accuracy", at_least=0.6),
        Crossing("valid80", "valid_accuracy", at_least=0.8),
    )

    @property
    def task(self) -> ImageTask:
        return images_of(self.digits)

    @property
    def batching(self) -> Batching:  # type: ignore[override]
        return Stream(self._draw)

    def _draw(self, data: PyTree, key: Array, step: Int[Array, ""]) -> PyTree:
        """The batch of a step: the whole training set, batch by batch, then again in another random order."""
        train = data["train"]
        count = jnp.sum(train["weight"] > 0)
        batches = -(-count // self.batch)
        orders = jax.random.fold_in(jax.random.key(data["order"]), _ORDER)
        epoch = jax.random.fold_in(orders, step // batches)
        lottery = jax.random.uniform(epoch, train["weight"].shape)
        order = jnp.argsort(jnp.where(train["weight"] > 0, lottery, 2.0))  # padding comes last
        place = step % batches * self.batch + jnp.arange(self.batch)
        chosen = order[jnp.minimum(place, len(order) - 1)]
        batch = jax.tree.map(lambda array: array[chosen], train)
        return batch | {"weight": (place < count).astype(jnp.float32)}  # the last batch may be smaller

    def data(self, member: Mapping[str, Any]) -> PyTree[np.ndarray]:
        task = self.task
        key = jax.random.fold_in(jax.random.key(member["seed_split"]), _SPLIT)
        split, held = task.split(key, member["train_size"], self.held_out)

        def chosen(index: np.ndarray) -> dict[str, np.ndarray]:
            return {"pixels": task.pixels[index], "label": task.label[index]}

        train = chosen(split.index) | {"weight": split.weight}
        return {"train": train, "valid": chosen(held), "order": np.asarray(member["seed"], np.uint32)}

    def model(self, member: Mapping[str, Any], key: Array) -> Classifier:
        task = self.task
        sizes = (task.pixels.shape[1], self.width, self.width, task.classes)
        return Classifier(sizes, scale=member["init_scale"], key=key)

    def optimizer(self, member: Mapping[str, Any]) -> optax.GradientTransformation:
        return by_field(
            body=optax.adamw(member["eta"], weight_decay=member["decay"]),
            last=optax.adamw(member["eta_last"], weight_decay=member["decay"]),
        )

    def loss(self, model: Classifier, batch: PyTree, key: Array) -> tuple[Float[Array, ""], PyTree]:
        outputs = model(brightness(batch["pixels"]))
        errors = jnp.mean((outputs - jax.nn.one_hot(batch["label"], outputs.shape[-1])) ** 2, axis=-1)
        return jnp.sum(batch["weight"] * errors) / jnp.sum(batch["weight"]), None

    @property
    def probes(self) -> tuple[Probe, ...]:
        when = Every(self.look)

        def right(view: View, part: str) -> Array:
            answers = jnp.argmax(view.model(brightness(view.data[part]["pixels"])), axis=-1)
            return answers == view.data[part]["label"]

        def train_accuracy(view: View) -> Float[Array, ""]:
            weight = view.data["train"]["weight"]
            return jnp.sum(weight * right(view, "train")) / jnp.sum(weight)

        def weight_norm(view: View) -> Float[Array, ""]:
            return jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(view.model)))

        return (
            Probe("train_loss", lambda view: view.loss, when, attrs={"long_name": "loss on the step's batch"}),
            Probe("train_accuracy", train_accuracy, when),
            Probe("valid_accuracy", lambda view: jnp.mean(right(view, "valid")), when),
            Probe("weight_norm", weight_norm, when, attrs={"long_name": "root of the sum of squared parameters"}),
        )

    def describe(self, data: Sequence[PyTree]) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
        return {}


def brightness(pixels: UInt8[Array | np.ndarray, "..."]) -> Float[Array, "..."]:
    """Bytes as numbers from 0 to 1."""
    return jnp.asarray(pixels, jnp.float32) / 255
