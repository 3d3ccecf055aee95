"""Digits: delays, and embeddings under the effective loss alone."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import optax
import xarray as xr
from jaxtyping import Array, ArrayLike, Float, Int

from nucleate.claims import Evidence
from nucleate.models import MLP
from nucleate.observables import nearest_mean_accuracy, spread_between, spread_within
from nucleate.papers.grokking.readings.phases import steps_to
from nucleate.papers.grokking.recipe.images import brightness
from nucleate.tasks import bundled_digits
from nucleate.theories.effective import collapse_loss, collapse_trajectory

GENERALISED = "valid60"
"""App. J: 60 % on validation images instead of Table 1's threshold."""


def image_delays(record: xr.Dataset) -> np.ndarray:
    """Steps from 90 % on training images to 60 % on validation images: infinite for a network that never generalised,
    −∞ for one that never learned its training images."""
    train, valid = steps_to(record, "train90"), steps_to(record, GENERALISED)
    learned = np.isfinite(train)
    return np.where(learned, valid - np.where(learned, train, 0), -np.inf)


# --- the effective loss alone ----------------------------------------------------------------------------------------

STEPS, LEARNING_RATE = 100, 1e-3
"""Of Adam, in Appendix I."""

SCALES = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0)
"""By which all parameters of the random encoder are multiplied; Appendix I does not say by which."""

SHOWN = (0, 10, 30, STEPS)
"""Steps of which all points are kept, for Figure 19."""

_ENCODERS, _IMAGES = 20, 1000
_CLASSES = 10


@dataclass(frozen=True)
class Collapse:
    """Embeddings of images that Adam moves down the effective loss, one row for each random encoder.

    `points[encoder, shown, image, dim]`: where they are at the steps `SHOWN`. `within`, `between`, `nearest`,
    `size[encoder, step]`: spread within classes and of their means, share of images nearest to the mean of their own
    class, and Z. `left[scale, encoder]`: share of the spread within classes that is left at the end, for all `SCALES`.
    `flow_change[encoder]`: the largest relative change of Z in gradient flow, until the classes have collapsed.
    """

    points: np.ndarray
    label: np.ndarray
    within: np.ndarray
    between: np.ndarray
    nearest: np.ndarray
    size: np.ndarray
    left: np.ndarray
    flow_change: np.ndarray


def collapse(evidence: Evidence) -> Collapse:
    """The experiment of Appendix I: 20 random encoders 784-200-200-2 of the usual scale, each with 1,000 digits."""
    task = bundled_digits()
    rng = np.random.default_rng(39)
    chosen = np.stack([rng.permutation(len(task.label))[:_IMAGES] for _ in range(_ENCODERS)])
    pixels, label = jnp.asarray(task.pixels[chosen]), jnp.asarray(task.label[chosen])
    keys = jax.random.split(jax.random.key(39), _ENCODERS)
    paths = {scale: _descended(_encoded(pixels, keys, scale), label) for scale in SCALES}
    path = paths[1.0]

    def over_time(look) -> np.ndarray:
        return np.asarray(jax.jit(jax.vmap(jax.vmap(look, (0, None))))(path, label))

    within = {scale: _within(path[:, [0, -1]], label) for scale, path in paths.items()}
    return Collapse(
        points=np.asarray(path[:, list(SHOWN)]),
        label=np.asarray(label),
        within=np.asarray(_within(path, label)),
        between=over_time(lambda f, c: spread_between(f, c, _CLASSES)),
        nearest=over_time(lambda f, c: nearest_mean_accuracy(f, c, _CLASSES)),
        size=over_time(lambda f, c: jnp.sum(f**2)),
        left=np.stack([within[scale][:, 1] / within[scale][:, 0] for scale in SCALES]),
        flow_change=np.array(
            [_flow_change(np.asarray(f), np.asarray(c)) for f, c in zip(path[:, 0], label, strict=True)]
        ),
    )


@jax.jit
def _encoded(pixels: Array, keys: Array, scale: ArrayLike) -> Float[Array, "encoder image dim"]:
    def encoded(pixels, key):
        encoder = MLP((pixels.shape[-1], 200, 200, 2), jax.nn.relu, key=key)
        return jax.tree.map(lambda array: scale * array, encoder)(brightness(pixels))

    return jax.vmap(encoded)(pixels, keys)


@jax.jit
def _descended(start: Array, label: Array) -> Float[Array, "encoder step image dim"]:
    """Where Adam takes the points themselves, step by step."""
    adam = optax.adam(LEARNING_RATE)

    def one(points: Array, label: Int[Array, " image"]) -> Array:
        def step(carry, _):
            at, state = carry
            updates, state = adam.update(jax.grad(collapse_loss)(at, label), state)
            at = optax.apply_updates(at, updates)
            return (at, state), at

        _, path = jax.lax.scan(step, (points, adam.init(points)), length=STEPS)
        return jnp.concatenate([points[None], jnp.asarray(path)])

    return jax.vmap(one)(start, label)


@jax.jit
def _within(path: Array, label: Array) -> Float[Array, "encoder step"]:
    return jax.vmap(jax.vmap(lambda f, c: spread_within(f, c, _CLASSES), (0, None)))(path, label)


def _flow_change(points: np.ndarray, label: np.ndarray) -> float:
    """In gradient flow a class of n points contracts at the rate 2n/Z: this is until the smallest has, e⁵ times."""
    points = points.astype(float)
    times = np.linspace(0, 5 * (points**2).sum() / (2 * np.bincount(label).min()), 11)
    size = (collapse_trajectory(points, label, times) ** 2).sum((1, 2))
    return float(np.abs(size / size[0] - 1).max())
