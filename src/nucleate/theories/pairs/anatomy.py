r"""The shape of a pair potential: where it is quadratic, where its well ends, and what happens without that end."""

import dataclasses
from dataclasses import dataclass
from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer

from nucleate.theories.pairs.symmetry import NoSymmetry
from nucleate.theories.pairs.theory import PairPotentialFit

_LEAST_POINTS = 5
_HALF, _NEARLY, _DENT = 0.5, 0.99, 0.05


@final
@dataclass(frozen=True)
class QuadraticRegion:
    r"""The window |r| ≤ `half_width` in which f ≈ `curvature` · r² + `offset`, with its R²: see `quadratic_region`."""

    half_width: float
    curvature: float
    offset: float
    r2: float


def quadratic_region(
    r: Float[np.ndarray, " point"], f: Float[np.ndarray, " point"], r2: float = 0.999
) -> QuadraticRegion:
    r"""Find the widest window around 0 in which a quadratic describes f.

        max w:  R²(f on |r| ≤ w, a r² + b) ≥ r2

    a, b: the least-squares fit in that window, which has at least five points. Source: [mehta2024repons],
    Section 3.1, which finds ±0.5 for r2 = 0.999.

    >>> r = np.linspace(-2, 2, 401)
    >>> quadratic_region(r, np.where(np.abs(r) < 1, r**2, np.abs(r))).half_width < 1.3
    True
    """
    order = np.argsort(np.abs(r), kind="stable")
    z, y = np.square(r[order]), f[order] - f[order[0]]
    count = np.arange(1, len(r) + 1)
    mean_z, mean_y = np.cumsum(z) / count, np.cumsum(y) / count
    var_z, var_y = np.cumsum(z * z) / count - mean_z**2, np.cumsum(y * y) / count - mean_y**2
    covariance = np.cumsum(z * y) / count - mean_z * mean_y
    defined = (var_z > 0) & (var_y > 0) & (count >= _LEAST_POINTS)
    quality = np.where(defined, covariance**2 / np.where(defined, var_z * var_y, 1), -np.inf)
    if not np.any(quality >= r2):
        return QuadraticRegion(0.0, float("nan"), float("nan"), float("nan"))
    last = int(np.flatnonzero(quality >= r2)[-1])
    slope = covariance[last] / var_z[last]
    offset = mean_y[last] - slope * mean_z[last] + f[order[0]]
    return QuadraticRegion(float(np.abs(r[order[last]])), float(slope), float(offset), float(quality[last]))


@final
@dataclass(frozen=True)
class Landmarks:
    r"""The landmarks of a potential on r > 0: see `landmarks`."""

    well_edge: float
    minimum: float
    barrier: float


def landmarks(r: Float[np.ndarray, " point"], f: Float[np.ndarray, " point"]) -> Landmarks:
    r"""Find where a well ends, where the next minimum lies, and how high the barrier before it is.

        well_edge: the first r beyond the maximum of |f′| at which |f′| has fallen to half that maximum
        minimum: the first r > 0 with f lower than on both sides, and a barrier of at least 5 % of the range of f
        barrier: max_{0≤s≤r} f(s) − f(r)

    `r`: increasing; points with r < 0 are left out. A landmark that does not exist is NaN: the edge if the slope never
    falls, the minimum of a potential without one.
    Source: the well, the bow and the minima of [mehta2024repons], Section 3.1.

    >>> r = np.linspace(0, 6, 601)
    >>> found = landmarks(r, np.cos(r))
    >>> round(found.well_edge, 1), round(found.minimum, 2), round(found.barrier, 2)
    (2.6, 3.14, 2.0)
    """
    r, f = r[r >= 0], f[r >= 0]
    slope = np.abs(np.gradient(f, r))
    steepest = int(np.argmax(slope >= _NEARLY * slope.max()))  # the first of several that are equally steep
    beyond = np.flatnonzero(slope[steepest:] <= _HALF * slope[steepest])
    lows = _lows(f)
    # A dent in the bottom of a well or in the top of a peak is not a landmark.
    lows = lows[np.maximum.accumulate(f)[lows] - f[lows] >= _DENT * np.ptp(f)]
    low = int(lows[0]) if len(lows) else None
    return Landmarks(
        well_edge=float(r[steepest + beyond[0]]) if len(beyond) else float("nan"),
        minimum=float(r[low]) if low is not None else float("nan"),
        barrier=float(f[: low + 1].max() - f[low]) if low is not None else float("nan"),
    )


def _lows(f: Float[np.ndarray, " point"]) -> Integer[np.ndarray, " low"]:
    return 1 + np.flatnonzero((f[1:-1] < f[:-2]) & (f[1:-1] <= f[2:]))


def crater(r: Float[np.ndarray, " point"], f: Float[np.ndarray, " point"]) -> float:
    r"""The place of the first minimum beyond a well, however shallow.

    The well ends at the `well_edge` of `landmarks`. NaN if f has no minimum beyond it within the given points.
    Source: the "apparent local minimum" of [mehta2024repons], Section 3.1, and the crater of its Section 3.2.

    >>> r = np.linspace(0, 6, 601)
    >>> round(crater(r, -np.cos(2 * r)), 2)
    3.14
    """
    r, f = r[r >= 0], f[r >= 0]
    outside = [low for low in _lows(f).tolist() if r[low] > landmarks(r, f).well_edge]
    return float(r[outside[0]]) if outside else float("nan")


def bow(r: Float[np.ndarray, " point"], f: Float[np.ndarray, " point"]) -> float:
    r"""How much a well bows inwards at its end: the smallest slope beyond the steepest point, over the steepest slope.

        min_{s>s*} f′(s) / f′(s*),    s* = argmax_{s>0} f′(s)

    1 if the slope never falls, 0 if the potential becomes flat, below 0 if it has a minimum beyond the rim of the
    well. `r`: increasing; points with r < 0 are left out. Source: the "bow inwards" of [mehta2024repons], Section 3.1;
    the measure is ours.

    >>> r = np.linspace(0, 3 * np.pi / 2, 601)
    >>> round(bow(r, -np.cos(r)), 2)
    -1.0
    """
    return _bow(r, f)[1]


def bow_place(r: Float[np.ndarray, " point"], f: Float[np.ndarray, " point"]) -> float:
    r"""Where a well bows inwards most: the place of the smallest slope beyond the steepest point.

        argmin_{s>s*} f′(s),    s* = argmax_{s>0} f′(s)

    Every potential has it, whether or not its bow is deep enough for a minimum; in one without a bow it is the last
    of the given points. `r`: increasing; points with r < 0 are left out. Source: the "minima-like features" of
    [mehta2024repons], Section 3.1; the measure is ours.

    >>> r = np.linspace(0, 3 * np.pi / 2, 601)
    >>> round(bow_place(r, -np.cos(r)) / np.pi, 2)
    1.5
    """
    return _bow(r, f)[0]


def _bow(r: Float[np.ndarray, " point"], f: Float[np.ndarray, " point"]) -> tuple[float, float]:
    """Where the slope beyond the steepest point is smallest, and this slope over the steepest."""
    r, f = r[r >= 0], f[r >= 0]
    slope = np.gradient(f, r)
    steepest = int(np.argmax(slope))
    flattest = steepest + int(np.argmin(slope[steepest:]))
    return float(r[flattest]), float(slope[flattest] / slope[steepest])


@final
@dataclass(frozen=True)
class CoLocation:
    r"""Where f_a bows in most, where f_r has its minimum, and the ratio of the two: see `co_location`."""

    attractive: float
    repulsive: float
    ratio: float


def co_location(
    r: Float[np.ndarray, " point"], f_a: Float[np.ndarray, " point"], f_r: Float[np.ndarray, " point"]
) -> CoLocation:
    r"""Compare the length at which f_a bows inwards with that of the minimum of f_r: is there a common scale?

    The feature of f_a is its `bow_place`, which every potential has; NaN if f_r has no minimum. Source:
    [mehta2024repons], Section 3.1, which finds both at |r| = 2.

    >>> r = np.linspace(0, 4, 401)
    >>> round(co_location(r, -np.cos(np.pi * r / 2), np.cos(np.pi * r / 3)).ratio, 2)
    1.0
    """
    place, minimum = bow_place(r, f_a), landmarks(r, f_r).minimum
    return CoLocation(place, minimum, place / minimum)


def aligned_potentials(
    r: Float[np.ndarray, " point"], potentials: Float[np.ndarray, "fit point"], half_width: float
) -> Float[np.ndarray, "fit point"]:
    r"""Shift potentials, which are known only up to a constant, so that they overlap around 0 and can be averaged.

        f_k(r) − ⟨f_k⟩_{|r| ≤ w}

    w: `half_width`, for example that of the quadratic region. Source: Figure 1a of [mehta2024repons].

    >>> both = np.array([[1.0, 2.0], [5.0, 6.0]])
    >>> aligned_potentials(np.array([0.0, 1.0]), both, half_width=0.5).mean(axis=0).tolist()
    [0.0, 1.0]
    """
    inside = np.abs(r) <= half_width
    if not inside.any():
        raise ValueError(f"aligned_potentials: no point of r lies within half_width = {half_width}.")
    return potentials - potentials[:, inside].mean(axis=1, keepdims=True)


@final
class QuadraticPotential(eqx.Module):
    r"""A spring: f(x) = a |x|².

    >>> float(QuadraticPotential(np.array(2.0))(jnp.array([3.0])))
    18.0
    """

    curvature: Float[Array | np.ndarray, ""]

    def __call__(self, x: Float[Array, " coordinate"]) -> Float[Array, ""]:
        return jnp.asarray(self.curvature) * jnp.sum(jnp.square(x))


def with_quadratic_attraction(fit: PairPotentialFit, points: int = 401) -> PairPotentialFit:
    r"""Replace f_a by the quadratic that describes it around 0, and leave f_r as it is: an intervention.

        f_a(x) → a |x|²

    a: the curvature of the `quadratic_region` of f_a, along the first axis within the range of the data. The new
    fit has no R² and no curl test. Source: [mehta2024repons], Appendix A.

    >>> from nucleate.theories.pairs import PairPotential, PairValues, Parity, pair_terms
    >>> well, flat = (lambda x: 3 * jnp.minimum(jnp.sum(x**2), 1.0)), (lambda x: jnp.sum(0 * x))
    >>> terms = pair_terms(np.array([[0, 0], [0, 1], [1, 1]]), np.array([0, 0, 1]), 2, Parity())
    >>> fit = PairPotentialFit(PairPotential(), well, flat, 1.0, PairValues(1.0, 1.0), None, terms, dim=1, runs={})
    >>> [each.potential(np.array([2.0])).same.round(6).item() for each in (fit, with_quadratic_attraction(fit))]
    [3.0, 12.0]
    """
    if isinstance(fit.theory.symmetry, NoSymmetry):
        raise ValueError("with_quadratic_attraction needs a potential of displacements; NoSymmetry has none.")
    r = np.linspace(-1, 1, points) * fit.data_range.same
    region = quadratic_region(r, np.asarray(fit.potential(r).same))
    if not np.isfinite(region.curvature):
        raise ValueError("with_quadratic_attraction: f_a is not quadratic around 0; fit it with a larger ridge.")
    spring = QuadraticPotential(np.asarray(region.curvature))
    return dataclasses.replace(fit, attract=spring, force_r2=float("nan"), curl=None)
