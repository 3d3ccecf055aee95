"""Learning coefficients known exactly."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

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
