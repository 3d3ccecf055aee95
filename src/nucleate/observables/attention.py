"""Attention between particles: which particles a head attends to, and whether they are those that collide.

`attention_entropy` and `relative_gain` are of any attention. All others are written for one head and many states of one
system; map them over heads, blocks and steps. `attention[s, i, j]` is how much particle i attends to particle j in
state s. The diagonal is 0, and what a row lacks to 1 is on the zero token.
"""

from enum import IntEnum
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax.scipy.special import entr
from jaxtyping import Array, ArrayLike, Bool, Float, Int8

from nucleate.checking import checked

# A correlation is undefined where attention varies by no more than this, relative to its mean: that is rounding.
_STILL = 1e-6


@checked
def distances(position: Float[Array | np.ndarray, "*state particle dim"]) -> Float[Array, "*state particle particle"]:
    """Distance between every two particles.

        d_ij = |p_i − p_j|

    p: `position`. Source: [hitchcock2025emergence], Section 2.2.

    >>> distances(np.array([[0.0, 0.0], [3.0, 4.0]])).tolist()
    [[0.0, 5.0], [5.0, 0.0]]
    """
    position = jnp.asarray(position)
    return jnp.sqrt(jnp.sum(jnp.square(position[..., :, None, :] - position[..., None, :, :]), axis=-1))


class CollisionScore(NamedTuple):
    """How much of a head's attention is on nearby particles, with the numbers needed to interpret it.

        raw = E[Σ_near a_ij],    frac = E[Σ_near a_ij] / E[Σ_j a_ij],    total = E[Σ_j a_ij]

    near: d_ij < radius; E: mean over states and particles i. The paper's "expected attention within a small radius" may
    mean either. `frac` ignores attention on the zero token, so a head with almost no attention on particles can have
    any `frac`: see `gated`. `baseline`: `frac` of a head that attends to all particles equally.
    Source: [hitchcock2025emergence], Section 2.2.

    >>> score = CollisionScore(raw=0.2, frac=0.8, total=0.25, baseline=0.2)
    >>> float(score.gated(0.5)), round(float(score.corrected), 3)
    (0.0, 0.75)
    """

    raw: Float[ArrayLike, "*head"]
    frac: Float[ArrayLike, "*head"]
    total: Float[ArrayLike, "*head"]
    baseline: Float[ArrayLike, "*head"]

    def gated(self, least: float = 0.1) -> Float[Array, "*head"]:
        """`frac` where `total` attention is at least `least`, 0 elsewhere."""
        return jnp.where(jnp.asarray(self.total) >= least, self.frac, 0.0)

    @property
    def corrected(self) -> Float[Array, "*head"]:
        """`frac` rescaled so that uniform attention gives 0 and 1 stays 1: (frac − baseline) / (1 − baseline)."""
        room = 1 - jnp.asarray(self.baseline)
        return (jnp.asarray(self.frac) - self.baseline) / jnp.where(room > 0, room, jnp.inf)


@checked
def collision_score(
    attention: Float[Array | np.ndarray, "state particle particle"],
    distance: Float[Array | np.ndarray, "state particle particle"],
    radius: float = 1.25,
) -> CollisionScore:
    """Measure how much of a head's attention is on particles within `radius`: see `CollisionScore`.

    distance: see `distances`. The paper does not give its radius; 1 means contact. A head with no attention on any
    particle has frac 0. Source: [hitchcock2025emergence], Section 2.2.

    >>> distance = distances(np.array([[[0.0, 0.0], [1.0, 0.0], [9.0, 0.0]]]))
    >>> attention = np.array([[[0.0, 0.6, 0.2], [0.9, 0.0, 0.0], [0.0, 0.0, 0.0]]])
    >>> [round(float(value), 3) for value in collision_score(attention, distance)]  # 1.5 of 1.7; 2 of 6 are near
    [0.5, 0.882, 0.567, 0.333]
    """
    near = _near(distance, radius)
    total = jnp.mean(jnp.sum(jnp.asarray(attention), axis=-1))
    raw = jnp.mean(jnp.sum(attention * near, axis=-1))
    frac = raw / jnp.where(total > 0, total, 1)
    return CollisionScore(raw, frac, total, jnp.mean(jnp.sum(near, axis=-1)) / (near.shape[-1] - 1))


@checked
def contact_share(distance: Float[Array | np.ndarray, "state particle particle"], radius: float) -> Float[Array, ""]:
    """Share of particles with another particle within `radius`: the `raw` score of `contact_attention`.

        E[∃ j ≠ i: d_ij < radius]

    distance: see `distances`. Source: the collision detection score of [hitchcock2025emergence], for an ideal head.

    >>> float(contact_share(distances(np.array([[[0.0, 0.0], [1.0, 0.0], [9.0, 0.0], [5.0, 0.0]]])), 1.1))
    0.5
    """
    return jnp.mean(jnp.any(_near(distance, radius) > 0, axis=-1))


@checked
def contact_attention(
    distance: Float[Array | np.ndarray, "state particle particle"], radius: float = 1.0
) -> Float[Array, "state particle particle"]:
    """Attention of an ideal collision detection head: equal on all particles in contact, 0 if there are none.

        a_ij = 1(d_ij < radius) / n_i,    n_i = Σ_{j≠i} 1(d_ij < radius)

    distance: see `distances`. Source: the heads of [hitchcock2025emergence], Section 3.1, taken to their limit.

    >>> contact_attention(distances(np.array([[[0.0, 0.0], [0.9, 0.0], [1.8, 0.0], [9.0, 0.0]]])))[0, 1].tolist()
    [0.5, 0.0, 0.5, 0.0]
    """
    near = _near(distance, radius)
    return near / jnp.maximum(jnp.sum(near, axis=-1, keepdims=True), 1)


@checked
def attention_distance_correlation(
    attention: Float[Array | np.ndarray, "state particle particle"],
    distance: Float[Array | np.ndarray, "state particle particle"],
) -> Float[Array, ""]:
    """Correlation of attention with distance over states, computed for each pair and averaged over pairs.

        c = 1/(N² − N) Σ_{i≠j} corr(d_ij, a_ij)

    corr: Pearson's, over the states; d: see `distances`; N: the number of particles. Pairs whose attention or distance
    does not vary have no correlation and are left out; if none is left, c = 0. The states must come from many
    simulations: within a few, the same particles stay close to each other. Source: [hitchcock2025emergence],
    Section 2.2.

    >>> d = np.array([1.0, 2.0, 4.0])[:, None, None] * (1 - np.eye(2))
    >>> round(float(attention_distance_correlation(1 / (1 + d) * (1 - np.eye(2)), d)), 3)
    -0.968
    """
    attention, distance = jnp.asarray(attention), jnp.asarray(distance)
    _check(attention)
    moved = attention - attention.mean(axis=0)
    apart = distance - distance.mean(axis=0)
    spread = jnp.sqrt(jnp.mean(jnp.square(moved), axis=0))
    distance_spread = jnp.sqrt(jnp.mean(jnp.square(apart), axis=0))
    defined = _others(distance.shape[-1]) & (spread > _STILL * jnp.abs(attention).mean(axis=0))
    defined &= distance_spread > _STILL * distance.mean(axis=0)
    scale = jnp.where(defined, spread * distance_spread, 1)
    correlation = jnp.where(defined, jnp.mean(moved * apart, axis=0) / scale, 0)
    return jnp.sum(correlation) / jnp.maximum(jnp.sum(defined), 1)


@checked
def contact_limit(
    distance: Float[Array | np.ndarray, "state particle particle"], radius: float = 1.0
) -> Float[Array, ""]:
    """Attention-distance correlation c* of an ideal collision detection head on the same states.

        c* = c of `contact_attention`

    c: see `attention_distance_correlation`. As a head becomes ideal, c → c*, not c → 0, so it is |c − c*| that may
    follow a power law: Corollary A.4 is about the distance to the limit. c* depends on the box. Source: Section 2.2
    and Appendix A.1 of [hitchcock2025emergence] combined.

    >>> d = np.array([0.9, 2.0, 4.0])[:, None, None] * (1 - np.eye(2))
    >>> round(float(contact_limit(d)), 3)
    -0.771
    """
    return attention_distance_correlation(contact_attention(distance, radius), distance)


@checked
def attention_entropy(
    attention: Float[Array | np.ndarray, "*query token"], among: Bool[Array | np.ndarray, "*query token"] | None = None
) -> Float[Array, ""]:
    """How widely attention is spread, averaged over queries: particles and states, or classes of sequences.

        H = E[−a_i0 ln a_i0 − Σ_j a_ij ln a_ij],    a_i0 = 1 − Σ_j a_ij

    a_i0: what a row lacks to 1, which is the attention on the zero token. H = 0 if all attention is in one place, and
    ln N if it is spread equally over N. With `among`, only these tokens count, such as the distinct tokens of each
    class: their attention is divided by its sum, and nothing is left for a zero token. Source: Shannon's entropy of the
    attention of [hitchcock2025emergence], Appendix C.1, and of [tian2023scan], Section 7.

    >>> round(float(attention_entropy((1 - np.eye(4)) / 4 * np.ones((1, 1, 1)))), 4)  # ln 4
    1.3863
    >>> round(float(attention_entropy(np.array([0.8, 0.1, 0.1]), among=np.array([False, True, True]))), 4)  # ln 2
    0.6931
    """
    attention = jnp.asarray(attention)
    if among is None:
        zero_token = jnp.maximum(1 - jnp.sum(attention, axis=-1), 0)
        return jnp.mean(entr(zero_token) + jnp.sum(entr(attention), axis=-1))
    chosen = jnp.where(jnp.asarray(among), attention, 0)
    total = jnp.sum(chosen, axis=-1, keepdims=True)
    return jnp.mean(jnp.sum(entr(chosen / jnp.where(total > 0, total, 1)), axis=-1))


@checked
def relative_gain(
    weight: Float[Array | np.ndarray, "*#pair"], other: Float[Array | np.ndarray, "*#pair"]
) -> Float[Array, "*pair"]:
    """How far attention prefers one token to another, beyond equality.

        r_{l/l'} = c_l² / c_l'² − 1

    c_l, c_l': `weight` and `other`, the attention on two tokens up to a common factor, such as P(l|n) e^{z_l}. r is 0
    for equals and infinite against a token without attention. Source: [tian2023scan], Theorem 3.

    >>> relative_gain(np.array([2.0, 1.0]), np.array([1.0, 2.0])).tolist()
    [3.0, -0.75]
    """
    return jnp.square(jnp.asarray(weight) / jnp.asarray(other)) - 1


class HeadClass(IntEnum):
    """The kind of a head, by its collision detection score.

        score < 0.3 → NONE;  up to 0.875 → PARTIAL;  above → TRUE

    Source: the clusters of [hitchcock2025emergence], Section 3.1: near 0, about 0.3 to 0.8, and about 0.95.

    >>> HeadClass(head_class(0.9).item()).name
    'TRUE'
    """

    NONE = 0
    PARTIAL = 1
    TRUE = 2


@checked
def head_class(
    score: Float[ArrayLike, "*head"], partial: float = 0.3, true: float = 0.875
) -> Int8[np.ndarray, "*head"]:
    """Classify heads by their collision detection scores: see `HeadClass`.

        NONE ⇔ score < partial,    TRUE ⇔ score ≥ true

    By default `partial` is where the paper's partial heads begin, and `true` is midway between where they end, 0.8, and
    the cluster of true heads, 0.95. A NaN score gives −1. Source: [hitchcock2025emergence], Section 3.1.

    >>> [HeadClass(code).name for code in head_class(np.array([0.02, 0.78, 0.95]))]
    ['NONE', 'PARTIAL', 'TRUE']
    """
    if not partial < true:
        raise ValueError(f"head_class: partial must be below true; got {partial} and {true}.")
    score = np.asarray(score)
    conditions = [np.isnan(score), score < partial, score < true]
    return np.select(conditions, [-1, HeadClass.NONE, HeadClass.PARTIAL], default=HeadClass.TRUE).astype(np.int8)


def _near(distance: Float[Array | np.ndarray, "state particle particle"], radius: float) -> Array:
    """1 for two different particles within `radius`, else 0."""
    distance = jnp.asarray(distance)
    _check(distance)
    if not radius > 0:
        raise ValueError(f"radius must be > 0; got {radius}.")
    return jnp.where(_others(distance.shape[-1]) & (distance < radius), 1.0, 0.0)


def _others(particles: int) -> Array:
    return ~jnp.eye(particles, dtype=bool)


def _check(pairs: Array) -> None:
    if pairs.shape[-1] < 2:
        raise ValueError(f"Attention between particles needs at least two particles; got {pairs.shape[-1]}.")
