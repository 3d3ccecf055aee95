"""What heads have become, and when.

A head's score is the share of its attention on particles within 1.25, in units in which uniform attention has 0: in
the paper's box, where that share is 0.04, scores hardly change. A head that looks at hardly anyone has 0, too.
"""

import numpy as np
import xarray as xr
from jaxtyping import Float, Int8

from nucleate.observables import CollisionScore, head_class
from nucleate.record import NEVER

LEAST_ATTENTION = 0.1
"""Attention on particles below which a head looks at hardly anyone, and its `frac` says nothing."""


def _scores(record: xr.Dataset) -> CollisionScore:
    return CollisionScore(
        record.raw.values, record.frac.values, record.total.values, np.asarray(record.uniform_score.values)
    )


def gated(record: xr.Dataset) -> Float[np.ndarray, "member step block head"]:
    """`frac`, but 0 for heads that look at hardly anyone."""
    return np.asarray(_scores(record).gated(LEAST_ATTENTION))


def corrected(record: xr.Dataset) -> Float[np.ndarray, "member step block head"]:
    """The score by which heads are classified: `frac`, with 0 for a head that looks at all alike or at hardly
    anyone."""
    score = _scores(record)
    return np.where(np.asarray(score.total) >= LEAST_ATTENTION, np.asarray(score.corrected), 0.0)


def final_class(record: xr.Dataset) -> Int8[np.ndarray, "member block head"]:
    """What each head has become: see `HeadClass`."""
    return head_class(corrected(record)[:, -1])


def formation_step(record: xr.Dataset, level: float = 0.5) -> np.ndarray:
    """The first recorded step from which on a head's score is never below `level` again; −1 if there is none.

    [member, block, head].
    """
    above = corrected(record) >= level
    stays = np.flip(np.logical_and.accumulate(np.flip(above, 1), 1), 1)
    return np.where(stays[:, -1], record.step.values[np.argmax(stays, 1)], NEVER)
