"""Learning coefficients known exactly: as λ, and as the mean of nβL at the finite nβ and γ that are sampled."""

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from itertools import combinations

import numpy as np
from jaxtyping import Float

from nucleate.checking import checked


@checked
def aoyagi(widths: Sequence[int], rank: int) -> Fraction:
    """The learning coefficient of a deep linear network at a point where every layer has the rank of the true map.

        λ = [r(H₀ + H_L) − r²]/2 + a(ℓ − a)/(4ℓ) − (ℓ − 1)s²/(4ℓ) + ½ Σ_{i<j} ΔᵢΔⱼ
        s = Σ Δ,    a = s − ℓ(⌈s/ℓ⌉ − 1),    Δⱼ = Hⱼ − r

    H₀..H_L: the `widths`, input and output included; r: the `rank` of the true map. Sums run over the ℓ + 1 narrowest
    layers, as many as satisfy max Δ < min of the others, s ≥ ℓ max Δ and s < ℓ min of the others. A regular model would
    have half the number of parameters; the difference is due to degeneracy. Source: [aoyagi2024].

    >>> aoyagi((6, 5, 5, 4), rank=2)
    Fraction(21, 2)
    >>> float(aoyagi((2, 2, 2), rank=0))
    1.5
    """
    if len(widths) < 2 or min(widths) < 1:
        raise ValueError(f"aoyagi: widths must be two or more numbers >= 1; got {tuple(widths)}.")
    if not 0 <= rank <= min(widths):
        raise ValueError(f"aoyagi: rank must be between 0 and the smallest width, {min(widths)}; got {rank}.")
    narrow = _narrow([width - rank for width in widths])
    layers, total = len(narrow) - 1, sum(narrow)
    regular = Fraction(rank * (widths[0] + widths[-1]) - rank**2, 2)
    a = total - layers * (-(-total // layers) - 1)
    pairs = sum(x * y for x, y in combinations(narrow, 2))
    return regular + Fraction(a * (layers - a) - (layers - 1) * total**2, 4 * layers) + Fraction(pairs, 2)


def _narrow(excess: list[int]) -> list[int]:
    """Δ of the layers summed over. Any two satisfy s ≥ ℓ max Δ, and so do more while s ≥ ℓ Δ of the next layer."""
    ordered = sorted(excess)
    count = 2
    while count < len(ordered) and sum(ordered[:count]) >= (count - 1) * ordered[count]:
        count += 1
    return ordered[:count]


_POINTS = {1: 4000, 2: 1600, 3: 140}  # per variable, by their number; the integrand is smooth in log w
_EDGE = 9.0  # standard deviations of the localisation beyond which nothing is left


@checked
def polynomial_excess(c: Float[np.ndarray, "..."], nbeta: float, gamma: float) -> float:
    """What λ̂ estimates for a sum of monomials with even powers, in up to three variables.

        E[nβ L] under exp(−nβ L − γ/2 |w|²),    L(w) = Σ c_ab… x^{2a} y^{2b} …

    c: the coefficients >= 0, an axis for each variable and an index for each power; nbeta, gamma: nβ > 0 and γ > 0, as
    in `Setting`. By the trapezoidal rule over log |w| in one orthant. For large nβ it approaches λ, but where λ is
    shared by m variables only as (m − 1) / log nβ. Source: the posterior of [lau2025llc].

    >>> crossing = np.zeros((2, 2))
    >>> crossing[1, 1] = 1.0  # x²y²: λ = 1/2
    >>> round(polynomial_excess(crossing, nbeta=1000.0, gamma=1.0), 4)
    0.3903
    """
    if c.ndim not in _POINTS or c.min() < 0:
        raise ValueError(f"polynomial_excess: c must have 1 to 3 axes and no negative entry; got {c.tolist()}.")
    log_w, weight = _half_line(_POINTS[c.ndim], gamma)
    axes = [np.expand_dims(log_w, [*range(i), *range(i + 1, c.ndim)]) for i in range(c.ndim)]
    energy = np.zeros([log_w.size] * c.ndim)
    for powers in np.argwhere(c):
        log_term = sum(2 * power * axis for power, axis in zip(powers, axes, strict=True))
        energy += nbeta * c[tuple(powers)] * np.exp(np.minimum(log_term, 100.0))
    density = np.exp(-energy) * reduce(np.multiply.outer, [weight] * c.ndim)
    return float(np.sum(density * energy) / np.sum(density))


@checked
def linear_excess(widths: tuple[int, int, int], nbeta: float, gamma: float) -> float:
    """What λ̂ estimates for a linear network of two layers whose true map, and whose weights at w₀, are 0.

        E[nβ L] under exp(−nβ L − γ/2 (|A|² + |B|²)),    L = ½ |B A|²
        = E[Σᵢ (H₂/2) nβs²ᵢ / (γ + nβs²ᵢ)],    s ~ Π exp(−γs²/2) s^|H₁−H₀| (γ + nβs²)^{−H₂/2} · |s₁² − s₂²|

    widths: H₀, H₁ and H₂, the first two not both above 2; s: the singular values of A, one or two. B is integrated out
    by hand, s by the trapezoidal rule. Source: the network of [aoyagi2024] at rank 0.

    >>> round(linear_excess((2, 2, 2), nbeta=1000.0, gamma=1.0), 3)  # λ = 3/2
    1.442
    """
    inputs, hidden, outputs = widths
    if min(widths) < 1 or min(inputs, hidden) > 2:
        raise ValueError(f"linear_excess: widths must be >= 1, and one of the first two at most 2; got {widths}.")
    log_s, weight = _half_line(_POINTS[2], gamma)
    square = np.exp(2 * log_s)
    stiff = gamma + nbeta * square
    weight = weight * np.exp(abs(hidden - inputs) * log_s) * stiff ** (-outputs / 2)
    share = outputs / 2 * nbeta * square / stiff
    if min(inputs, hidden) == 1:
        return float(np.sum(weight * share) / np.sum(weight))
    weight = np.multiply.outer(weight, weight) * np.abs(np.subtract.outer(square, square))
    return float(np.sum(weight * np.add.outer(share, share)) / np.sum(weight))


def _half_line(points: int, gamma: float) -> tuple[Float[np.ndarray, " point"], Float[np.ndarray, " point"]]:
    """log w on a grid of w > 0, and the weight exp(−γw²/2) dw of each."""
    if not gamma > 0:
        raise ValueError(f"gamma must be > 0, or flat directions have no end; got {gamma}.")
    edge = np.log(_EDGE / np.sqrt(gamma))
    log_w = np.linspace(edge - 22, edge, points)
    return log_w, np.exp(log_w - gamma / 2 * np.exp(2 * log_w))
