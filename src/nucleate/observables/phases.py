"""The four phases of learning, and where they lie in a diagram."""

from enum import IntEnum

import numpy as np
from jaxtyping import Array, ArrayLike, Bool, Float, Int, Int8, Integer

from nucleate.checking import checked


class Phase(IntEnum):
    """How a training run ended.

        train crossed, validation crossed soon after → COMPREHENSION;  late → GROKKING;  never → MEMORIZATION
        train never crossed → CONFUSION

    "Crossed": the accuracy reached the threshold (0.9 in the paper). Source: [liu2022grokking], Table 1.

    >>> Phase(phase(train_step=100, valid_step=5000).item()).name
    'GROKKING'
    """

    COMPREHENSION = 0
    GROKKING = 1
    MEMORIZATION = 2
    CONFUSION = 3


@checked
def phase(
    train_step: Int[ArrayLike, "*#cell"], valid_step: Int[ArrayLike, "*#cell"], delay: int = 1000
) -> Int8[np.ndarray, "*cell"]:
    """Classify runs by the steps at which training and validation accuracy crossed the threshold.

        comprehension ⇔ t_valid − t_train < delay

    t_train, t_valid: `train_step` and `valid_step`, −1 if never crossed. See `Phase` for the other three.
    Source: [liu2022grokking], Table 1.

    >>> [Phase(code).name for code in phase(np.array([100, 100, 100]), np.array([200, 5000, -1]))]
    ['COMPREHENSION', 'GROKKING', 'MEMORIZATION']
    """
    train, valid = np.asarray(train_step), np.asarray(valid_step)
    conditions = [train < 0, valid < 0, valid - train < delay]
    outcomes = [Phase.CONFUSION, Phase.MEMORIZATION, Phase.COMPREHENSION]
    return np.select(conditions, outcomes, default=Phase.GROKKING).astype(np.int8)


@checked
def vote(
    phases: Integer[Array | np.ndarray, "..."], axis: int
) -> tuple[Int8[np.ndarray, "..."], Float[np.ndarray, "..."]]:
    """The majority phase of each cell, and the largest share of votes.

        winner = f with n_f > ½ Σ_g n_g, or −1 if there is none;    share = max_f n_f / Σ_g n_g

    n_f: number of entries of `phases` along `axis` (seeds, say) in phase f; other codes, such as −1, also vote but
    cannot win. The diagrams of [liu2022grokking], Figure 6, have one seed per cell; this is for several.

    >>> winner, share = vote(np.array([[0, 1], [0, 2], [3, 2]]), axis=0)
    >>> winner.tolist(), share.round(2).tolist()
    ([0, 2], [0.67, 0.67])
    """
    phases = np.asarray(phases)
    if not -phases.ndim <= axis < phases.ndim:
        raise ValueError(f"vote: axis must be one of the {phases.ndim} of phases; got {axis}.")
    if phases.shape[axis] == 0:
        raise ValueError(f"vote needs >= 1 entry along axis {axis}; got shape {phases.shape}.")
    shares = np.stack([(phases == code).mean(axis=axis) for code in Phase])
    most = np.asarray(shares.max(axis=0))
    return np.where(most > 0.5, shares.argmax(axis=0), -1).astype(np.int8), most


@checked
def sandwiched(grid: Integer[Array | np.ndarray, "row col"]) -> Bool[np.ndarray, "row col"]:
    """Find the grokking cells that lie between comprehension and memorisation along their row or column.

        {nearest before, nearest after} = {COMPREHENSION, MEMORIZATION}

    Nearest: the closest cell on that side whose phase is not GROKKING; a side without such a cell does not count.
    Source: Section 4.1 of [liu2022grokking].

    >>> sandwiched(np.array([[0, 1, 1, 2], [0, 1, 1, 3]])).astype(int).tolist()
    [[0, 1, 1, 0], [0, 0, 0, 0]]
    """
    grid = np.asarray(grid)
    return (grid == Phase.GROKKING) & (_between_in_row(grid) | _between_in_row(grid.T).T)


def _between_in_row(grid: np.ndarray) -> np.ndarray:
    before, after = _nearest_before(grid), _nearest_before(grid[:, ::-1])[:, ::-1]
    c, m = Phase.COMPREHENSION, Phase.MEMORIZATION
    return ((before == c) & (after == m)) | ((before == m) & (after == c))


def _nearest_before(grid: np.ndarray) -> np.ndarray:
    """Phase of the last cell up to here in its row that is not GROKKING; GROKKING if there is none."""
    column = np.where(grid != Phase.GROKKING, np.arange(grid.shape[1]), 0)
    return np.take_along_axis(grid, np.maximum.accumulate(column, axis=1), axis=1)
