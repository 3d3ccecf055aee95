"""Solutions as weights of networks, and back."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Array, Float

from nucleate.algebra.characters import Characters
from nucleate.algebra.solution import Solution
from nucleate.checking import checked


class Weights(NamedTuple):
    """The weights of a network with quadratic nodes, as trained: without the theory's output scale 1/(2d).

        o(x, y)_m = Σ_j (a_xj + b_yj)² c_jm

    x, y, m: elements; j: nodes. Source: [tian2024cogo].

    >>> weights = Weights(np.ones((3, 2)), np.ones((3, 2)), np.eye(2, 3))
    >>> weights.outputs[0, 0].tolist()
    [4.0, 4.0, 0.0]
    """

    a: Float[np.ndarray, "element node"]
    b: Float[np.ndarray, "element node"]
    c: Float[np.ndarray, "node element"]

    @property
    def outputs(self) -> Float[np.ndarray, "element element element"]:
        """o(x, y)_m, with the axes x, y, m."""
        return np.square(self.a[:, None] + self.b) @ self.c

    @checked
    def loss(self, characters: Characters) -> float:
        """Mean square error over all pairs, computed from the outputs and not by frequencies.

            ℓ = E_xy ‖P⊥(o(x, y) − e_{x+y})‖² = E_xy [‖P⊥o‖² − 2 (P⊥o)_{x+y}] + 1 − 1/d

        P⊥: takes the mean over outputs away; e: one-hot; x + y: by the table of `characters`.

        >>> from nucleate.algebra import order_six
        >>> group = Characters.cyclic(5)
        >>> to_weights(order_six(group)).loss(group) < 1e-20
        True
        """
        error = self.outputs - np.eye(characters.order)[characters.sums_of_elements]
        return float(np.square(error - error.mean(axis=-1, keepdims=True)).sum(axis=-1).mean())


@checked
def to_weights(solution: Solution) -> Weights:
    """The weights of the network that a solution describes.

        a_xj = s Σ_k z_{akj} χ_k(x),    b_yj = s Σ_k z_{bkj} χ_k(y),    c_jm = s Σ_k z_{ckj} χ̄_k(m),    s = (2d)^{-1/3}

    χ: characters of a group of d elements. [tian2024cogo] divides outputs by 2d, where networks as trained do not: its
    r is 2d times the r of weights. s shares that factor equally between the three rows, as weight decay would. The
    exponents of row c have the opposite sign.

    >>> from nucleate.algebra import order_six
    >>> [rows.shape for rows in to_weights(order_six(Characters.cyclic(5)))]
    [(5, 12), (5, 12), (12, 5)]
    """
    values = solution.characters.values * _scale(solution.characters)
    a, b, c = solution.z
    return Weights((values.T @ a).real, (values.T @ b).real, (c.T @ values.conj()).real)


@checked
def from_weights(
    characters: Characters,
    a: Float[Array | np.ndarray, "element node"],
    b: Float[Array | np.ndarray, "element node"],
    c: Float[Array | np.ndarray, "node element"],
) -> Solution:
    """The solution that the weights of a network are, the inverse of `to_weights`.

        z_{akj} = (sd)⁻¹ Σ_x a_xj χ̄_k(x),    z_{bkj} alike,    z_{ckj} = (sd)⁻¹ Σ_m c_jm χ_k(m),    s = (2d)^{-1/3}

    χ: `characters` of a group of d elements. Source: [tian2024cogo].

    >>> from nucleate.algebra import order_six
    >>> z = order_six(Characters.cyclic(5))
    >>> bool(np.allclose(from_weights(z.characters, *to_weights(z)).z, z.z))
    True
    """
    d = characters.order
    if np.shape(a)[0] != d:
        raise ValueError(f"from_weights: a must have {d} rows, one for each element; got {np.shape(a)[0]}.")
    values = characters.values / (_scale(characters) * d)
    rows = (values.conj() @ np.asarray(a, float), values.conj() @ np.asarray(b, float), values @ np.asarray(c, float).T)
    return Solution(characters, np.stack(rows))


def _scale(characters: Characters) -> float:
    return (2 * characters.order) ** (-1 / 3)
