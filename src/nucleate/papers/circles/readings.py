"""What the records of the fleets say: computed once, for claims and figures alike."""

from dataclasses import dataclass
from functools import cache

import jax
import numpy as np
import xarray as xr

from nucleate.claims import Estimate
from nucleate.observables import TwiceTheMean, circularity, separation, settle_step
from nucleate.papers.circles.starts import RandomStart
from nucleate.record import NEVER, Outcome

COMPETITION = "circles/competition"
LONG = "circles/long"
SURVIVAL = "circles/survival"
PERTURBED = "circles/perturbed"
LINES = "circles/lines"
ROUND = "circles/round"
PRIMES = "circles/primes"
COMPOSITES = "circles/composites"
DIMENSIONS = "circles/dimensions"
FROZEN = "circles/frozen"
FROZEN_LARGE = "circles/frozen-large"
DECAY = "circles/decay"
NO_DECAY = "circles/no-decay"
ABLATED = "circles/ablated"
DYNAMICS = "circles/dynamics"

# A set of survivors that still changed in this last part of training is not settled.
LAST_PART = 0.25


def enough(record: xr.Dataset, steps: int, estimate: Estimate) -> Estimate:
    """The estimate, if the run was long enough to know; one with an endless interval if not."""
    return estimate if int(record.steps) >= steps else Estimate.open(estimate.value)


def usable(record: xr.Dataset) -> xr.Dataset:
    """The networks whose survivors can be told: those that did not diverge, and in which something stands out."""
    told = (record.outcome.values != Outcome.DIVERGED) & (final_alive(record).any(1))
    if not told.any():
        raise ValueError("circles: in no network does a frequency stand out; train for more steps.")
    return record.isel(member=np.flatnonzero(told))


def last_row(record: xr.Dataset, axis: str = "step") -> np.ndarray:
    """The row of each member's last record along a step axis, wherever it stopped."""
    return np.searchsorted(record[axis].values, record.last_step.values, side="right") - 1


def final(record: xr.Dataset, name: str) -> np.ndarray:
    """Each member's last recorded value of a variable, wherever it stopped."""
    axis = record[name].dims[1]
    return record[name].values[np.arange(record.sizes["member"]), last_row(record, str(axis))]


def alive(record: xr.Dataset) -> np.ndarray:
    """Which frequencies stand out, [member, step, freq]; none where nothing is recorded."""
    return np.asarray(TwiceTheMean()(record.signal.values, record.mean_signal.values))


def final_alive(record: xr.Dataset) -> np.ndarray:
    """Which frequencies stand out at each member's last step, [member, freq]."""
    return np.asarray(TwiceTheMean()(final(record, "signal"), final(record, "mean_signal")))


@dataclass(frozen=True)
class Survival:
    """How many circles each network ends with, and whether the number can be trusted."""

    count: np.ndarray
    separation: np.ndarray
    """Strongest signal over the mean; up to 2, nothing stands out and a count of 0 says nothing."""
    unsettled: np.ndarray
    """The set of survivors changed in the last quarter of training."""

    @property
    def trusted(self) -> np.ndarray:
        return self.count > 0

    def caveat(self) -> str:
        """What a reader must know of these counts."""
        nothing = int((self.count == 0).sum())
        return (
            f"{len(self.count)} networks; in {nothing} nothing stood out (no count of those), in "
            f"{int(self.unsettled.sum())} the set of survivors still changed in the last quarter of training."
        )


def survival(record: xr.Dataset) -> Survival:
    """The survivors of every network at its last step."""
    lived, last = alive(record), last_row(record)
    unsettled = np.zeros(record.sizes["member"], bool)
    for member, row in enumerate(last):
        settled = settle_step(lived[member, : row + 1], record.step.values[: row + 1])
        # A network that was stopped because all was clear is settled by that.
        stopped = "clear_step" in record and record.clear_step.values[member] == record.last_step.values[member]
        unsettled[member] = not stopped and settled > (1 - LAST_PART) * record.last_step.values[member]
    signals = final(record, "signal")
    strongest = np.asarray(separation(np.nan_to_num(signals), final(record, "mean_signal")))
    return Survival(final_alive(record).sum(1), strongest, unsettled)


def merged(*parts: Survival) -> Survival:
    """Several fleets as one."""
    return Survival(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("count", "separation", "unsettled"))
    )


def counts_by(column: np.ndarray, found: Survival) -> str:
    """Mean count for each value of a column, in words."""
    means = []
    for value in np.unique(column):
        chosen = (column == value) & found.trusted
        means.append(f"{value:g}: {found.count[chosen].mean():.1f}" if chosen.any() else f"{value:g}: –")
    return ", ".join(means)


def initial_embedding(record: xr.Dataset, member: int) -> np.ndarray:
    """The random embedding that a member started from, made again from its seed."""
    columns = {name: record[name].values[member].item() for name in ("p", "dim", "seed_embedding")}
    return np.asarray(RandomStart()(columns))


@cache
def noise_circularity(p: int, dim: int, draws: int = 50) -> np.ndarray:
    """Circularity of every frequency of `draws` random embeddings, [draw, freq]."""
    drawn = lambda key: circularity(jax.random.normal(key, (p, dim)))
    return np.asarray(jax.jit(jax.vmap(drawn))(jax.random.split(jax.random.key(dim), draws)))


@dataclass(frozen=True)
class Rates:
    """Survival under a fixed embedding, over decoders and splits: arrays [embedding, freq]."""

    signal: np.ndarray
    rate: np.ndarray
    trials: np.ndarray
    """Networks of each embedding."""


def rates(record: xr.Dataset) -> Rates:
    """How often each frequency of each embedding survives, of networks in which that can be told."""
    record = usable(record)
    lived, start = final_alive(record), record.signal.values[:, 0]
    seeds = record.seed_embedding.values
    groups = [seeds == seed for seed in np.unique(seeds)]
    return Rates(
        np.stack([start[group].mean(0) for group in groups]),
        np.stack([lived[group].mean(0) for group in groups]),
        np.array([group.sum() for group in groups]),
    )


def reached(record: xr.Dataset, loss: float) -> np.ndarray:
    """First recorded step at which each network's test loss is at most `loss`; infinite where it never was."""
    below = np.nan_to_num(record.test_loss.values, nan=np.inf) <= loss
    step = record.step_test.values.astype(float)
    return np.where(below.any(1), step[below.argmax(1)], np.inf)


def generalised(record: xr.Dataset) -> np.ndarray:
    """Which networks reached 99 % test accuracy."""
    return record.test99_step.values != NEVER


def slingshots(loss: np.ndarray, rise: float = 10.0) -> int:
    """How often a loss rises `rise`-fold above its lowest value so far, before it falls below that value again.

    >>> slingshots(np.array([1.0, 1e-4, 1.0, 1e-5, 2e-5, 1e-2]))
    2
    """
    lowest, high, found = np.inf, False, 0
    for value in loss[np.isfinite(loss)]:
        if value > rise * lowest and not high:
            high, found = True, found + 1
        if value <= lowest:
            lowest, high = value, False
    return found
