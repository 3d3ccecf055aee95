"""Generalised parallelograms: the structure by which a representation by matrices generalises.

Pairs (a, b) and (c, d) of a group's elements with a ∘ b = c ∘ d form a generalised parallelogram when
E_a E_b = E_c E_d. A decoder that reads only the product then gives both the same answer. Which pairs those are is what
`parallelograms` lists, and the accuracy that follows is `predicted_accuracy`, as for addition.
"""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Integer

from nucleate.observables.closeness import Closeness, MeanSquare

AUTHORS = MeanSquare(0.5)


def unit_scale(embedding: Float[Array | np.ndarray, "token row row"]) -> Float[Array, "token row row"]:
    """Divide all matrices by the root mean square of their entries; an embedding of zeros stays as it is.

        Ẽ_a = E_a / σ,    σ² = mean of E_a,ij² over a, i and j

    E_a: matrix of token a. Products of matrices have no zero but 0, so nothing is subtracted. Source: the code of
    [liu2022grokking].

    >>> unit_scale(np.array([[[2.0]], [[-2.0]]])).tolist()
    [[[1.0]], [[-1.0]]]
    """
    embedding = jnp.asarray(embedding)
    # In units of the largest entry first: the squares of a nearly collapsed embedding would underflow.
    size = jnp.abs(embedding).max()
    unit = embedding / jnp.where(size > 0, size, 1)
    mean_square = jnp.mean(jnp.square(unit))
    return unit / jnp.sqrt(jnp.where(mean_square > 0, mean_square, 1))


def formed_products(
    embedding: Float[Array | np.ndarray, "token row row"],
    pairs: Integer[Array | np.ndarray, "pair 2"],
    quads: Integer[Array | np.ndarray, "parallelogram 2"],
    closeness: Closeness = AUTHORS,
) -> Bool[Array, " parallelogram"]:
    """Which generalised parallelograms the embedding closes.

        Ẽ_a Ẽ_b − Ẽ_c Ẽ_d is close to 0

    (a, b), (c, d): the two `pairs` listed in a row of `quads`; Ẽ: see `unit_scale`; closeness: the rule for what counts
    as close, of the d² entries. The paper's text has ‖E_a E_b − E_c E_d‖_F² ≤ δ without saying what δ is; the default
    is that of the authors' code, a mean square below 0.5. That of independent entries is 2d. An embedding with a NaN
    forms none. Source: [liu2022grokking], Appendix H.

    >>> E = np.stack([np.eye(2), -np.eye(2)])
    >>> formed_products(E, np.array([[0, 0], [1, 1], [0, 1]]), np.array([[0, 1], [0, 2]])).tolist()
    [True, False]
    """
    scaled = unit_scale(embedding)
    left, right = jnp.asarray(pairs).T
    products = (scaled[left] @ scaled[right]).reshape(len(left), -1)
    first, second = jnp.asarray(quads).T
    return closeness(products[first] - products[second])


def product_rqi(
    embedding: Float[Array | np.ndarray, "token row row"],
    pairs: Integer[Array | np.ndarray, "pair 2"],
    quads: Integer[Array | np.ndarray, "parallelogram 2"],
    closeness: Closeness = AUTHORS,
) -> Float[Array, ""]:
    """Representation quality index of matrices: the share of generalised parallelograms that are formed.

        RQI = |P(R)| / |P0|

    P(R): see `formed_products`; P0: all rows of `quads`. Source: [liu2022grokking], Appendix H.

    >>> E = np.stack([np.eye(2), -np.eye(2)])
    >>> float(product_rqi(E, np.array([[0, 0], [1, 1], [0, 1]]), np.array([[0, 1], [0, 2]])))
    0.5
    """
    return jnp.mean(formed_products(embedding, pairs, quads, closeness))
