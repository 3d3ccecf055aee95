"""Global optimisers that are written down, not trained, for any finite abelian group.

Where k = −k, as happens in groups of even order, a network's z is real and two nodes are enough: 2^{-1/3} z_{ν=1} meets
all conditions there. [tian2024cogo] has odd d only, where no k ≠ 0 is its own negative.
"""

from typing import SupportsIndex

import numpy as np
from jaxtyping import ArrayLike, Num

from nucleate.algebra.blocks import nu, syn, unit, xi
from nucleate.algebra.characters import Characters
from nucleate.algebra.partial import Partial
from nucleate.algebra.solution import Solution
from nucleate.checking import checked


@checked
def order_four(characters: Characters, xi_values: Num[ArrayLike, "*half"] = 1.0) -> Solution:
    """Four nodes at each pair of frequencies ±k, which meet R_g, R_c and R_*, and fail R_n: not an optimum alone.

        z_F4 = 4^{-1/3} Σ_k z_{ν=i} * z_ξ

    ξ: `xi_values`, one for all frequencies or one for each of `characters.halves`. Source: [tian2024cogo].

    >>> z = order_four(Characters.cyclic(7))
    >>> z.nodes, round(z.loss, 6)
    (12, 1.714286)
    """
    return _sum(characters, [nu(1j) * xi(value) for value in _each(characters, "order_four: xi_values", xi_values)])


@checked
def order_six(characters: Characters, nu_values: Num[ArrayLike, "*half"] = 1j, y: Partial | None = None) -> Solution:
    """Six nodes at each pair of frequencies ±k: a global optimum of 3(d − 1) nodes for odd d.

        z_F6 = 6^{-1/3} Σ_k z_syn * z_ν * y

    ν: `nu_values`, one for all frequencies or one for each of `characters.halves`; y: a factor of order one, `unit()`
    if left out. Source: [tian2024cogo].

    >>> z = order_six(Characters.cyclic(7))
    >>> z.nodes, z.loss < 1e-20
    (18, True)
    """
    y = unit() if y is None else y
    if y.nodes != 1 or y.frequency is not None:
        raise ValueError(f"order_six: y must be one node without a frequency, as unit(1j) is; got {y}.")
    return _sum(characters, [syn() * nu(value) * y for value in _each(characters, "order_six: nu_values", nu_values)])


@checked
def mixed(
    characters: Characters,
    k0: SupportsIndex | None = None,
    nu_value: Num[ArrayLike, ""] = 1j,
    xi_values: Num[ArrayLike, "*half"] = 1.0,
) -> Solution:
    """Order six at ±k₀ and order four elsewhere: a global optimum of 2d nodes for odd d.

        z_F4/6 = 6^{-1/3} ẑ_F6 + 4^{-1/3} Σ_{k≠k₀} z_{ν=i} * z_ξ,    ẑ_F6 = z_syn * z_ν at k₀, −(1 + i)/2 in c_k

    ẑ_F6 has the constant in row c of its six nodes at each k ≠ ±k₀ (its conjugate at −k), which cancels what z_F4 lacks
    for R_n: the sums in the loss are 0, their terms are not. k₀: the first frequency with k ≠ −k if left out; ξ:
    `xi_values`, one for all frequencies or one for each of `characters.halves`, of which that of k₀ is not used.
    Source: [tian2024cogo], with the constant that its talk leaves out.

    >>> z = mixed(Characters.cyclic(7), k0=2)
    >>> z.nodes, [z.order(k) for k in (1, 2, 3)], z.loss < 1e-20
    (14, [4, 6, 4], True)
    """
    values = _each(characters, "mixed: xi_values", xi_values)
    pairs = [k for k in characters.halves.tolist() if not characters.is_real(k)]
    k0 = pairs[0] if k0 is None and pairs else k0
    if k0 not in pairs:
        raise ValueError(f"mixed: k0 must be one of the pairs ±k of the group, {pairs}; got {k0}.")
    six = (syn() * nu(complex(nu_value))).normalised().at(characters, k0)
    biased = six.z.copy()
    for k in pairs:
        if k != k0:
            biased[2, k], biased[2, characters.negative[k]] = _CONSTANT, _CONSTANT.conjugate()
    others = [None if k == k0 else nu(1j) * xi(value) for k, value in zip(characters.halves, values, strict=True)]
    return Solution(characters, biased) + _sum(characters, others)


@checked
def memorising(characters: Characters) -> Solution:
    """One node for each pair of elements, a table without any structure: a global optimum of d² nodes.

        z_M = d^{-2/3} z_a * z_b:    a_k = χ_k(i),    b_k = χ_k(j),    c_k = χ̄_k(i + j) at node (i, j)

    χ: `characters`. Frequency 0 is left out, as everywhere. Source: [tian2024cogo].

    >>> z = memorising(Characters.cyclic(5))
    >>> z.nodes, z.order(1), z.loss < 1e-20
    (25, 25, True)
    """
    first, second = np.divmod(np.arange(characters.order**2), characters.order)
    values = characters.values
    z = np.stack([values[:, first], values[:, second], values[:, characters.sums_of_elements[first, second]].conj()])
    z[:, 0] = 0
    return characters.order ** (-2 / 3) * Solution(characters, z)


_CONSTANT = -(1 + 1j) / (2 * 6 ** (1 / 3))
"""Row c of the six nodes at k₀, at other frequencies: in scale with nodes that are divided by the cube root of 6."""


def _sum(characters: Characters, blocks: list[Partial | None]) -> Solution:
    """A sum over one of each pair of frequencies: the block, scaled to r_kkk = 1, or what a real frequency needs."""
    solution = Solution(characters, np.zeros((3, characters.order, 0), complex))
    for k, block in zip(characters.halves.tolist(), blocks, strict=True):
        if block is not None:
            block = nu(1) if characters.is_real(k) else block
            solution += block.normalised().at(characters, k)
    return solution


def _each(characters: Characters, name: str, values: ArrayLike) -> list[complex]:
    """One value for each of the halves."""
    given, halves = np.asarray(values, complex), len(characters.halves)
    if given.shape not in ((), (halves,)):
        raise ValueError(f"{name} must be one number, or {halves}, one for each pair ±k; got shape {given.shape}.")
    return np.broadcast_to(given, halves).tolist()
