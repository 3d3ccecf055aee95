"""How points of several classes lie: how far they spread within a class, how far apart the classes are."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int


def class_means(
    points: Float[Array | np.ndarray, "point dim"], label: Int[Array | np.ndarray, " point"], classes: int
) -> Float[Array, "class dim"]:
    """The mean of each class; NaN for a class without points.

        m_c = (1/n_c) Σ_{x: c(x) = c} f_x

    f_x: `points`, c(x): `label`, n_c: the number of points of class c. Source: [liu2022grokking], Appendix I.

    >>> class_means(np.array([[0.0], [2.0], [5.0]]), np.array([0, 0, 1]), classes=2).tolist()
    [[1.0], [5.0]]
    """
    member = jax.nn.one_hot(label, classes)
    return member.T @ points / member.sum(0)[:, None]


def spread_within(
    points: Float[Array | np.ndarray, "point dim"], label: Int[Array | np.ndarray, " point"], classes: int
) -> Float[Array, ""]:
    """Root mean square distance of the points from the means of their classes: 0 if every class has collapsed.

        s_w = √( mean_x |f_x − m_c(x)|² )

    m: `class_means`. Source: [liu2022grokking], Appendix I.

    >>> round(float(spread_within(np.array([[0.0], [2.0], [5.0]]), np.array([0, 0, 1]), classes=2)) ** 2, 4)
    0.6667
    """
    away = points - class_means(points, label, classes)[jnp.asarray(label)]
    return jnp.sqrt(jnp.mean(jnp.sum(away**2, axis=-1)))


def spread_between(
    points: Float[Array | np.ndarray, "point dim"], label: Int[Array | np.ndarray, " point"], classes: int
) -> Float[Array, ""]:
    """Root mean square distance of the class means from their own mean: 0 if all classes are in one place.

        s_b = √( mean_c |m_c − mean_c' m_c'|² ),    over the classes that have points

    m: `class_means`. Source: [liu2022grokking], Appendix I.

    >>> float(spread_between(np.array([[0.0], [2.0], [5.0]]), np.array([0, 0, 1]), classes=3))
    2.0
    """
    means = class_means(points, label, classes)
    return jnp.sqrt(jnp.nanmean(jnp.sum((means - jnp.nanmean(means, axis=0)) ** 2, axis=-1)))


def nearest_mean_accuracy(
    points: Float[Array | np.ndarray, "point dim"], label: Int[Array | np.ndarray, " point"], classes: int
) -> Float[Array, ""]:
    """Share of the points that are nearer to the mean of their own class than to any other: 1 if classes are apart.

        mean_x [ c(x) = argmin_c |f_x − m_c| ]

    m: `class_means`. Source: [papyan2020collapse].

    >>> float(nearest_mean_accuracy(np.array([[0.0], [1.0], [2.0], [9.0]]), np.array([0, 0, 1, 1]), classes=2))
    0.75
    """
    means = class_means(points, label, classes)
    distance = jnp.sum((points[:, None] - means) ** 2, axis=-1)
    return jnp.mean(jnp.nanargmin(distance, axis=-1) == label)
