"""Records that follow known pair potentials, for the tests of pair potentials."""

import jax.numpy as jnp
import numpy as np
import xarray as xr

from nucleate.theories import pair_gradients, pair_terms

LEFT, RIGHT = np.triu_indices(10)
PAIRS, LABEL = np.stack([LEFT, RIGHT], axis=1), LEFT + RIGHT
AXES = ("member", "step", "token", "dim")
DURATION, STEPS = 1.5, 16


def well(x):
    return 0.05 * (1 - jnp.exp(-jnp.sum(x**2) / 2))


def hill(x):
    return 0.02 * jnp.exp(-jnp.sum(x**2) / 4) + 0.0005 * jnp.sum(x**2)


def record_of(embedding, gradient, first_seed=0, eta=1.0, pairs=PAIRS, label=LABEL):
    members, steps = embedding.shape[:2]
    return xr.Dataset(
        {
            "embedding": (AXES, embedding),
            "gradient": (AXES, gradient),
            "left": ("pair", pairs[:, 0]),
            "right": ("pair", pairs[:, 1]),
            "label": ("pair", label),
        },
        coords={
            "step": np.arange(steps),
            "eta": ("member", np.full(members, eta)),
            "seed": ("member", first_seed + np.arange(members)),
        },
    )


def planted(truth, symmetry, dim=1, members=30, noise=0.0, seed=0, pairs=PAIRS, label=LABEL):
    """Gradient descent down known potentials `truth`, and gradients with `noise` times their own size added."""
    rng = np.random.default_rng(seed)
    tokens = int(pairs.max()) + 1
    terms = pair_terms(pairs, label, tokens, symmetry)
    path, gradient = [rng.normal(size=(members, tokens, dim))], []
    for _ in range(STEPS):
        gradient.append(pair_gradients(terms, *truth, path[-1]))
        path.append(path[-1] - DURATION / (STEPS - 1) * gradient[-1])
    path, gradient = np.stack(path[:-1], axis=1), np.stack(gradient, axis=1)
    gradient = gradient + noise * gradient.std() * rng.normal(size=gradient.shape)
    return record_of(path, gradient, 1000 * seed, DURATION / (STEPS - 1), pairs, label)
