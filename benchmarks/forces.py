"""The force of pair potentials on many configurations: term by term under vmap, and as the theory computes it."""

import time
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from nucleate.tasks import AdditionTask
from nucleate.theories import Parity
from nucleate.theories.pairs import Symmetry, pair_terms
from nucleate.theories.pairs.basis import SplinePotential
from nucleate.theories.pairs.terms import pair_energy

_CONFIGURATIONS = 512


def _case():
    task, rng = AdditionTask(), np.random.default_rng(0)
    attract, repel = (SplinePotential(rng.normal(size=102), np.asarray(0.1), Parity()) for _ in range(2))
    return task, attract, repel, rng.normal(size=(_CONFIGURATIONS, 10, 1))


def brute_force(repeats: int) -> float:
    """Configurations a second, with every one of the 1,485 terms differentiated by its four embeddings."""
    task, attract, repel, embedding = _case()
    first, second = np.triu_indices(len(task.pairs), k=1)
    quads = np.concatenate([task.pairs[first], task.pairs[second]], axis=1)
    same = task.label[first] == task.label[second]

    def energy(potential, symmetry: Symmetry, r):
        return jax.vmap(lambda quad: potential(symmetry.coordinates(quad)))(r).sum()

    def total(r):
        return energy(attract, Parity(), r[quads[same]]) + energy(repel, Parity(), r[quads[~same]])

    return _rate(total, embedding, repeats)


def fast(repeats: int) -> float:
    """Configurations a second of `pair_energy`, differentiated."""
    task, attract, repel, embedding = _case()
    terms = pair_terms(task.pairs, task.label, task.p, Parity())
    return _rate(partial(pair_energy, terms, attract, repel), embedding, repeats)


def _rate(energy, embedding: np.ndarray, repeats: int) -> float:
    with jax.enable_x64(True):
        force = jax.jit(jax.vmap(jax.grad(energy)))
        embedding = jnp.asarray(embedding)
        force(embedding).block_until_ready()
        began = time.perf_counter()
        for _ in range(repeats):
            force(embedding).block_until_ready()
        return repeats * len(embedding) / (time.perf_counter() - began)
