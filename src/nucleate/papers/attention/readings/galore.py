"""Text learned by five methods: what each reaches and must remember, and how much memory the talk's networks need."""

from dataclasses import dataclass
from math import prod
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import xarray as xr

from nucleate.claims import Evidence
from nucleate.optimizers import galore, lora, low_rank, optimizer_floats
from nucleate.papers.attention.experiments.galore import BEST, RATES, TextFleet, final_bits
from nucleate.papers.attention.recipe.galore import KINDS, METHODS, block_matrices
from nucleate.record import stayed_finite

NAMES = {"adam": "full rank", "galore": "GaLore", "low-rank": "low rank", "lora": "LoRA", "relora": "ReLoRA"}
"""What the talk's table calls each method."""


@dataclass(frozen=True)
class Comparison:
    """Networks of each method at its best learning rate; seeds are shared by all methods."""

    method: np.ndarray
    """Places in `METHODS`."""
    eta: np.ndarray
    """The best learning rate of each."""
    bits: np.ndarray
    """Bits per held-out byte at the end, [method, seed]; infinite if a network diverged."""
    state: np.ndarray
    """Floats in the state of each method's optimiser, which has the factors of low-rank methods, too."""
    weights: np.ndarray
    """Floats in the weights that each method must keep besides: of products W = BA, none."""

    def of(self, method: str) -> np.ndarray:
        """Bits per byte of a method, [seed]; none if it was not trained."""
        return self.bits[self.method == METHODS.index(method)].reshape(-1)


def comparison(evidence: Evidence) -> Comparison:
    """What the networks at each method's best learning rate came to."""
    record, fleet = evidence.record(BEST), TextFleet.from_json(evidence.about(BEST).config)
    bits = by_method(record, final_bits(record))
    eta = by_method(record, record.eta.values)
    floats = [memory(fleet, METHODS[method]) for method in bits]
    return Comparison(
        np.array(list(bits)),
        np.array([rates[0] for rates in eta.values()]),
        np.stack(list(bits.values())),
        np.array([state for state, _ in floats]),
        np.array([weights for _, weights in floats]),
    )


def by_method(record: xr.Dataset, values: np.ndarray) -> dict[int, np.ndarray]:
    """The rows of `values` that belong to networks of each method, by its place in `METHODS`."""
    methods = record.method.values
    return {int(method): values[methods == method] for method in np.unique(methods)}


def memory(fleet: TextFleet, method: str) -> tuple[int, int]:
    """Floats in the state of a method's optimiser, factors included, and in the weights that it must keep besides."""
    recipe, row = fleet.recipe(), {"method": METHODS.index(method), "eta": 0.1, "seed": 0}
    params = eqx.filter_eval_shape(recipe.model, row, jax.random.key(0))
    weights = sum(leaf.size for leaf in jax.tree.leaves(params))
    if method == "low-rank":
        weights -= sum(map(prod, _projected(params)))
    return optimizer_floats(recipe.optimizer(row), params), weights


def _projected(params: Any) -> list[tuple[int, ...]]:
    """The shapes of the block matrices."""
    found = []
    for path, leaf in jax.tree_util.tree_leaves_with_path(params):
        names = tuple(str(getattr(step, "name", getattr(step, "idx", step))) for step in path)
        if block_matrices(names, leaf.shape):
            found.append(leaf.shape)
    return found


@dataclass(frozen=True)
class Sweep:
    """Mean bits per held-out byte at the end, [method, eta], of the networks that the learning rates are chosen by."""

    method: np.ndarray
    eta: np.ndarray
    bits: np.ndarray

    @property
    def at_the_edge(self) -> list[str]:
        """Methods whose best learning rate is the lowest or highest of those tried: a better one may lie beyond."""
        best = self.bits.argmin(1)
        return [METHODS[m] for m, place in zip(self.method, best, strict=True) if place in (0, len(self.eta) - 1)]


def sweep(evidence: Evidence) -> Sweep:
    """How each method depends on its learning rate."""
    record = evidence.record(RATES)
    rates, bits = np.unique(record.eta.values), by_method(record, final_bits(record))
    eta = by_method(record, record.eta.values)
    means = [[bits[method][eta[method] == rate].mean() for rate in rates] for method in bits]
    return Sweep(np.array(list(bits)), rates, np.array(means))


@dataclass(frozen=True)
class Ranks:
    """Stable ranks of the gradients of block matrices in networks trained by Adam: medians over seeds and matrices."""

    step: np.ndarray
    kind: np.ndarray
    """By kind of matrix, [kind, step]: query, key, value, output and the two of the MLP."""
    start: float
    middle: float
    end: float


def gradient_ranks(evidence: Evidence) -> Ranks:
    """How the ranks of gradients go."""
    record = stayed_finite(evidence.record(BEST))
    ranks = record.gradient_rank.values[record.method.values == METHODS.index("adam")]
    if not len(ranks):
        ranks = np.full((1, *ranks.shape[1:]), np.nan)
    course = np.median(ranks.reshape(*ranks.shape[:2], -1, len(KINDS)), axis=(0, 2)).T
    whole = np.median(ranks, axis=(0, 2))
    return Ranks(record.step.values, course, float(whole[0]), float(whole[len(whole) // 2]), float(whole[-1]))


# --- memory ----------------------------------------------------------------------------------------------------------

TALKS_SHAPES = ((512, 1376), (768, 2048), (1024, 2736), (2048, 5461), (4096, 11008), (512, 512), (1376, 512))
"""Matrices of the talk's networks, from 60 million to 7 billion parameters: of their MLPs, and some others."""

TALKS_RANKS = (128, 256, 512)


@dataclass(frozen=True)
class Floats:
    """Floats for one m × n matrix, weights included, of each shape and rank: counted in states, and by the talk."""

    full: np.ndarray  # counted, talk
    adaptor: np.ndarray
    product: np.ndarray
    galore: np.ndarray


def floats() -> Floats:
    """The talk's table "Memory Saving with GaLore", counted."""
    rows: dict[str, list[tuple[int, int]]] = {"full": [], "adaptor": [], "product": [], "galore": []}
    for m, n in TALKS_SHAPES:
        matrix = {"weight": jax.ShapeDtypeStruct((m, n), jnp.float32)}
        short, long = sorted((m, n))
        rows["full"].append((m * n + optimizer_floats(optax.adam(0.1), matrix), 3 * m * n))
        for r in TALKS_RANKS:
            adaptor, product = lora(0.1, r, jax.random.key(0)), low_rank(0.1, r)
            rows["adaptor"].append((m * n + optimizer_floats(adaptor, matrix), m * n + 3 * (m * r + n * r)))
            rows["product"].append((optimizer_floats(product, matrix), 3 * (m * r + n * r)))
            rows["galore"].append((m * n + optimizer_floats(galore(0.1, r), matrix), m * n + short * r + 2 * long * r))
    return Floats(**{name: np.array(pairs) for name, pairs in rows.items()})


@dataclass(frozen=True)
class Talks:
    """One network of the talk's table of pre-training results, with the gigabytes that it says for each method."""

    name: str
    width: int
    hidden: int
    layers: int
    rank: int
    says: dict[str, float]


TALKS = (
    Talks("60M", 512, 1376, 8, 128, {"adam": 0.36, "galore": 0.24, "low-rank": 0.26, "lora": 0.36}),
    Talks("130M", 768, 2048, 12, 256, {"adam": 0.76, "galore": 0.52, "low-rank": 0.54, "lora": 0.80}),
    Talks("350M", 1024, 2736, 24, 256, {"adam": 2.06, "galore": 1.22, "low-rank": 1.08, "lora": 1.76}),
    Talks("1B", 2048, 5461, 24, 512, {"adam": 7.80, "galore": 4.38, "low-rank": 3.57, "lora": 6.17}),
)
"""Its columns "Heads" and "Layers" are exchanged for 1B: 32 layers of this width would have 1.7 billion parameters."""

_VOCABULARY = 32_000  # of LLaMA, which the talk's networks are


def gigabytes(size: Talks) -> dict[str, float]:
    """Weights and optimiser state of a network of the talk, at two bytes a float, by method.

    Seven matrices in each layer have a low rank; the embedding and the output have full moments; norms are left out.
    """
    attention, mlp = 4 * [(size.width, size.width)], 3 * [(size.width, size.hidden)]
    blocks = [jax.ShapeDtypeStruct(shape, jnp.bfloat16) for shape in size.layers * (attention + mlp)]
    outside = 2 * _VOCABULARY * size.width
    weights = sum(leaf.size for leaf in blocks)
    key = jax.random.key(0)
    kept = {"adam": weights, "galore": weights, "low-rank": 0, "lora": weights}
    methods = {
        "adam": optax.adam(0.1),
        "galore": galore(0.1, size.rank),
        "low-rank": low_rank(0.1, size.rank),
        "lora": lora(0.1, size.rank, key),
    }
    return {
        name: 2e-9 * (3 * outside + kept[name] + optimizer_floats(method, blocks)) for name, method in methods.items()
    }
