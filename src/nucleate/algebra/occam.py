"""From a solution to a simpler one that it is a multiple of, at zero loss and with a falling norm."""

from typing import Annotated

import numpy as np
from jaxtyping import Complex, Float

from nucleate.algebra.quantities import conditions
from nucleate.algebra.solution import Solution
from nucleate.checking import AtLeast, AtMost, checked

TOLERANCE = 1e-6
"""How far r may be from what the theorem asks for: constructed solutions are at 1e-15."""

Blocks = Complex[np.ndarray, "3 half node"]


@checked
def occam_path(
    y: Solution, z_prime: Solution, times: Annotated[tuple[float, ...], AtLeast(0), AtMost(1)]
) -> tuple[Solution, ...]:
    """Solutions of zero loss on a path from y * z' to e * z', on which the norm never rises; one for each time.

        z(t) = y(t) * z',    y(0) = y,    y(1) = e,    r_kkk(y(t)) = 1    ⟹    ℓ(z(t)) = 0
        ‖e * z'‖ ≤ ‖z(t)‖ ≤ ‖y * z'‖  if ‖z'_ak‖ = ‖z'_bk‖ = ‖z'_ck‖ at each frequency k

    z' = `z_prime` must meet all `Conditions` term by term, and r_kkk(y) = 1 for all k ≠ 0; then r_kkk(z) = r_kkk(y) and
    every other r is 0. e: one node of ones at each frequency; the others are 0. It is the node with the largest product
    abc at that frequency, so e may have different nodes at different frequencies, and signs are left as they are where
    k = −k. With a z' whose rows have different norms, a one-node y can make them equal, and then ‖y * z'‖ < ‖e * z'‖:
    the inequality of [tian2024cogo] needs the condition on the right. The theorem is the paper's, this path is ours.

    The path has four parts. Rows of each node are made equal in modulus (convex in t, least at the end); the products
    p_j = a_j b_j c_j, whose sum is 1, become real, then positive, while each |p_j| falls; then all p_j flow to the
    largest, along which Σ_j |p_j|^{2/3} is concave and falls from the start.

    >>> from nucleate.algebra import Characters, order_six, unit
    >>> group = Characters.cyclic(5)
    >>> y = (unit(2) + unit(1j, 0.5)).normalised().everywhere(group)
    >>> path = occam_path(y, order_six(group), (0, 0.5, 1))
    >>> [round(z.norm, 3) for z in path], max(z.loss for z in path) < 1e-20
    ([6.934, 5.241, 4.67], True)
    """
    _refuse(y, z_prime)
    halves, negative = y.characters.halves, y.characters.negative
    real = negative[halves] == halves
    path = []
    for t in times:
        z = np.zeros_like(y.z)
        z[:, 0] = (1 - t) * y.z[:, 0]  # has no part in the loss
        block = _moved(y.z[:, halves], real, t)
        z[:, negative[halves]], z[:, halves] = block.conj(), block
        path.append(Solution(y.characters, z) * z_prime)
    return tuple(path)


def _refuse(y: Solution, z_prime: Solution) -> None:
    found = conditions(z_prime)
    for name, residual in {"R_g": found.g, "R_c": found.c, "R_n": found.n, "R_*": found.star}.items():
        if residual.max() > TOLERANCE:
            raise ValueError(
                f"occam_path: z_prime must meet {name} term by term, as order_six and memorising do; at frequency "
                f"{residual.argmax()} it is {residual.max():.3g} away."
            )
    off = np.abs(y.z.prod(axis=0).sum(axis=-1) - 1)
    off[0] = 0
    if off.max() > TOLERANCE:
        raise ValueError(
            f"occam_path: y must have r_kkk = 1 at every frequency k ≠ 0, as Partial.normalised() has; at frequency "
            f"{off.argmax()} it is {off.max():.3g} away."
        )


def _moved(y: Blocks, real: np.ndarray, t: float) -> Blocks:
    """y(t). A quarter of the time for each part of the path."""
    balance, turn, lift, gather = np.clip(4.0 * t - np.arange(4), 0, 1).tolist()
    p = y.prod(axis=0)
    if t <= 0.25:
        return _balanced(y, p, balance)
    angles = np.angle(y)
    # Assembled from parts: 0 − 0i keeps its sign, so that angles do not jump from −π to π at the end.
    turned = np.empty_like(p)
    turned.real, turned.imag = p.real, (1 - turn) * p.imag
    angles = angles + (np.angle(turned) - np.angle(p)) / 3
    p = turned if t <= 0.5 else _gathered(_lifted(p.real, lift), gather)
    if t > 0.75:
        angles[2] = -angles[0] - angles[1]  # whole turns aside, they sum to 0 where p > 0
        angles = np.where(real[:, None], angles, (1 - gather) * angles)
    return np.cbrt(np.abs(p)) * np.exp(1j * angles)


def _balanced(y: Blocks, p: Complex[np.ndarray, "half node"], s: float) -> Blocks:
    """Moduli go to |p|^{1/3} with their product kept; nodes with p = 0, which may have zeros, fade."""
    used = p != 0
    modulus = np.where(used, np.abs(y), 1.0)
    factor = np.where(used, (np.cbrt(np.abs(p)) / modulus) ** s, 1 - s)
    return y * factor


def _lifted(p: Float[np.ndarray, "half node"], s: float) -> Float[np.ndarray, "half node"]:
    """Negative products go to 0, and positive ones give way so that the sum stays 1."""
    below = np.minimum(p, 0) * (1 - s)
    above = np.maximum(p, 0)
    return below + above * (1 - below.sum(axis=-1, keepdims=True)) / above.sum(axis=-1, keepdims=True)


def _gathered(p: Float[np.ndarray, "half node"], s: float) -> Float[np.ndarray, "half node"]:
    """All go to the largest."""
    return (1 - s) * p + s * (np.arange(p.shape[-1]) == p.argmax(axis=-1)[:, None])
