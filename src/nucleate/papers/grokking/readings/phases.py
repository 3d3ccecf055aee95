"""Phases of learning, of the networks of any record that crosses 90 % on training and validation data."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import xarray as xr

from nucleate.claims import Estimate, bootstrap, share
from nucleate.observables import Phase, phase
from nucleate.papers.grokking.experiments import TABLE_1_DELAY, TABLE_1_STEPS
from nucleate.record import NEVER, Outcome


def steps_to(record: xr.Dataset, crossing: str) -> np.ndarray:
    """The step at which each member crossed a threshold; infinite if it did not."""
    steps = record[f"{crossing}_step"].values.astype(float)
    return np.where(steps == NEVER, np.inf, steps)


def phase_of(record: xr.Dataset) -> np.ndarray:
    """The phase of every member within the run's steps; -1 for one that diverged."""
    found = phase(record.train90_step.values, record.valid90_step.values)
    return np.where(record.outcome.values == Outcome.DIVERGED, -1, found)


def possible_phases(record: xr.Dataset) -> np.ndarray:
    """The phases [member, phase] in which members may be when the steps of Table 1 have passed; none if one diverged.

    One whose validation accuracy has crossed keeps its phase for good. One that has fitted its training set long ago
    can no longer comprehend, but it may still grok.
    """
    train, valid = record.train90_step.values, record.valid90_step.values
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
    def of(cls, record: xr.Dataset, chosen: np.ndarray, *wanted: Phase) -> "Hits":
        """Of the chosen members that did not diverge."""
        possible = possible_phases(record)
        chosen = chosen & possible.any(1)
        perhaps = possible[:, list(wanted)].any(1)
        surely = ~possible[:, [p for p in Phase if p not in wanted]].any(1)
        now = np.isin(phase_of(record), wanted)
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
            return bootstrap(lambda a, b: a.mean() - b.mean(), here, there, apart=True, bounds=(0, 1))

        return difference(self.now, other.now).or_later(
            difference(self.surely, other.perhaps), difference(self.perhaps, other.surely)
        )


def _among(*phases: Phase) -> np.ndarray:
    return np.isin(np.arange(len(Phase)), phases)


def census(record: xr.Dataset) -> str:
    """How many members are in which phase."""
    codes = phase_of(record)
    counts = ", ".join(f"{int(np.sum(codes == p))} {p.name.lower()}" for p in Phase)
    return f"{len(codes)} networks within {int(record.steps):,} steps: {counts}."


def phase_map(
    record: xr.Dataset, x: str, y: str, phases: Callable[[xr.Dataset], np.ndarray] = phase_of
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Phases over two hyperparameters: (codes[y, x, network], x values, y values); -1 where there are no more networks.

    All networks of a cell count, whatever else tells them apart.
    """
    axes = [np.unique(record[name].values) for name in (y, x)]
    row, column = (np.searchsorted(axis, record[name].values) for axis, name in zip(axes, (y, x), strict=True))
    cell = row * len(axes[1]) + column
    order = np.argsort(cell, kind="stable")
    place = np.empty(len(cell), int)
    place[order] = np.arange(len(cell)) - np.searchsorted(cell[order], cell[order])
    codes = np.full((len(axes[0]), len(axes[1]), place.max() + 1), -1)
    codes[row, column, place] = phases(record)
    return codes, axes[1], axes[0]
