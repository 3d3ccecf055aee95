"""The partial solutions that constructed optimisers, and trained networks, are made of."""

import math
from numbers import Number

import numpy as np

from nucleate.algebra.partial import Partial
from nucleate.checking import shown

OMEGA = complex(-0.5, math.sqrt(3) / 2)
"""ω = exp(2πi/3)"""


def unit(a: complex = 1.0, b: complex = 1.0) -> Partial:
    """One node with r_kkk = 1: the 1 of partial solutions, or a factor y that changes scales and phases.

        y = [a], [b], [1/(ab)]

    Rows a, b, c. Source: y_k of [tian2024cogo].

    >>> unit(2, 1j).z.ravel().tolist()
    [(2+0j), 1j, -0.5j]
    """
    a, b = _number("unit: a", a), _number("unit: b", b)
    if not a * b:
        raise ValueError(f"unit: a and b must not be 0, as the product of a node's rows is 1; got {a} and {b}.")
    return Partial(np.array([[a], [b], [1 / (a * b)]]))


def syn() -> Partial:
    """Three nodes that meet R_c and R_n, not R_*.

        z_syn = [1, ω, ω̄], [1, ω, ω̄], [1, ω, ω̄],    ω = exp(2πi/3)

    Rows a, b, c; see `Conditions`. Source: [tian2024cogo].

    >>> from nucleate.algebra import Characters, conditions
    >>> found = conditions(syn().at(Characters.cyclic(7), 1))
    >>> [float(residual[1].round(9)) for residual in (found.c, found.n, found.star)]
    [0.0, 0.0, 3.0]
    """
    return syn_twisted(1, 1)


def syn_twisted(alpha: complex, beta: complex) -> Partial:
    """Three nodes like `syn`, with rows a and b turned against each other: with `nu(1j)` they meet R_c, R_n and R_*.

        z_syn,αβ = [1, αω, βω̄], [1, ᾱω, β̄ω̄], [1, ω, ω̄],    |α| = |β| = 1

    Rows a, b, c; ω = exp(2πi/3). α = β = 1 is `syn`. Source: [tian2024cogo].

    >>> bool(np.allclose(syn_twisted(1j, 1).z.prod(axis=0), 1))
    True
    """
    alpha, beta = _on_circle("syn_twisted: alpha", alpha), _on_circle("syn_twisted: beta", beta)
    row = np.array([1, OMEGA, OMEGA.conjugate()])
    return Partial(np.array([row * [1, alpha, beta], row * np.conj([1, alpha, beta]), row]))


def nu(value: complex) -> Partial:
    """Two nodes that meet R_*.

        z_ν = [1, ν], [1, −ν], [1, −ν̄²],    |ν| = 1

    Rows a, b, c; ν: `value`. ν = i gives c = [1, 1]. Source: [tian2024cogo].

    >>> nu(1).z.real.astype(int).tolist()
    [[1, 1], [1, -1], [1, -1]]
    """
    value = _on_circle("nu: value", value)
    return Partial(np.array([[1, value], [1, -value], [1, -(value.conjugate() ** 2)]]))


def xi(value: complex) -> Partial:
    """Two nodes that, multiplied by `nu(1j)`, make an optimiser of order four.

        z_ξ = [1, ξ], [1, −iξ̄], [1, i],    |ξ| = 1

    Rows a, b, c; ξ: `value`. Source: [tian2024cogo].

    >>> xi(1j).z[1:].tolist()
    [[(1+0j), (-1+0j)], [(1+0j), 1j]]
    """
    value = _on_circle("xi: value", value)
    return Partial(np.array([[1, value], [1, -1j * value.conjugate()], [1, 1j]]))


def _on_circle(name: str, value: complex) -> complex:
    value = _number(name, value)
    if not math.isclose(abs(value), 1, abs_tol=1e-9):
        raise ValueError(f"{name} must have modulus 1, as exp(0.3j) has; got {value}, of modulus {abs(value):.6g}.")
    return value


def _number(name: str, value: complex) -> complex:
    if not isinstance(value, Number):
        raise ValueError(f"{name} must be a number, real or complex; got {shown(value)}.")
    return complex(value)  # type: ignore[arg-type]
