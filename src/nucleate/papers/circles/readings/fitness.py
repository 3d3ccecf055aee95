"""What a frequency starts with, and how often it survives."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from nucleate.claims import Evidence
from nucleate.observables import circularity, signal_gradient
from nucleate.papers.circles.experiments import PERTURBED, SURVIVAL
from nucleate.papers.circles.readings.survivors import final_alive, usable
from nucleate.papers.circles.recipe import RandomStart
from nucleate.record import column

NOISE_DIMENSIONS = (16, 32, 48, 64, 96, 128)
_DRAWS = 50  # random embeddings of each dimension, as in Figure 11

_circularities = jax.jit(jax.vmap(circularity))


@dataclass(frozen=True, eq=False)
class Rates:
    """Survival under a fixed embedding, over decoders and splits: arrays [embedding, freq]."""

    seed: np.ndarray
    """Of each embedding."""
    signal: np.ndarray
    rate: np.ndarray
    trials: np.ndarray
    """Networks of each embedding."""


def rates(record: xr.Dataset) -> Rates:
    """How often each frequency of each embedding survives, in networks in which that can be told."""
    record = usable(record)
    lived, start, seeds = final_alive(record), record.signal.values[:, 0], record.seed_embedding.values
    found = np.unique(seeds)
    over_trials = lambda values: np.array([values[seeds == seed].mean(0) for seed in found]).reshape(-1, start.shape[1])
    return Rates(found, over_trials(start), over_trials(lived), np.array([np.sum(seeds == seed) for seed in found]))


def perturbed_frequency(evidence: Evidence) -> int:
    """The frequency whose signal was changed."""
    return evidence.about(PERTURBED).config["frequency"]


@dataclass(frozen=True, eq=False)
class Perturbations:
    """One frequency made stronger or weaker: where it starts in each network, and whether it survives."""

    deviation: np.ndarray
    """Of its initial signal from the mean of the others."""
    spread: np.ndarray
    """Standard deviation of the others."""
    lived: np.ndarray


def perturbations(record: xr.Dataset, k: int) -> Perturbations:
    """What became of the perturbed frequency."""
    start = record.signal.values[:, 0]
    others = np.delete(start, k - 1, axis=1)
    return Perturbations(start[:, k - 1] - others.mean(1), others.std(1), final_alive(record)[:, k - 1])


@dataclass(frozen=True, eq=False)
class Contest:
    """Two constructed frequencies among others that start near 0: what survives in each network."""

    ratio: np.ndarray
    """Initial signal of the smaller over that of the larger."""
    larger: np.ndarray
    smaller: np.ndarray
    others: np.ndarray
    """Whether any frequency survives that started near 0."""


def contest(record: xr.Dataset) -> Contest:
    """What became of the constructed frequencies."""
    lived, row = final_alive(record), np.arange(record.sizes["member"])
    larger, smaller = (lived[row, record[name].values - 1] for name in ("first", "second"))
    return Contest(record.ratio.values, larger, smaller, lived.sum(1) > larger.astype(int) + smaller)


def gradients(record: xr.Dataset, at: int) -> np.ndarray:
    """The relative change of each signal in one early step, [member, freq]."""
    return signal_gradient(record.signal.values, record.step.values, at)


def start_circularity(evidence: Evidence) -> dict[int, np.ndarray]:
    """Circularity of every frequency of the random embeddings that `survival` started from, by their seeds."""
    record = evidence.record(SURVIVAL)
    seeds, first = np.unique(record.seed_embedding.values, return_index=True)
    rows = [{name: column(record, name).values[m].item() for name in ("p", "dim", "seed_embedding")} for m in first]
    found = _circularities(jnp.stack([RandomStart()(row) for row in rows]))
    return dict(zip(seeds.tolist(), np.asarray(found), strict=True))


def noise_circularity(evidence: Evidence) -> np.ndarray:
    """Circularity of every frequency of random embeddings, [dimension, draw, freq], of `NOISE_DIMENSIONS`."""
    p, most = int(evidence.record(SURVIVAL).p[0]), max(NOISE_DIMENSIONS)
    drawn = jax.random.normal(jax.random.key(0), (len(NOISE_DIMENSIONS), _DRAWS, p, most))
    # A coordinate in which all tokens are 0 changes no circularity, so one program serves all dimensions.
    there = jnp.arange(most) < jnp.array(NOISE_DIMENSIONS)[:, None]
    found = _circularities((drawn * there[:, None, None]).reshape(-1, p, most))
    return np.asarray(found).reshape(len(NOISE_DIMENSIONS), _DRAWS, -1)
