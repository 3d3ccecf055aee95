"""Phases of learning, of the networks of any record that crosses 90 % on training data, and a threshold on validation
data: 90 % (`VALID`) or, for digits, 60 %."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.claims import Estimate, difference_of_shares, share
from nucleate.observables import Phase, phase
from nucleate.papers.grokking.experiments import TABLE_1_DELAY, TABLE_1_STEPS
from nucleate.record import NEVER, Outcome

VALID = "valid90"
"""The crossing that Table 1 calls generalisation."""


def steps_to(record: xr.Dataset, crossing: str) -> np.ndarray:
    """The step at which each member crossed a threshold; infinite if it did not."""
    steps = record[f"{crossing}_step"].values.astype(float)
    return np.where(steps == NEVER, np.inf, steps)


def phase_of(record: xr.Dataset, valid: str = VALID) -> np.ndarray:
    """The phase of every member within the run's steps; -1 for one that diverged."""
    found = phase(record.train90_step.values, record[f"{valid}_step"].values)
    return np.where(record.outcome.values == Outcome.DIVERGED, -1, found)


def possible_phases(record: xr.Dataset, crossing: str = VALID) -> np.ndarray:
    """The phases [member, phase] in which members may be when the steps of Table 1 have passed; none if one diverged.

    One whose validation accuracy has crossed keeps its phase for good. One that has fitted its training set long ago
    can no longer comprehend, but it may still grok.
    """
    train, valid = record.train90_step.values, record[f"{crossing}_step"].values
    possible = np.eye(len(Phase), dtype=bool)[phase(train, valid)]
    if is_short(record):
        fitted, arrived = train != NEVER, valid != NEVER
        possible[~fitted & arrived] |= _among(Phase.COMPREHENSION)
        possible[~fitted & ~arrived] = True
        possible[fitted & ~arrived] |= _among(Phase.GROKKING)
        possible[fitted & ~arrived & (int(record.steps) - train < TABLE_1_DELAY)] |= _among(Phase.COMPREHENSION)
    possible[record.outcome.values == Outcome.DIVERGED] = False
    return possible


def is_short(record: xr.Dataset) -> bool:
    """Whether the run is shorter than the phases of Table 1 ask for."""
    return int(record.steps) < TABLE_1_STEPS


@dataclass(frozen=True)
class Hits:
    """Which members are in one of some phases: now, and, when the steps of Table 1 have passed, surely or perhaps."""

    now: np.ndarray
    surely: np.ndarray
    perhaps: np.ndarray

    @classmethod
    def of(cls, record: xr.Dataset, chosen: np.ndarray, *wanted: Phase, valid: str = VALID) -> "Hits":
        """Of the chosen members that did not diverge."""
        possible = possible_phases(record, valid)
        chosen = chosen & possible.any(1)
        perhaps = possible[:, list(wanted)].any(1)
        surely = ~possible[:, [p for p in Phase if p not in wanted]].any(1)
        now = np.isin(phase_of(record, valid), wanted)
        return cls(now[chosen], np.asarray(surely)[chosen], np.asarray(perhaps)[chosen])

    def __add__(self, other: "Hits") -> "Hits":
        return Hits(
            *(np.concatenate([getattr(self, name), getattr(other, name)]) for name in ("now", "surely", "perhaps"))
        )

    def __len__(self) -> int:
        return len(self.now)

    def share(self) -> Estimate:
        """The share of hits, with an interval that allows for those members whose phase may still change."""
        now, surely, perhaps = (share(int(hits.sum()), len(hits)) for hits in (self.now, self.surely, self.perhaps))
        return now.or_later(surely, perhaps)

    def minus(self, other: "Hits") -> Estimate:
        """The share of hits here minus that among others, in the same way."""

        def difference(here: np.ndarray, there: np.ndarray) -> Estimate:
            return difference_of_shares((int(here.sum()), len(here)), (int(there.sum()), len(there)))

        return difference(self.now, other.now).or_later(
            difference(self.surely, other.perhaps), difference(self.perhaps, other.surely)
        )


def _among(*phases: Phase) -> np.ndarray:
    return np.isin(np.arange(len(Phase)), phases)


def census(record: xr.Dataset, valid: str = VALID) -> str:
    """How many members are in which phase, and how many diverged."""
    codes = phase_of(record, valid)
    counts = ", ".join(f"{int(np.sum(codes == p))} {p.name.lower()}" for p in Phase)
    diverged = f"; {int(np.sum(codes < 0))} diverged" if np.any(codes < 0) else ""
    return f"{len(codes)} networks within {int(record.steps):,} steps: {counts}{diverged}."


def phase_map(record: xr.Dataset, x: str, y: str, valid: str = VALID) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Phases over two hyperparameters: (codes[y, x, network], x values, y values); -1 where a network diverged, or
    there are no more of them.

    All networks of a cell count, whatever else tells them apart.
    """
    axes = [np.unique(record[name].values) for name in (y, x)]
    row, column = (np.searchsorted(axis, record[name].values) for axis, name in zip(axes, (y, x), strict=True))
    cell = row * len(axes[1]) + column
    order = np.argsort(cell, kind="stable")
    place = np.empty(len(cell), int)
    place[order] = np.arange(len(cell)) - np.searchsorted(cell[order], cell[order])
    codes = np.full((len(axes[0]), len(axes[1]), place.max() + 1), -1)
    codes[row, column, place] = phase_of(record, valid)
    return codes, axes[1], axes[0]
