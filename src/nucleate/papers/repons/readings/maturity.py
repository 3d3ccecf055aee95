"""When networks have come far enough for their configurations to count as final."""

import numpy as np
import xarray as xr

from nucleate.claims import words
from nucleate.observables import is_canonical
from nucleate.record import at_the_end, stayed_finite

_LATE = 2 / 3  # of the training: from here to the end configurations must last
_FEWEST = 1000  # networks: a hundred for each of ten potentials, some of which are held out


def have_settled(record: xr.Dataset) -> bool:
    """Whether nearly all networks in d = 1 were canonical, or were not, late in training just as at the end."""
    record = stayed_finite(record)
    late = int(np.searchsorted(record.step.values, _LATE * record.step.values[-1], side="right")) - 1
    before, after = (is_canonical(record.embedding.values[:, at]) for at in (late, -1))
    return not len(after) or float(np.mean(before == after)) >= words.NEARLY_ALL.low


def have_learned(record: xr.Dataset) -> bool:
    """Whether most networks answer nearly all of the pairs that they are trained on."""
    record = stayed_finite(record)
    right = train_accuracy(record) >= words.NEARLY_ALL.low
    return not len(right) or float(right.mean()) > words.MOST.low


def train_accuracy(record: xr.Dataset) -> np.ndarray:
    """Accuracy of each network at the end on the pairs that it is trained on."""
    everywhere = at_the_end(record, "accuracy").astype(float)
    if "valid_accuracy" not in record:
        return everywhere
    pairs, seen = record.sizes["pair"], record.train_size.values
    return (pairs * everywhere - (pairs - seen) * at_the_end(record, "valid_accuracy")) / seen


def are_enough(record: xr.Dataset) -> bool:
    """Whether there are enough networks for the shape of their potentials."""
    return record.sizes["member"] >= _FEWEST
