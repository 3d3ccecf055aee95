r"""What a pair potential looks like: where it is quadratic, where its well ends, and what becomes of it without."""

import dataclasses
from dataclasses import dataclass
from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Integer

from nucleate.theories.pair_potential import PairPotentialFit
from nucleate.theories.symmetry import NoSymmetry

_LEAST_POINTS = 5
_HALF, _NEARLY, _DENT = 0.5, 0.99, 0.05


@final
@dataclass(frozen=True)
class QuadraticRegion:
    r"""The window |r| ≤ `half_width` in which f ≈ `curvature` · r² + `offset`, with the R² given.

    >>> QuadraticRegion(half_width=0.5, curvature=1.0, offset=0.0, r2=0.9992).half_width
    0.5
    """

    half_width: float
    curvature: float
    offset: float
    r2: float


def quadratic_region(
    r: Float[np.ndarray, " point"], f: Float[np.ndarray, " point"], r2: float = 0.999
) -> QuadraticRegion:
    r"""Find the widest window around 0 in which a quadratic describes f.

        max w:  R²(f on |r| ≤ w, a r² + b) ≥ r2

    a, b: the least-squares fit in that window, which holds at least five points. Source: [mehta2024repons],
    Section 3.1, which finds ±0.5 for r2 = .999.

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
    r"""The landmarks of a potential on r > 0: see `landmarks`.

    >>> Landmarks(well_edge=2.0, minimum=float("nan"), barrier=float("nan")).well_edge
    2.0
    """

    well_edge: float
    minimum: float
    barrier: float


def landmarks(r: Float[np.ndarray, " point"], f: Float[np.ndarray, " point"]) -> Landmarks:
    r"""Find where a well ends, where the next minimum lies, and how high the barrier before it is.

        well_edge: |f′| has fallen to half its maximum, beyond that maximum
        minimum: the first r > 0 with f lower than on both sides, and a barrier of 5 % of the range of f
        barrier: max_{0≤s≤r} f(s) − f(r)

    `r`: increasing; points with r < 0 are left out. NaN for what there is not: a slope that never falls, a
    potential without a minimum. Source: the well, the bow and the minima of [mehta2024repons], Section 3.1.

    >>> r = np.linspace(0, 6, 601)
    >>> found = landmarks(r, np.cos(r))
    >>> round(found.well_edge, 1), round(found.minimum, 2), round(found.barrier, 2)
    (2.6, 3.14, 2.0)
    """
    r, f = r[r >= 0], f[r >= 0]
    slope = np.abs(np.gradient(f, r))
    steepest = int(np.argmax(slope >= _NEARLY * slope.max()))  # the first of several that are as steep
    beyond = np.flatnonzero(slope[steepest:] <= _HALF * slope[steepest])
    lows = _lows(f)
    # A dent in the bottom of a well, or in the top of a peak, is no landmark.
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
    r"""Where a well's surroundings are lowest: its first minimum beyond the well, however shallow.

    The well ends at the `well_edge` of `landmarks`. NaN if f has no minimum there within the points given. Source: the
    "apparent local minimum" of [mehta2024repons], Section 3.1, and the crater of its Section 3.2.

    >>> r = np.linspace(0, 6, 601)
    >>> round(crater(r, -np.cos(2 * r)), 2)
    3.14
    """
    r, f = r[r >= 0], f[r >= 0]
    outside = [low for low in _lows(f).tolist() if r[low] > landmarks(r, f).well_edge]
    return float(r[outside[0]]) if outside else float("nan")


def bow(r: Float[np.ndarray, " point"], f: Float[np.ndarray, " point"]) -> float:
    r"""How much a well bows in where it ends: the smallest slope beyond the steepest point, over the steepest.

        min_{s>s*} f′(s) / f′(s*),    s* = argmax_{s>0} f′(s)

    1 for a slope that never falls, 0 for a potential that becomes flat, below 0 for one with a minimum beyond its
    rim. `r`: increasing; points with r < 0 are left out. Source: the "bow inwards" of [mehta2024repons], Section 3.1;
    the measure is ours.

    >>> r = np.linspace(0, 3 * np.pi / 2, 601)
    >>> round(bow(r, -np.cos(r)), 2)
    -1.0
    """
    r, f = r[r >= 0], f[r >= 0]
    slope = np.gradient(f, r)
    steepest = int(np.argmax(slope))
    return float(slope[steepest:].min() / slope[steepest])


@final
@dataclass(frozen=True)
class CoLocation:
    r"""Where f_a has its feature, where f_r has its minimum, and the ratio of the two: see `co_location`.

    >>> CoLocation(2.0, 2.0, 1.0).ratio
    1.0
    """

    attractive: float
    repulsive: float
    ratio: float


def co_location(
    r: Float[np.ndarray, " point"], f_a: Float[np.ndarray, " point"], f_r: Float[np.ndarray, " point"]
) -> CoLocation:
    r"""Compare the length at which f_a bows in with that of the minimum of f_r: is there one scale?

    The feature of f_a is its `crater` or, if it has none, the edge of the well. Source: [mehta2024repons], Section
    3.1, which finds both at |r| = 2.

    >>> r = np.linspace(0, 4, 401)
    >>> round(co_location(r, -np.cos(np.pi * r), np.cos(np.pi * r / 2)).ratio, 2)
    1.0
    """
    minimum, repulsive = crater(r, f_a), landmarks(r, f_r)
    scale = minimum if np.isfinite(minimum) else landmarks(r, f_a).well_edge
    return CoLocation(scale, repulsive.minimum, scale / repulsive.minimum)


def aligned_potentials(
    r: Float[np.ndarray, " point"], potentials: Float[np.ndarray, "fit point"], half_width: float
) -> Float[np.ndarray, "fit point"]:
    r"""Shift potentials, which are known up to a constant, so that they overlap around 0; then average them.

        f_k(r) − ⟨f_k⟩_{|r| ≤ w}

    w: `half_width`, of the quadratic region say. Source: Figure 1a of [mehta2024repons].

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
    r"""Replace f_a by the quadratic that describes it around 0, and leave f_r alone: an intervention.

        f_a(x) → a |x|²

    a: the curvature of the `quadratic_region` of f_a, along the first axis within the data's range. The new
    fit has no R² and no curl test of its own. Source: [mehta2024repons], Appendix A.

    >>> with_quadratic_attraction.__annotations__["return"] is PairPotentialFit
    True
    """
    if isinstance(fit.theory.symmetry, NoSymmetry):
        raise ValueError("with_quadratic_attraction needs a potential of displacements; NoSymmetry has none.")
    r = np.linspace(-1, 1, points) * fit.data_range.same
    region = quadratic_region(r, np.asarray(fit.potential(r).same))
    if not np.isfinite(region.curvature):
        raise ValueError("with_quadratic_attraction: f_a is quadratic nowhere around 0; fit it with a larger ridge.")
    spring = QuadraticPotential(np.asarray(region.curvature))
    return dataclasses.replace(fit, attract=spring, force_r2=float("nan"), curl=None)
