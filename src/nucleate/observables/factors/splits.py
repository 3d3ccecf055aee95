"""Nodes of one frequency written as a product of two sets of nodes."""

from enum import Enum
from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
from jaxtyping import Complex, Float, Int

CHUNK = 256
"""Blocks that are split at once: 120 splits of six nodes take 50 KB each."""
TIE = 1e-9
"""Splits this close to the best are as good; the first of them is taken, on every machine."""


class Pairing(Enum):
    """By which rows the pairs of nodes are chosen that have the same ratio.

        ALL_ROWS: a, b and c,    OUTPUT_ROW: c alone

    ALL_ROWS is ours, and OUTPUT_ROW is the reference. If c is exactly (1, ω, ω̄), it cannot tell the pairs of
    z_{ν=i} * z_{syn,αβ} from two other sets of pairs, for which rows a and b have no common ratio: rounding decides
    whether such nodes are factorable. Trained networks are rarely so exact. Source: the code of [tian2024cogo].

    >>> Pairing("output row")
    <Pairing.OUTPUT_ROW: 'output row'>
    """

    ALL_ROWS = "all rows"
    OUTPUT_ROW = "output row"


class Split(NamedTuple):
    """The best product for each block: z ≈ first * second, up to a scale and signs.

    `error`: ‖ratio − its mean over pairs‖; `first`: [1, mean ratio]; `second`: one half of the nodes over its first
    node. All columns have the product 1.
    """

    error: Float[np.ndarray, " block"]
    first: Complex[np.ndarray, "block 3 2"]
    second: Complex[np.ndarray, "block 3 half"]


def best_split(blocks: Complex[np.ndarray, "block 3 node"], flip: float, pairing: Pairing) -> Split:
    """Split the nodes of each block into two halves, one of which is a multiple of the other.

        ratio_pj = z_{p,π(j)} / z_{p,π(j+q/2)},    π: the permutation with the least error

    p: rows a, b, c; j = 1..q/2; q: even number of nodes. A node does the same with the signs of a and b changed, so
    they are changed where the ratio of a is more than `flip` away from that of the first pair.

    >>> from nucleate.algebra import nu, xi
    >>> found = best_split((nu(1j) * xi(1)).z[None, :, [2, 0, 3, 1]], 0.2, Pairing.ALL_ROWS)
    >>> bool(found.error[0] < 1e-9)
    True
    """
    parts = [_chunk(blocks[i : i + CHUNK], flip, pairing) for i in range(0, len(blocks), CHUNK)]
    if not parts:
        half = blocks.shape[2] // 2
        return Split(np.zeros(0), np.zeros((0, 3, 2), complex), np.zeros((0, 3, half), complex))
    return Split(*map(np.concatenate, zip(*parts, strict=True)))


def _chunk(blocks: Complex[np.ndarray, "block 3 node"], flip: float, pairing: Pairing) -> Split:
    half = blocks.shape[2] // 2
    order = splits(2 * half)
    with np.errstate(divide="ignore", invalid="ignore"):  # a row of a node may be 0: its ratios are never chosen
        ratio = blocks[:, :, order[:, :half]] / blocks[:, :, order[:, half:]]  # block, row, split, pair
        flipped = np.abs(ratio[:, 0] - ratio[:, 0, :, :1]) > flip
        ratio[:, :2] = np.where(flipped[:, None], -ratio[:, :2], ratio[:, :2])
        off = np.abs(ratio - ratio.mean(axis=-1, keepdims=True)) ** 2
        errors = np.sqrt(off.sum(axis=(1, 3)))
        chosen_by = np.sqrt(off[:, 2].sum(axis=-1)) if pairing is Pairing.OUTPUT_ROW else errors
        chosen_by = np.where(np.isfinite(errors), chosen_by, np.inf)
        best = np.argmax(chosen_by <= chosen_by.min(axis=1, keepdims=True) + TIE, axis=1)
        each = np.arange(len(blocks))
        mean = ratio[each, :, best].mean(axis=-1)
        kept = np.take_along_axis(blocks, order[best, half:][:, None], axis=2)
        first, second = np.stack([np.ones_like(mean), mean], axis=2), kept / kept[:, :, :1]
        found = errors[each, best]
        return Split(np.where(np.isfinite(found), found, np.inf), _of_product_one(first), _of_product_one(second))


def _of_product_one(factor: Complex[np.ndarray, "block 3 node"]) -> Complex[np.ndarray, "block 3 node"]:
    return factor / factor.prod(axis=1, keepdims=True) ** (1 / 3)


@cache
def splits(nodes: int) -> Int[np.ndarray, "split node"]:
    """All permutations that are different splits: the second half is sorted, as the order of pairs is of no account.

    >>> len(splits(4)), len(splits(6))  # of 24 and 720 permutations
    (12, 120)
    """
    half = nodes // 2
    return np.array([order for order in permutations(range(nodes)) if list(order[half:]) == sorted(order[half:])])
