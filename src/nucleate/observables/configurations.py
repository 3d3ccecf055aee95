"""The configurations that interacting embeddings settle into: in order, in a well, in clusters, on lines, on lattices.

All are NumPy and take any number of leading axes.
"""

import numpy as np
from jaxtyping import Array, Bool, Float, Integer

from nucleate.checking import checked


@checked
def is_canonical(embedding: Float[Array | np.ndarray, "*member token 1"]) -> Bool[np.ndarray, "*member"]:
    """Whether the tokens lie in their natural order along the line, or in its reverse.

        r_0 < r_1 < … < r_{p−1}    or    r_0 > r_1 > … > r_{p−1}

    r_k: the one-dimensional embedding of token k. With a NaN the answer is no. Source: the ground states of
    [mehta2024repons], Appendix A.

    >>> is_canonical(np.array([[[3.0], [2.0], [0.0]], [[0.0], [2.0], [1.0]]])).tolist()
    [True, False]
    """
    step = np.diff(np.asarray(embedding)[..., 0], axis=-1)
    return np.asarray((step > 0).all(axis=-1) | (step < 0).all(axis=-1))


@checked
def in_well_fraction(
    embedding: Float[Array | np.ndarray, "*member token dim"],
    equations: Float[Array | np.ndarray, "parallelogram token"],
    radius: float,
) -> Float[np.ndarray, "*member"]:
    """Share of pairs of pairs with the same label that lie within the radius of the well.

        |{q : |A_q R| ≤ radius}| / |{q}|

    A: the `equations`, a row for each two pairs that share a label (`nucleate.observables.equations`); R: the
    embedding; radius: that of the quadratic region of the attractive potential. Source: f_r of [mehta2024repons],
    Appendix A.

    >>> float(in_well_fraction(np.array([[0.0], [1.0], [2.5]]), np.array([[1.0, -2.0, 1.0]]), radius=0.4))
    0.0
    """
    length = np.linalg.norm(np.asarray(equations) @ np.asarray(embedding), axis=-1)
    return np.asarray((length <= radius).mean(axis=-1))


@checked
def displacement_clusters(
    embedding: Float[Array | np.ndarray, "*member token 1"],
    differences: Float[Array | np.ndarray, "term token"],
    gap: float = 0.25,
) -> Integer[np.ndarray, "*member"]:
    """Count the clusters into which the lengths of displacements fall.

        sort |D R|; a new cluster begins where the next length is larger by more than gap · Δ

    D: the `differences`, a row r_i + r_j − r_k − r_l for each two pairs with different labels; R: the
    one-dimensional embedding; Δ = (max r − min r)/(p − 1): the mean spacing of the p tokens. In canonical order
    and evenly spaced, the tokens 0 to 9 give 18 clusters, one for each difference of two sums.
    Source: [mehta2024repons], Appendix A; `gap` is ours.

    >>> i, j = np.triu_indices(10)
    >>> M = np.eye(10)[i] + np.eye(10)[j]
    >>> P, Q = np.nonzero(np.triu((i + j)[:, None] != i + j))
    >>> int(displacement_clusters(0.3 * np.arange(10.0)[:, None], M[P] - M[Q]))
    18
    """
    embedding = np.asarray(embedding)[..., 0]
    length = np.sort(np.abs(embedding @ np.asarray(differences).T), axis=-1)
    spacing = np.ptp(embedding, axis=-1) / (embedding.shape[-1] - 1)
    return np.asarray(1 + (np.diff(length, axis=-1) > gap * np.asarray(spacing)[..., None]).sum(axis=-1))


@checked
def displacement_purity(
    embedding: Float[Array | np.ndarray, "*member token 1"], differences: Float[Array | np.ndarray, "term token"]
) -> Float[np.ndarray, "*member"]:
    """Share of displacements that lie in the cluster of their label difference: 1 if clusters are label differences.

        |{q : l_(q) = l*_(q)}| / |{q}|,    l_q = |D_q k|,  k = (0, …, p − 1)

    D: the `differences`, a row r_i + r_j − r_k − r_l for each two pairs with different labels, so that l_q is the
    difference of the labels; l_(q): the label difference of the q-th shortest displacement |D R|; l*: all label
    differences in order. The shortest displacements are those of the first cluster, which "contains all repon pairs
    whose labels differ by 1", and so on. Source: [mehta2024repons], Appendix A; the measure is ours.

    >>> i, j = np.triu_indices(10)
    >>> M = np.eye(10)[i] + np.eye(10)[j]
    >>> P, Q = np.nonzero(np.triu((i + j)[:, None] != i + j))
    >>> even, swapped = np.arange(10.0), np.array([1.0, 0, *range(2, 10)])
    >>> displacement_purity(np.stack([even, swapped])[..., None], M[P] - M[Q]).round(2).tolist()
    [1.0, 0.51]
    """
    differences = np.asarray(differences)
    label = np.abs(differences @ np.arange(differences.shape[1]))
    shortest_first = np.argsort(np.abs(np.asarray(embedding)[..., 0] @ differences.T), axis=-1, kind="stable")
    return np.asarray((label[shortest_first] == np.sort(label)).mean(axis=-1))


def _along_the_line(embedding):
    """Positions along the first principal axis, the axis, and the share of variance not along it."""
    offset = np.asarray(embedding, np.float64)
    offset = offset - offset.mean(axis=-2, keepdims=True)
    finite = np.isfinite(offset).all(axis=(-2, -1))
    _, size, axes = np.linalg.svd(np.where(finite[..., None, None], offset, 0), full_matrices=False)
    total = np.sum(size**2, axis=-1)
    off = np.where(total > 0, 1 - size[..., 0] ** 2 / np.where(total > 0, total, 1), np.nan)
    axis = axes[..., 0, :]
    return np.einsum("...td,...d->...t", offset, axis), axis, np.where(finite, off, np.nan)


@checked
def is_line(
    embedding: Float[Array | np.ndarray, "*member token dim"], tolerance: float = 0.02
) -> Bool[np.ndarray, "*member"]:
    """Whether the tokens lie on a straight line, in their natural order or in its reverse.

        1 − σ_1² / Σ_a σ_a² ≤ tolerance,    and `is_canonical` along the first principal axis

    σ_a: the singular values of the centred embedding. Source: the canonical configurations in two dimensions
    of [mehta2024repons], Section 3.2; the tolerance is ours.

    >>> k = np.arange(5.0)[:, None]
    >>> is_line(np.stack([k * [1.0, 2.0], k**2 * [1.0, 2.0] % 7])).tolist()
    [True, False]
    """
    along, _, off = _along_the_line(embedding)
    return np.asarray(is_canonical(along[..., None]) & (off <= tolerance))


@checked
def line_angle(embedding: Float[Array | np.ndarray, "*member token 2"]) -> Float[np.ndarray, "*member"]:
    """The angle of the first principal axis in the plane, from 0 to π: 0 is horizontal, π/2 vertical.

        tan(angle) = v_2 / v_1

    v: the first principal axis, whose sign is arbitrary. The angle is meaningful where `is_line` holds. Source:
    Figure 4a of [mehta2024repons].

    >>> float(line_angle(np.arange(5.0)[:, None] * [0.0, -2.0]).round(4))
    1.5708
    """
    _, axis, off = _along_the_line(embedding)
    angle = np.mod(np.arctan2(axis[..., 1], axis[..., 0]), np.pi)
    # An axis that rounding tilts just below the horizontal is at 0, not at π.
    return np.where(np.isnan(off), np.nan, np.where(np.pi - angle < 1e-9, 0.0, angle))


@checked
def lattice_regularity(embedding: Float[Array | np.ndarray, "*member token dim"]) -> Float[np.ndarray, "*member"]:
    """How evenly the tokens are spaced: 1 on any regular lattice, less the more irregular it is.

        1 − std(ν) / mean(ν),    ν_t = min_{u≠t} |r_t − r_u|

    r_t: the embedding of token t; ν: distances to the nearest neighbour. Random points in the plane give about
    0.5. Source: the "lattices of varying regularity" of [mehta2024repons], Figure 2; the measure is ours.

    >>> x, y = np.meshgrid(np.arange(3.0), np.arange(3.0))
    >>> float(lattice_regularity(np.stack([x.ravel(), y.ravel()], axis=1)))
    1.0
    """
    embedding = np.asarray(embedding, np.float64)
    distance = np.linalg.norm(embedding[..., :, None, :] - embedding[..., None, :, :], axis=-1)
    tokens = embedding.shape[-2]
    distance[..., np.arange(tokens), np.arange(tokens)] = np.inf
    nearest = distance.min(axis=-1)
    mean = nearest.mean(axis=-1)
    return np.asarray(1 - nearest.std(axis=-1) / np.where(mean > 0, mean, np.nan))
