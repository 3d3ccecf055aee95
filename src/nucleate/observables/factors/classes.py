"""Which of the constructed forms a product of two factors has."""

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Complex, Float, Int8

_THIRDS = np.exp([2j * np.pi / 3, -2j * np.pi / 3])
"""ω and ω̄"""


class FactorClass(IntEnum):
    """What the nodes of a network at one frequency are, as a product.

        XI_NU: z_{ν=i} * z_ξ,    SYN_TWISTED: z_{ν=i} * z_{syn,αβ},    SYN_NU: z_ν * z_syn
        OTHER: another product,    NONFACTORABLE: no product,    NEITHER_4_NOR_6: another number of nodes

    XI_NU has four nodes, SYN_TWISTED and SYN_NU have six. z_{ν=i} * z_syn is SYN_TWISTED. NEITHER_4_NOR_6 may be none
    at all, which the authors count apart: see `Factorisation.order`. Source: the table of [tian2024cogo].

    >>> FactorClass(2).name
    'SYN_NU'
    """

    XI_NU = 0
    SYN_TWISTED = 1
    SYN_NU = 2
    OTHER = 3
    NONFACTORABLE = 4
    NEITHER_4_NOR_6 = 5


class Classes(NamedTuple):
    """The class of each block, its factors as the class writes them, and the angles of its parameters.

    Angles are NaN where a class has none. Factors of no constructed form are left as they are.
    """

    kind: Int8[np.ndarray, " block"]
    first: Complex[np.ndarray, "block 3 2"]
    second: Complex[np.ndarray, "block 3 half"]
    nu: Float[np.ndarray, " block"]
    xi: Float[np.ndarray, " block"]
    alpha: Float[np.ndarray, " block"]
    beta: Float[np.ndarray, " block"]


def classes_of_four(
    first: Complex[np.ndarray, "block 3 2"], second: Complex[np.ndarray, "block 3 2"], match: float
) -> Classes:
    """The classes of products of two pairs of nodes. One of them is z_{ν=i} and the other z_ξ, in either order.

    >>> from nucleate.algebra import nu, xi
    >>> found = classes_of_four(xi(1j).z[None], nu(1j).z[None], 0.1)
    >>> found.kind.tolist(), bool((found.second == xi(1j).z).all())
    ([0], True)
    """
    one, other = first[:, :, 1], second[:, :, 1]
    straight = _is_nu_i(one, match) & _is_xi(other, match)
    swapped = _is_nu_i(other, match) & _is_xi(one, match) & ~straight
    found = straight | swapped
    swap = swapped[:, None, None]
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    a, c = second[:, 0, 1], second[:, 2, 1]
    xi = np.angle(np.where(np.imag(c) > 0, a, a.conj()))  # c = −i is the conjugate, as seen from frequency −k
    kind = np.where(found, FactorClass.XI_NU, FactorClass.OTHER).astype(np.int8)
    nothing = np.full(len(kind), np.nan)
    nu = np.where(found, np.angle(first[:, 0, 1]), np.nan)
    return Classes(kind, first, second, nu, np.where(found, xi, np.nan), nothing, nothing)


def classes_of_six(
    first: Complex[np.ndarray, "block 3 2"], second: Complex[np.ndarray, "block 3 3"], match: float
) -> Classes:
    """The classes of products of two and three nodes.

    A class must not depend on the order of nodes. z_syn is the same with its columns moved on by one, which turns ν by
    a third: the turn that brings ν closest to ±i is taken. If ν is ±i or ±1, [1, ν] and [ν, 1] are the same pair, so
    columns of the three may be multiplied by ν: see `_as_twisted`.

    >>> from nucleate.algebra import nu, syn
    >>> classes_of_six(nu(1).z[None], syn().z[None], 0.1).kind.tolist()
    [2]
    """
    pair, three = first[:, :, 1], _as_twisted(first[:, :, 1], second, match)
    away = np.abs(three[:, :, 1:] - _THIRDS)
    is_syn = (np.sqrt(np.square(away).mean(axis=1)) < match).all(axis=1)
    has_c = (away[:, 2] < match).all(axis=1) | is_syn
    turns = pair[:, None] * np.array([1, *_THIRDS])[:, None]  # block, turn, row
    nearest = np.argmin(np.abs(turns[:, :, 0] ** 2 + 1), axis=1)
    pair = np.where(is_syn[:, None], turns[np.arange(len(pair)), nearest], pair)
    conditions = [_is_nu_i(pair, match) & has_c, _is_nu(pair, match) & is_syn]
    kind = np.select(conditions, [FactorClass.SYN_TWISTED, FactorClass.SYN_NU], default=FactorClass.OTHER)
    known, twisted = kind != FactorClass.OTHER, kind == FactorClass.SYN_TWISTED
    nothing = np.full(len(kind), np.nan)
    return Classes(
        kind.astype(np.int8),
        np.where(known[:, None, None], np.stack([np.ones_like(pair), pair], axis=2), first),
        np.where(known[:, None, None], three, second),
        np.where(known, np.angle(pair[:, 0]), np.nan),
        nothing,
        np.where(twisted, np.angle(three[:, 0, 1] / _THIRDS[0]), np.nan),
        np.where(twisted, np.angle(three[:, 0, 2] / _THIRDS[1]), np.nan),
    )


def _as_twisted(
    pair: Complex[np.ndarray, "block 3"], second: Complex[np.ndarray, "block 3 3"], match: float
) -> Complex[np.ndarray, "block 3 3"]:
    """The three nodes as z_{syn,αβ} writes them: c ≈ (1, ω, ω̄), and signs by which a is close to c.

    Where the square of `pair` is 1 but for the signs of a and b, the two pairs that a column makes are the same with
    the column multiplied by `pair`, and the choice closest to z_syn is taken.
    """
    square = pair**2
    like = np.abs(square - np.stack([square[:, 1], square[:, 0], np.ones(len(pair))], axis=1)).max(axis=1) < match
    factor = np.where(like[:, None], pair, 1)
    choices = np.stack([second] * 4, axis=1)  # block, choice, row, column
    choices[:, 1::2, :, 1] *= factor[:, None]
    choices[:, 2:, :, 2] *= factor[:, None]
    choices = np.where((np.imag(choices[:, :, 2, 1]) < 0)[:, :, None, None], choices[..., [0, 2, 1]], choices)
    a, c = choices[:, :, 0], choices[:, :, 2]
    choices[:, :, :2] *= np.where(np.abs(a - c) > np.abs(a + c), -1, 1)[:, :, None]
    # c decides between ±1, where a wrong column has −ω; a decides between ±i, which leave c as it is.
    off = 10 * np.abs(c[..., 1:] - _THIRDS).max(axis=-1) + np.abs(choices[:, :, 0] - c).sum(axis=-1)
    return choices[np.arange(len(pair)), off.argmin(axis=1)]


def _is_xi(column: Complex[np.ndarray, "block 3"], match: float) -> Bool[np.ndarray, " block"]:
    return np.minimum(np.abs(column[:, 2] - 1j), np.abs(column[:, 2] + 1j)) < match


def _is_nu_i(column: Complex[np.ndarray, "block 3"], match: float) -> Bool[np.ndarray, " block"]:
    a, c = column[:, 0], column[:, 2]
    return (np.abs(c - 1) < match) & (np.minimum(np.abs(a - 1j), np.abs(a + 1j)) < match)


def _is_nu(column: Complex[np.ndarray, "block 3"], match: float) -> Bool[np.ndarray, " block"]:
    return np.abs(column[:, 0] + column[:, 1]) < match
