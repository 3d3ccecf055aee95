"""From when on networks can be judged: before heads form, and before a network has learned, it is too early.

A network that explains nine tenths of the variance of accelerations has finished learning. One that has not, counts for
a claim with what it shows, and against none: what it lacks may still come.
"""

import numpy as np
import xarray as xr

from nucleate.claims import When, words
from nucleate.observables import HeadClass
from nucleate.papers.collisions.experiments import BOX
from nucleate.papers.collisions.readings.heads import final_class, formation_step
from nucleate.record import NEVER, stayed_finite

UNEXPLAINED = round(1 - words.EXPLAINS.low, 6)
"""Of the variance of accelerations: a network that leaves more unexplained has not finished learning."""

_PARTIAL = 0.3  # as for `head_class`
_OCTAVE = 2.0


def finished(record: xr.Dataset) -> np.ndarray:
    """Which networks have finished learning, [member]."""
    return record.fvu.values[:, -1] <= UNEXPLAINED


def settled(record: xr.Dataset) -> np.ndarray:
    """Which collision heads have been such for the last octave of training, or longer, [member, block, head]."""
    since = formation_step(record, _PARTIAL)
    return (since != NEVER) & (_OCTAVE * since <= record.step.values[-1])


def _most(holds: np.ndarray) -> bool:
    """Whether something holds for most networks; where no network is left, none is still to come."""
    return not len(holds) or bool(holds.mean() > words.MOST.low)


def _developed(record: xr.Dataset) -> bool:
    record = stayed_finite(record)
    have_one = (final_class(record) == HeadClass.TRUE).any(axis=(1, 2))
    return _most(np.asarray(have_one | finished(record)))


def _have_settled(record: xr.Dataset) -> bool:
    return _most(np.asarray(settled(stayed_finite(record)).any(axis=(1, 2))))


DEVELOPED = When("most networks have a true collision head or have finished learning", BOX, _developed)
SETTLED = When("most networks have a head that has detected collisions for an octave", BOX, _have_settled)
