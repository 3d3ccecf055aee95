"""How much of the spectrum of a line graph there is in an embedding of its edges, beside what chance gives."""

from math import sqrt

import numpy as np
from jaxtyping import Float

from nucleate.checking import Count, checked


@checked
def spectral_correlation(
    embedding: Float[np.ndarray, "edge dim"],
    vectors: Float[np.ndarray, "edge coordinate"],
    directions: Count | None = None,
) -> float:
    """The normalised correlation of eigenvectors with their best linear prediction from an embedding of the edges.

        ρ = ‖Qᵀ V‖_F / ‖V‖_F = max_W ⟨Q W, V⟩ / (‖Q W‖_F ‖V‖_F)

    V: `vectors`, centred over edges; Q: an orthonormal basis of the strongest principal directions of the centred
    `embedding`, as many as there are vectors or as `directions` says. It is 1 if V is a linear map of those directions
    and 0 if it has nothing to do with them, and no rotation, scale or shift of the embedding changes it.

    A linear map of all columns would be no measure: an embedding with as many columns as edges predicts anything.
    See `chance_correlation`. The talk behind [cohen2025spectral] does not say what its correlation is: this is ours.

    >>> rng = np.random.default_rng(0)
    >>> vectors = np.linalg.qr(rng.normal(size=(9, 2)))[0]
    >>> round(spectral_correlation(3 * vectors @ rng.normal(size=(2, 64)), vectors), 6)
    1.0
    >>> noise = rng.normal(size=(9, 64))
    >>> round(spectral_correlation(noise, vectors), 1), round(spectral_correlation(noise, vectors, 64), 6)
    (0.3, 1.0)
    """
    x, v = (np.asarray(each, float) - np.mean(each, axis=0) for each in (embedding, vectors))
    left, size, _ = np.linalg.svd(x, full_matrices=False)
    # Directions that are rounding errors do not count.
    kept = size > max(x.shape) * np.finfo(float).eps * size.max(initial=0)
    basis = left[:, kept][:, : directions or vectors.shape[1]]
    whole = np.linalg.norm(v)
    return float(np.linalg.norm(basis.T @ v) / whole) if whole > 0 else float("nan")


@checked
def chance_correlation(edges: Count, directions: Count) -> float:
    """What `spectral_correlation` is for an embedding that is drawn at random: its root mean square.

        √E ρ² = √(min(k, m − 1) / (m − 1))

    m: `edges`; k: `directions`, or the columns of a random matrix any linear map of which is allowed, if they are
    fewer. The centred columns of a normal random matrix span a uniformly random subspace of the m − 1 dimensions that
    centring leaves, and a subspace of k dimensions holds, on average, the share k/(m − 1) of the square of any vector.
    So with m − 1 directions a random matrix reaches 1. Source: the baseline of the correlation of [cohen2025spectral].

    >>> round(chance_correlation(9, 2), 4), chance_correlation(9, 64)
    (0.5, 1.0)
    """
    return sqrt(min(directions, edges - 1) / (edges - 1)) if edges > 1 else float("nan")
