"""Records that follow known pair potentials, for the tests of pair potentials."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import xarray as xr

from nucleate.theories.pairs import pair_gradients, pair_terms

LEFT, RIGHT = np.triu_indices(10)
PAIRS, LABEL = np.stack([LEFT, RIGHT], axis=1), LEFT + RIGHT
AXES = ("member", "step", "token", "dim")
DURATION, STEPS = 1.5, 16


class Planted(eqx.Module):
    """A bump, a spring, a quartic and a slope. All are one compiled program, for the numbers are arrays."""

    height: np.ndarray
    area: np.ndarray
    spring: np.ndarray
    quartic: np.ndarray
    slope: np.ndarray

    def __init__(self, height=0.0, area=1.0, spring=0.0, quartic=0.0, slope=0.0):
        self.height, self.area, self.spring = np.asarray(height), np.asarray(area), np.asarray(spring)
        self.quartic, self.slope = np.asarray(quartic), np.asarray(slope)

    def __call__(self, x):
        square = jnp.sum(x**2)
        bump = self.height * jnp.exp(-square / self.area)
        return bump + self.spring * square + self.quartic * square**2 + self.slope * jnp.sum(jnp.tanh(x / 2))


WELL, HILL = {"height": -0.05, "area": 2.0}, {"height": 0.02, "area": 4.0, "spring": 0.0005}
well, hill = Planted(**WELL), Planted(**HILL)


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
