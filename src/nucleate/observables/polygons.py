"""Regular polygons among points of a plane."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nucleate.observables.centring import centred

FLAT = 1e-6
"""Points whose second singular value is less than this share of the first lie on a line."""


def principal_components(embedding: Float[Array | np.ndarray, "token dim"]) -> Float[Array, "token component"]:
    """Coordinates of the tokens along the principal axes, of largest variance first.

        Z = X V,    X = U S Vᵀ

    X: the centred embedding. The sign of each axis is arbitrary. Source: [liu2022grokking], Appendix H.2.

    >>> abs(principal_components(np.array([[0.0, 0.0], [0.0, 4.0], [0.0, 8.0]]))).round(3).tolist()
    [[4.0, 0.0], [0.0, 0.0], [4.0, 0.0]]
    """
    embedding = jnp.asarray(embedding)
    left, size, _ = jnp.linalg.svd(embedding - embedding.mean(axis=0), full_matrices=False)
    return left * size


def polygon_residual(points: Float[Array | np.ndarray, "token 2"]) -> Float[Array, ""]:
    """How far the points of a plane are from the corners of a regular polygon, stretched or not: 0 on it, at most 1.

        1 − |Σ_k z_k e^(−2πik/n)|² / (n Σ_k |z_k|²)

    z_k: the n points as complex numbers, centred, scaled to equal variance along their two principal axes and ordered
    by angle, so that every affine image of a regular polygon gives 0. Points on a line give 1.
    Source: the hexagon of [liu2022grokking], Figure 17.

    >>> k = np.arange(6)
    >>> hexagon = np.stack([3 * np.cos(np.pi * k / 3), np.sin(np.pi * k / 3)], axis=1)
    >>> round(float(polygon_residual(hexagon)), 6)
    0.0
    """
    plane, size, _ = jnp.linalg.svd(centred(points), full_matrices=False)
    corners = plane[:, 0] + 1j * plane[:, 1]
    corners = corners[jnp.argsort(jnp.angle(corners))]
    turns = jnp.exp(-2j * jnp.pi * jnp.arange(len(corners)) / len(corners))
    total = len(corners) * jnp.sum(jnp.abs(corners) ** 2)
    explained = jnp.abs(jnp.sum(corners * turns)) ** 2 / total
    return jnp.where(size[1] > FLAT * size[0], jnp.clip(1 - explained, 0, 1), 1.0)
