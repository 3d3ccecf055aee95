"""Circles: which frequencies of an embedding survive training, and what shape they have.

Functions of signals take any number of leading axes (members, steps), so they apply to a record directly: all they need
is the `signal` and `mean_signal` of every snapshot.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from typing import Annotated, SupportsIndex

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Bool, Float, Int, Integer

from nucleate import checking
from nucleate.checking import checked
from nucleate.observables.centring import centred
from nucleate.observables.fourier import (
    directions,
    fourier_coefficients,
    frequency,
    mean_signal,
    rounding,
    signal,
)

Rule = Callable[[Array, Array], Array | np.ndarray]
"""Any rule that maps `signal` [*run freq] and `mean_signal` [*run] to survival, bool [*run freq]: NumPy arrays give a
NumPy array, JAX arrays a JAX array."""


@dataclass(frozen=True)
class TwiceTheMean:
    """Call a frequency alive when it stands out: the authors' rule for counting circles.

        s_k > 2 s̄

    s_k: see `signal`; s̄: see `mean_signal`. Where nothing stands out, none counts as alive, although none need be dead:
    check `separation` before trusting a count of 0. Source: the code of [ding2024survival].

    >>> TwiceTheMean()(np.array([1.0, 9.0, 2.0]), np.array(4.0)).tolist()
    [False, True, False]
    """

    def __call__(
        self, signal: Float[Array | np.ndarray, "*run freq"], mean: Float[Array | np.ndarray | np.generic, "*run"]
    ) -> Bool[Array | np.ndarray, "*run freq"]:
        mean = mean if isinstance(mean, Array) else np.asarray(mean)
        return signal > 2 * mean[..., None]


@dataclass(frozen=True)
class Above(checking.Checked):
    """Call a frequency alive when its signal is large: the authors' rule for gradients and for the SVM.

        s_k > threshold

    s_k: see `signal`; the mean is not used. Dying circles decay slowly, so early in training this rule calls all of
    them alive. Source: the code of [ding2024survival], Figure 7.

    >>> Above(10.0)(np.array([11.0, 9.0]), np.array(10.0)).tolist()
    [True, False]
    """

    threshold: Annotated[float, checking.Above(0)] = 10.0

    def __call__(
        self, signal: Float[Array | np.ndarray, "*run freq"], mean: Float[Array | np.ndarray | np.generic, "*run"]
    ) -> Bool[Array | np.ndarray, "*run freq"]:
        return signal > self.threshold


COUNTED = TwiceTheMean()


@checked
def survivors(embedding: Float[Array | np.ndarray, "token dim"], rule: Rule = COUNTED) -> Bool[Array, " freq"]:
    """Which frequencies are alive.

        alive_k = rule(s_k, s̄)

    rule: `TwiceTheMean` or `Above`, which can also be applied to recorded signals; s_k: see `signal`; s̄: see
    `mean_signal`. An embedding with a NaN has no survivors. Source: [ding2024survival], Section 2.

    >>> angle = 2 * np.pi * np.arange(11) / 11
    >>> circle = np.stack([np.cos(3 * angle), np.sin(3 * angle)], axis=1)
    >>> survivors(circle).tolist()
    [False, False, True, False, False]
    """
    return jnp.asarray(rule(signal(embedding), mean_signal(embedding)))


@checked
def survivor_count(embedding: Float[Array | np.ndarray, "token dim"], rule: Rule = COUNTED) -> Int[Array, ""]:
    """Count the frequencies that are alive.

        n = Σ_k alive_k,    k = 1..(p − 1) // 2

    alive_k: see `survivors`. The authors halve the count over all p frequencies, rounding down, which is the same
    unless p is even and both k = 0 and k = p/2 stand out; then they count one circle more.
    Source: the code of [ding2024survival].

    >>> angle = 2 * np.pi * np.arange(11) / 11
    >>> int(survivor_count(np.stack([np.cos(3 * angle), np.sin(3 * angle)], axis=1)))
    1
    """
    return survivors(embedding, rule).sum()


@checked
def separation(signal: Float[Array | np.ndarray, "*run freq"], mean: Float[ArrayLike, "*run"]) -> Float[Array, "*run"]:
    """How far the strongest frequency stands out.

        max_k s_k / s̄

    s_k: see `signal`; s̄: see `mean_signal`. Up to 2, nothing stands out and `TwiceTheMean` counts 0 whether all are
    dead or all alive: an N(0, 1) embedding with p = 59, d = 128 has about 1.1, a single circle p/2. An embedding of
    zeros gives 0. Source: the rule of [ding2024survival], read as a number.

    >>> float(separation(np.array([1.0, 9.0, 2.0]), np.array(4.0)))
    2.25
    """
    mean = jnp.asarray(mean)
    return jnp.max(jnp.asarray(signal), axis=-1) / jnp.where(mean == 0, jnp.inf, mean)


@checked
def margin(signal: Float[Array | np.ndarray, "*run freq"], mean: Float[ArrayLike, "*run"]) -> Float[Array, "*run"]:
    """How far the nearest frequency is from the line between dead and alive, once some stand out.

        min_k |ln(s_k / 2 s̄)|,    0 while no s_k > 2 s̄

    s_k: see `signal`; s̄: see `mean_signal`. A large margin means that no frequency is about to cross `TwiceTheMean`, so
    the set of survivors is clear. Source: the rule of [ding2024survival], read as a distance.

    >>> round(float(margin(np.array([1.0, 16.0]), np.array(4.0))), 3), float(margin(np.array([3.0]), np.array(4.0)))
    (0.693, 0.0)
    """
    ratio = jnp.asarray(signal) / (2 * jnp.asarray(mean)[..., None])
    distance = jnp.min(jnp.abs(jnp.log(ratio)), axis=-1)
    return jnp.where(jnp.any(ratio > 1, axis=-1), distance, 0)


@checked
def settle_step(
    alive: Bool[Array | np.ndarray, "*run step freq"], step: Integer[Array | np.ndarray, " step"]
) -> Integer[np.ndarray | np.generic, "*run"]:
    """Find the first recorded step from which the set of survivors no longer changes.

        min {t | alive_k(t') = alive_k(T) for all k and all t' ≥ t}

    alive: see `survivors`; step: when each row was recorded; T: the last step. A run that gives T was still changing
    when last seen, or was seen only once: count such runs separately. Source: the survival of [ding2024survival],
    Section 2.

    >>> settle_step(np.array([[True, True], [True, False], [True, False]]), np.array([0, 100, 200])).item()
    100
    """
    alive, step = np.asarray(alive), np.asarray(step)
    if step.ndim != 1 or len(step) == 0 or len(step) != alive.shape[-2] or np.any(np.diff(step) <= 0):
        raise ValueError(
            f"settle_step: needs ascending steps, one for each of {alive.shape[-2]} >= 1 rows; got {step}."
        )
    changed = np.ones(alive.shape[:-1], bool)
    changed[..., 1:] = np.any(alive[..., 1:, :] != alive[..., :-1, :], axis=-1)
    return step[len(step) - 1 - changed[..., ::-1].argmax(axis=-1)]


@checked
def signal_gradient(
    signal: Float[Array | np.ndarray, "*run step freq"], step: Integer[Array | np.ndarray, " step"], at: int = 4
) -> Float[np.ndarray, "*run freq"]:
    """Relative change of each signal in one step of training, the second measure of fitness.

        (s_k(t) − s_k(t − 1)) / s_k(0)

    s_k: see `signal`; step: when each row of it was recorded; t: `at`. The paper's text has only the difference; its
    code divides by the initial signal. Source: the code of [ding2024survival], Section 3.2.2.

    >>> signal_gradient(np.array([[8.0], [6.0], [5.0]]), np.array([0, 1, 2]), at=2).tolist()
    [-0.125]
    """
    signal, step = np.asarray(signal), np.asarray(step)
    missing = sorted({0, at - 1, at} - set(step.tolist()))
    if missing:
        raise ValueError(f"signal_gradient: at={at} needs records of steps 0, {at - 1} and {at}; missing {missing}.")
    first, before, after = (signal[..., np.flatnonzero(step == t)[0], :] for t in (0, at - 1, at))
    return (after - before) / first


@checked
def circularity(embedding: Float[Array | np.ndarray, "token dim"]) -> Float[Array, " freq"]:
    """Purity of each frequency's plane: 1 if the projections on it oscillate at that frequency alone.

        c_k = √((c_x² + c_y²) / 2),    c_x = 2 |Σ_n x_n exp(2πi k n / p)|² / (p Σ_n x_n²)

    x_n, y_n: projections of token n on Re F_k and on Im F_k, see `project`; c_x: share of the power of x that is at
    frequency k. A circle gives 1, and so does any ellipse or line that oscillates at k: circularity measures purity;
    for the shape see `roundness`. An N(0, 1) embedding gives about (d + 1) / (d + p − 1). A part of F_k that is mere
    rounding (where the authors' code divides 0 by 0) is left out of the root mean square; an absent frequency gives 0.
    Source: [ding2024survival], Eq. 5; the root mean square is in its code.

    >>> angle = 2 * np.pi * np.arange(5) / 5
    >>> circle = np.stack([np.cos(2 * angle), np.sin(2 * angle)], axis=1)
    >>> [round(c, 3) for c in circularity(circle).tolist()]
    [0.0, 1.0]
    >>> [round(c, 3) for c in circularity(circle + np.array([1.0, 0.0])).tolist()]  # shares 1/3 and 1
    [0.0, 0.745]
    """
    axes = directions(embedding)
    there = jnp.any(axes != 0, axis=-1)
    held = jnp.square(jnp.abs(jnp.einsum("afd,fd->af", axes, fourier_coefficients(embedding))))
    total = len(embedding) * jnp.sum(jnp.square(jnp.einsum("td,afd->aft", embedding, axes)), axis=-1)
    share = jnp.minimum(2 * held / jnp.where(there, total, 1), 1)
    return jnp.sqrt(jnp.sum(jnp.square(share), axis=0) / jnp.maximum(there.sum(axis=0), 1))


@checked
def roundness(embedding: Float[Array | np.ndarray, "token dim"]) -> Float[Array, " freq"]:
    """How round the ellipse of each frequency is: 1 for a circle, 0 for a line.

        r_k = ‖Im G_k‖ / ‖Re G_k‖,    G_k = F_k exp(−i φ / 2),    φ = arg Σ_a F_ka²

    F_k: see `fourier_coefficients`; a: one of d dimensions. The component of frequency k puts the tokens on an ellipse.
    The phase φ / 2 turns Re and Im into its semi-axes, and r_k is the shorter over the longer. Unlike `circularity`,
    it ignores all other frequencies. A frequency that is mere rounding gives 0.
    Source: distinguishes the lines and circles of [ding2024survival], Section 3.2.1.

    >>> angle = 2 * np.pi * np.arange(5) / 5
    >>> roundness(np.stack([4 * np.cos(2 * angle), np.sin(2 * angle)], axis=1)).round(3).tolist()
    [0.0, 0.25]
    """
    coefficients = fourier_coefficients(embedding)
    phase = jnp.angle(jnp.sum(jnp.square(coefficients), axis=-1, keepdims=True))
    turned = coefficients * jnp.exp(-0.5j * phase)
    longer, shorter = (jnp.linalg.norm(part, axis=-1) for part in (turned.real, turned.imag))
    return jnp.minimum(shorter / jnp.where(longer > rounding(embedding), longer, jnp.inf), 1)


@checked
def pca_frequencies(
    embedding: Float[Array | np.ndarray, "token dim"], planes: int
) -> tuple[Int[Array, " plane"], Float[Array, " plane"]]:
    """The dominant frequency of each leading pair of principal components, and its share of the pair's variance.

        k_i = argmax_k S_ik,    S_ik = 2 Σ_{c=2i,2i+1} |Σ_n exp(−2πi k n / p) z_nc|² / (p Σ_{c=2i,2i+1} Σ_n z_nc²)

    z_nc: coordinate of token n along principal component c, in order of decreasing variance; i: one of `planes`. A
    share of 1 means that PCA found the plane of k_i; two circles of equal size mix in their components. A pair without
    variance gives share 0. Source: [ding2024survival], Figure 3.

    >>> angle = 2 * np.pi * np.arange(7) / 7
    >>> both = np.stack([np.cos(angle), np.sin(angle), 2 * np.cos(3 * angle), 2 * np.sin(3 * angle)], axis=1)
    >>> held, share = pca_frequencies(both, planes=2)
    >>> held.tolist(), share.round(3).tolist()
    ([3, 1], [1.0, 1.0])
    """
    coefficients = fourier_coefficients(centred(embedding))
    p, most = len(embedding), min(embedding.shape) // 2
    if not 1 <= planes <= most:
        raise ValueError(f"pca_frequencies: planes must be between 1 and {most} for {embedding.shape}; got {planes}.")
    _, value, component = jnp.linalg.svd(centred(embedding), full_matrices=False)
    pairs = component[: 2 * planes].reshape(planes, 2, -1)
    held = 2 * jnp.sum(jnp.square(jnp.abs(jnp.einsum("icd,fd->ifc", pairs, coefficients))), axis=-1)
    total = p * jnp.sum(jnp.square(value[: 2 * planes].reshape(planes, 2)), axis=-1)
    share = jnp.minimum(held / jnp.where(total > 0, total, 1)[:, None], 1)
    return jnp.argmax(share, axis=-1) + 1, jnp.max(share, axis=-1)


@checked
def spacing(k: SupportsIndex, p: int) -> int:
    """Difference Δ between two tokens that are neighbours on the circle of frequency k.

        k Δ = 1 mod p

    p: the number of tokens. p − Δ is the neighbour on the other side; the paper's figures print one or the other. Only
    a k coprime to p has a spacing: otherwise several tokens share each point.
    Source: [ding2024survival], Figure 3.

    >>> spacing(k=23, p=59)
    18
    """
    if p < 3:
        raise ValueError(f"spacing: p must be >= 3; got {p}.")
    k = frequency("spacing", k, p)
    if gcd(k, p) != 1:
        raise ValueError(f"spacing: frequency {k} has no inverse modulo p={p}; their common factor is {gcd(k, p)}.")
    return pow(k, -1, p)
