r"""Pairs of pairs: which attract, which repel, and the energy that two potentials give them."""

from collections.abc import Callable
from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer

from nucleate.theories.pairs.symmetry import NoSymmetry, Symmetry

Potential = Callable[[Array], Array]
"""From the coordinates of one term to its energy; an `eqx.Module`, so that it passes through `jit`. It may have a
method `total(terms, embedding)` that computes the weighted sum over all terms faster than term by term."""


@final
class Terms(eqx.Module):
    r"""Terms of one kind, each with the linear map from the embeddings to the coordinates of its potential.

        U = Σ_c w_c f(x_c),    x_c = L_c R

    L: `maps`, with one row for a displacement and four without symmetry; w: `weight`, the number of equal terms in
    the sum; R: the embeddings. Source: [mehta2024repons], Eq. 1.

    >>> Terms(np.array([[[1.0, -1.0]]]), np.ones(1)).coordinates(np.array([[3.0], [1.0]])).tolist()
    [[2.0]]
    """

    maps: Float[Array | np.ndarray, "term slot token"]
    weight: Float[Array | np.ndarray, " term"]

    def coordinates(self, embedding: Float[Array | np.ndarray, "token dim"]) -> Float[Array, "term coordinate"]:
        """x_c of each term."""
        x = jnp.einsum("cst,td->csd", self.maps, jnp.asarray(embedding))
        return x.reshape(len(x), x.shape[1] * x.shape[2])


@final
class PairTerms(eqx.Module):
    r"""The terms of pairs that share a label, and of those that do not.

    >>> i, j = np.triu_indices(10)
    >>> terms = pair_terms(np.stack([i, j], axis=1), i + j, 10, NoSymmetry())
    >>> int(terms.same.weight.sum()), int(terms.different.weight.sum())
    (70, 1415)
    """

    same: Terms
    different: Terms


def pair_terms(
    pairs: Integer[np.ndarray, "pair 2"],
    label: Integer[np.ndarray, " pair"],
    tokens: int,
    symmetry: Symmetry,
) -> PairTerms:
    r"""List every two pairs once: those that share a label separately, and equal displacements only once.

        (P, Q),  P < Q:   x = r_i + r_j − r_k − r_l,    P = (i, j), Q = (k, l)

    P < Q: P is listed before Q. The displacement of two pairs that share an element is r_j − r_l, whichever element
    it is, so the 1,485 terms of the addition of 0 to 9 have only 1,080 distinct displacements. Any task that labels
    pairs will do. Source: [mehta2024repons], Eqs. 1 and 2.

    >>> i, j = np.triu_indices(10)
    >>> from nucleate.theories.pairs.symmetry import Parity
    >>> terms = pair_terms(np.stack([i, j], axis=1), i + j, 10, Parity())
    >>> len(terms.same.weight) + len(terms.different.weight)
    1080
    """
    first, second = np.triu_indices(len(pairs), k=1)
    same = label[first] == label[second]
    unit = np.eye(tokens)
    if isinstance(symmetry, NoSymmetry):
        maps = unit[np.concatenate([pairs[first], pairs[second]], axis=1)]
        return PairTerms(*(Terms(maps[kind], np.ones(int(kind.sum()))) for kind in (same, ~same)))
    sums = unit[pairs].sum(axis=1)
    maps = sums[first] - sums[second]
    if symmetry.even:
        leading = np.take_along_axis(maps, (maps != 0).argmax(axis=1)[:, None], axis=1)[:, 0]
        maps = maps * np.where(leading < 0, -1, 1)[:, None]
    return PairTerms(*(_distinct(maps[kind]) for kind in (same, ~same)))


def _distinct(maps: Float[np.ndarray, "term token"]) -> Terms:
    maps = maps[maps.any(axis=1)]  # (i, j) and (j, i) have no displacement and exert no force
    distinct, count = np.unique(maps, axis=0, return_counts=True)
    return Terms(distinct[:, None], count.astype(np.float64))


def pair_energy(
    terms: PairTerms, attract: Potential, repel: Potential, embedding: Float[Array | np.ndarray, "token dim"]
) -> Float[Array, ""]:
    r"""The energy of a configuration.

        U(R) = Σ_{same label} f_a(x_c) + Σ_{different} f_r(x_c),    f(0) = 0

    f_a: `attract`; f_r: `repel`; x_c: see `Terms`. Its gradient is fast to compute: a product with L, then f′
    of each displacement, then a product with Lᵀ. Source: [mehta2024repons], Eqs. 1 and 2.

    >>> terms = PairTerms(*2 * [Terms(np.array([[[1.0, -1.0]]]), np.ones(1))])
    >>> square, zero = (lambda x: jnp.sum(x**2)), (lambda x: jnp.sum(0 * x))
    >>> float(pair_energy(terms, square, zero, np.array([[3.0], [1.0]])))
    4.0
    """

    def total(potential, terms):
        x = terms.coordinates(embedding)
        at_zero = potential(jnp.zeros(x.shape[1], x.dtype))
        if hasattr(potential, "total"):  # faster than term by term
            return potential.total(terms, jnp.asarray(embedding)) - terms.weight.sum() * at_zero
        return jnp.sum(terms.weight * (jax.vmap(potential)(x) - at_zero))

    return total(attract, terms.same) + total(repel, terms.different)
