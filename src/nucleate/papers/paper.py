"""What a paper is here: experiments, claims, figures, and how much of each a budget buys."""

import abc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import xarray as xr

from nucleate.claims import Claim, Evidence
from nucleate.explorer import FigureEntry
from nucleate.fleet import Plan


class Budget(StrEnum):
    """How much a replication may cost."""

    QUICK = "quick"
    STANDARD = "standard"
    PAPER = "paper"


class Experiment(abc.ABC):
    """A typed, printable description of a fleet. Implementations are frozen dataclasses; their fields are the
    command line's options."""

    @abc.abstractmethod
    def plan(self, name: str) -> Plan:
        """The fleet to train, with `name` and this config in its `about`."""


class Sequel(Experiment):
    """An experiment that may be made from what another one found.

    While it `awaits` another it has no plan; `after(record)` is the same experiment with what it needs of the other's
    record filled in. So the config in a run's folder says all of what was trained.
    """

    @property
    @abc.abstractmethod
    def awaits(self) -> str:
        """The name of the experiment that must be trained first; empty if there is none, or no longer."""

    @abc.abstractmethod
    def after(self, record: xr.Dataset) -> "Sequel":
        """This experiment, given the record of the one it awaits."""


def awaited(experiment: Experiment) -> str:
    """The name of the experiment that this one awaits; empty if there is none."""
    return experiment.awaits if isinstance(experiment, Sequel) else ""


@dataclass(frozen=True)
class Effort:
    """What a budget buys: each experiment at a size, and a number of samples for what needs no training."""

    experiments: Mapping[str, Experiment]
    samples: int


@dataclass(frozen=True)
class Paper:
    """A paper, wired from the rooms below.

    `efforts[budget]` has the same experiment names for every budget; a sequel comes after what it awaits.
    `draw(evidence, folder)` makes the figures.
    """

    name: str
    title: str
    reference: str
    claims: tuple[Claim, ...]
    efforts: Mapping[Budget, Effort]
    draw: Callable[[Evidence, Path], list[FigureEntry]]

    @property
    def experiments(self) -> Mapping[str, Experiment]:
        """Every experiment, at its default size."""
        return self.efforts[Budget.STANDARD].experiments
