"""Which circles survive, and how many."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.observables import TwiceTheMean, separation, settle_step
from nucleate.record import NEVER, at_the_end, last_row, stayed_finite

# A set of survivors that still changed in this last part of training is not settled.
LAST_PART = 0.25

# The authors call a frequency alive that ends above 10. That is after 30,000 steps; after 1,000 the dead are still
# above it.
RULE = TwiceTheMean()

NOTHING_STANDS_OUT = "In no network does a frequency stand out yet."


def usable(record: xr.Dataset) -> xr.Dataset:
    """The networks whose survivors can be told, possibly none: they did not diverge, and a frequency stands out."""
    finite = stayed_finite(record)
    return finite.isel(member=np.flatnonzero(final_alive(finite).any(1)))


def alive(record: xr.Dataset) -> np.ndarray:
    """Which frequencies stand out, [member, step, freq]; none where nothing is recorded."""
    return np.asarray(RULE(record.signal.values, record.mean_signal.values))


def final_alive(record: xr.Dataset) -> np.ndarray:
    """Which frequencies stand out at each member's last step, [member, freq]."""
    return np.asarray(RULE(at_the_end(record, "signal"), at_the_end(record, "mean_signal")))


@dataclass(frozen=True)
class Survival:
    """How many circles each network ends with, and whether that number can be trusted."""

    count: np.ndarray
    separation: np.ndarray
    """Strongest signal over the mean. Up to 2, nothing stands out, and a count of 0 says nothing."""
    unsettled: np.ndarray
    """Whether the set of survivors changed in the last quarter of training."""

    @property
    def trusted(self) -> np.ndarray:
        """Whether any frequency stands out."""
        return self.count > 0

    def caveat(self) -> str:
        """What a reader must know about these counts."""
        return (
            f"{len(self.count)} networks: in {int((~self.trusted).sum())} no frequency stood out (excluded), and in "
            f"{int(self.unsettled.sum())} the set of survivors still changed in the last quarter of training."
        )


def survival(record: xr.Dataset) -> Survival:
    """The survivors of every network at its last step."""
    lived, last = alive(record), last_row(record)
    unsettled = np.zeros(record.sizes["member"], bool)
    for member, row in enumerate(last):
        settled = settle_step(lived[member, : row + 1], record.step.values[: row + 1])
        # A network that was stopped because its survivors were clear is settled by that.
        stopped = "clear_step" in record and record.clear_step.values[member] == record.last_step.values[member]
        unsettled[member] = not stopped and settled > (1 - LAST_PART) * record.last_step.values[member]
    signals = at_the_end(record, "signal")
    strongest = np.asarray(separation(np.nan_to_num(signals), at_the_end(record, "mean_signal")))
    return Survival(final_alive(record).sum(1), strongest, unsettled)


def merged(*parts: Survival) -> Survival:
    """Several fleets as one."""
    return Survival(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("count", "separation", "unsettled"))
    )


def generalised(record: xr.Dataset) -> np.ndarray:
    """Which networks reached 99 % test accuracy."""
    return record.test99_step.values != NEVER
