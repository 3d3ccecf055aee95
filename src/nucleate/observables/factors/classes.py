"""Which of the constructed forms a product of two factors has."""

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Complex, Float, Int8

_OMEGA = np.exp(2j * np.pi / 3)


class FactorClass(IntEnum):
    """What the nodes of a network at one frequency are, as a product.

        XI_NU: z_{ν=i} * z_ξ,    SYN_TWISTED: z_{ν=i} * z_{syn,αβ},    SYN_NU: z_ν * z_syn
        OTHER: another product,    NONFACTORABLE: no product,    NEITHER_4_NOR_6: another number of nodes

    XI_NU has four nodes, SYN_TWISTED and SYN_NU have six. z_{ν=i} * z_syn is SYN_TWISTED. Source: the table of
    [tian2024cogo].

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
    """The class of each block, and the angles of its parameters, NaN where it has none."""

    kind: Int8[np.ndarray, " block"]
    nu: Float[np.ndarray, " block"]
    xi: Float[np.ndarray, " block"]
    alpha: Float[np.ndarray, " block"]
    beta: Float[np.ndarray, " block"]


def classes_of_four(
    first: Complex[np.ndarray, "block 3 2"], second: Complex[np.ndarray, "block 3 2"], match: float
) -> Classes:
    """The classes of products of two pairs of nodes. One of them is z_{ν=i} and the other z_ξ, in either order.

    >>> from nucleate.algebra import nu, xi
    >>> classes_of_four(xi(1j).z[None], nu(1j).z[None], 0.1).kind.tolist()
    [0]
    """
    one, other = first[:, :, 1], second[:, :, 1]
    swapped = _is_xi(one, match) & _is_nu_i(other, match)
    straight = _is_xi(other, match) & _is_nu_i(one, match) & ~swapped
    turned, plain = np.where(swapped[:, None], one, other), np.where(swapped[:, None], other, one)
    found = swapped | straight
    kind = np.where(found, FactorClass.XI_NU, FactorClass.OTHER).astype(np.int8)
    # c = −i is the conjugate, as seen from frequency −k.
    xi = np.angle(np.where(np.imag(turned[:, 2]) > 0, turned[:, 0], turned[:, 0].conj()))
    nothing = np.full(len(kind), np.nan)
    return Classes(kind, np.where(found, np.angle(plain[:, 0]), np.nan), np.where(found, xi, np.nan), nothing, nothing)


def classes_of_six(
    first: Complex[np.ndarray, "block 3 2"], second: Complex[np.ndarray, "block 3 3"], match: float
) -> Classes:
    """The classes of products of two and three nodes.

    z_syn is the same with its columns moved on by one, which turns ν by a third: the turn that brings ν closest to ±i
    is taken, so that a class does not depend on the order of nodes.

    >>> from nucleate.algebra import nu, syn
    >>> classes_of_six(nu(1).z[None], syn().z[None], 0.1).kind.tolist()
    [2]
    """
    pair, (triple, has_c) = first[:, :, 1], _in_order(second, match)
    is_syn = has_c & (np.abs(triple[:, :2] - triple[:, 2:]).max(axis=(1, 2)) < match)
    turns = pair[:, None] * np.array([1, _OMEGA, _OMEGA.conj()])[:, None]  # block, turn, row
    nearest = np.argmin(np.abs(turns[:, :, 0] ** 2 + 1), axis=1)
    pair = np.where(is_syn[:, None], turns[np.arange(len(pair)), nearest], pair)
    is_nu, is_i = _is_nu(pair, match), _is_nu_i(pair, match)
    conditions = [is_i & has_c, is_nu & is_syn]
    kind = np.select(conditions, [FactorClass.SYN_TWISTED, FactorClass.SYN_NU], default=FactorClass.OTHER)
    twisted = kind == FactorClass.SYN_TWISTED
    alpha, beta = np.angle(triple[:, 0, 0] / _OMEGA), np.angle(triple[:, 0, 1] / _OMEGA.conj())
    return Classes(
        kind.astype(np.int8),
        np.where(kind == FactorClass.OTHER, np.nan, np.angle(pair[:, 0])),
        np.full(len(kind), np.nan),
        np.where(twisted, alpha, np.nan),
        np.where(twisted, beta, np.nan),
    )


def _in_order(
    second: Complex[np.ndarray, "block 3 3"], match: float
) -> tuple[Complex[np.ndarray, "block 3 2"], Bool[np.ndarray, " block"]]:
    """The last two columns with c ≈ ω first and signs by which a is near c, and whether c is (1, ω, ω̄)."""
    columns = second[:, :, 1:]
    columns = np.where((np.imag(columns[:, 2, 0]) < 0)[:, None, None], columns[:, :, ::-1], columns)
    a, c = columns[:, 0], columns[:, 2]
    away = np.abs(a - c) > np.abs(a + c)
    signs = np.where(away, -1, 1)[:, None]
    signed = np.concatenate([columns[:, :2] * signs, columns[:, 2:]], axis=1)
    return signed, np.abs(c - [_OMEGA, _OMEGA.conj()]).max(axis=1) < match


def _is_xi(column: Complex[np.ndarray, "block 3"], match: float) -> Bool[np.ndarray, " block"]:
    return np.minimum(np.abs(column[:, 2] - 1j), np.abs(column[:, 2] + 1j)) < match


def _is_nu_i(column: Complex[np.ndarray, "block 3"], match: float) -> Bool[np.ndarray, " block"]:
    a, c = column[:, 0], column[:, 2]
    return (np.abs(c - 1) < match) & (np.minimum(np.abs(a - 1j), np.abs(a + 1j)) < match)


def _is_nu(column: Complex[np.ndarray, "block 3"], match: float) -> Bool[np.ndarray, " block"]:
    return np.abs(column[:, 0] + column[:, 1]) < match
