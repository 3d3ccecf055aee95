"""What a paper is here: experiments, claims, figures, and how much of each a budget buys."""

import abc
import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, final

import xarray as xr

from nucleate.checking import Checked, Seed
from nucleate.claims import Claim, Evidence
from nucleate.fleet import Members, Plan, Recipe, Schedule
from nucleate.papers.config import Config
from nucleate.papers.sizes import Budget, Sizes
from nucleate.plots import Picture
from nucleate.record import naming_columns

Figure = Callable[[Evidence, Path], Picture | list[Picture] | None]
"""Draws into a folder: a picture, several, or none if the evidence has nothing to show."""

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_NO_EFFORT = Sizes(None, None, None)


class Experiment(Config, abc.ABC):
    """A typed, printable description of a fleet. Implementations are frozen dataclasses; their fields are the
    command line's options.

    If it has a field `first_seed`, from which on it counts its seeds, other networks can be trained for it; `repeats`
    names the field that says how many of each kind there are. `keep_weights`: see `Plan`; a fleet of thousands keeps
    none unless that is asked for, since they would take more room than all else.
    """

    steps: int
    block: int | None
    repeats: ClassVar[str] = "seeds"
    keep_weights: ClassVar[Schedule | None] = None

    @abc.abstractmethod
    def recipe(self) -> Recipe:
        """How one network is made and trained."""

    @abc.abstractmethod
    def members(self) -> Members:
        """The networks of the fleet."""

    @final
    def plan(self, name: str) -> Plan:
        """The fleet to train; `name` and this config go into its run.json."""
        if source := awaited(self):
            raise ValueError(f"{type(self).__name__} is made from the record of {source}, which is not there yet.")
        about = {"experiment": name, "config": self.to_json()}
        return Plan(self.recipe(), self.members(), self.steps, self.block, about, self.keep_weights, made_by=type(self))

    @final
    def reseeded(self, by: int, times: int = 1) -> "Experiment":
        """The same experiment with other networks: every seed shifted, and N times as many of each kind."""
        changes = {"first_seed": by} if by else {}
        changes |= {self.repeats: (times - 1) * getattr(self, self.repeats, 0)} if times > 1 else {}
        if lacking := [name for name in changes if not hasattr(self, name)]:
            raise ValueError(
                f"{type(self).__name__} has no field {lacking[0]}, which its `members` would count by: add one, for "
                "other networks to be trained."
            )
        changes = {name: getattr(self, name) + more for name, more in changes.items()}
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]


class Sequel(Experiment):
    """An experiment that is made from what another one found.

    While it `awaits` another it has no plan; `after(record)` is the same experiment with what it needs from the
    other's record filled in. So the config in a run's folder says everything about what was trained:

        @dataclass(frozen=True)
        class Slower(Sequel):
            factor: float = 0.5
            eta: float | None = None  # filled in by `after`

            @property
            def awaits(self) -> str:
                return "toy/first" if self.eta is None else ""

            def after(self, record: xr.Dataset) -> "Slower":
                return replace(self, eta=self.factor * float(record.eta.max()))
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


def ready(experiment: Experiment, record_of: Callable[[str], xr.Dataset]) -> Experiment:
    """The experiment with everything it awaits filled in; `record_of` finds, or trains, what is asked for."""
    while isinstance(experiment, Sequel) and (source := experiment.awaits):
        record = record_of(source)
        with naming_columns(lambda source=source, record=record: {source: record}):
            experiment = experiment.after(record)
        if awaited(experiment) == source:
            raise ValueError(
                f"{type(experiment).__name__}.after must answer with an experiment that no longer awaits {source}: let "
                "`awaits` be empty once the fields that `after` fills in are there."
            )
    return experiment


@dataclass(frozen=True)
class Paper(Checked):
    """A paper, wired from the rooms below: one row for each experiment, with its three sizes.

    `effort`: what measurements that train nothing may cost, as a dataclass of the paper's own. A sequel comes after
    what it awaits. `portraits`: figures for which the record of one experiment is enough, drawn for any run of it.
    `seeds_from`: by how much all seeds of its experiments are shifted, see `reseeded`.
    """

    name: str
    title: str
    reference: str
    claims: tuple[Claim, ...]
    experiments: Mapping[str, Sizes[Any]]
    effort: Sizes[Any] = _NO_EFFORT
    figures: tuple[Figure, ...] = ()
    portraits: Mapping[str, tuple[Figure, ...]] = field(default_factory=dict)
    seeds_from: Seed = 0

    def check(self) -> None:
        if not _WORD.fullmatch(self.name):
            self.refuse("name", f"must be a word of letters, digits, '-' and '_', such as 'parity'; got '{self.name}'")
        if unknown := self.portraits.keys() - self.experiments.keys():
            raise ValueError(
                f"Paper {self.name} has portraits of {sorted(unknown)}; there are {list(self.experiments)}."
            )
        for name in [*self.experiments, *(claim.id for claim in self.claims)]:
            if not name.startswith(f"{self.name}/"):
                raise ValueError(f"Paper {self.name}: names begin with '{self.name}/'; got '{name}'.")
        ids = [claim.id for claim in self.claims]
        if len(set(ids)) < len(ids):
            raise ValueError(f"Paper {self.name} has two claims with the same id; got {ids}.")
        for claim in self.claims:
            if unknown := set(claim.needs) - self.experiments.keys():
                raise ValueError(f"Claim {claim.id} needs {sorted(unknown)}; there are {list(self.experiments)}.")
        for budget in Budget:
            before: set[str] = {""}
            for name, experiment in self.at(budget).items():
                if (source := awaited(experiment)) not in before:
                    raise ValueError(f"Paper {self.name}: {name} awaits {source}, which must come before it.")
                before.add(name)

    def reseeded(self, by: int) -> "Paper":
        """The same paper with other networks: the seeds of all experiments are shifted."""
        experiments = {name: sizes.each(lambda sized: sized.reseeded(by)) for name, sizes in self.experiments.items()}
        return dataclasses.replace(self, experiments=experiments, seeds_from=self.seeds_from + by)

    def at(self, budget: Budget) -> dict[str, Experiment]:
        """Every experiment that a budget has, at its size."""
        sized = {name: sizes.at(budget) for name, sizes in self.experiments.items()}
        return {name: experiment for name, experiment in sized.items() if experiment is not None}

    def left_out(self, claim: Claim, budget: Budget) -> tuple[str, ...]:
        """The experiments that a claim looks at and a budget does not have: if there are any, it is not judged."""
        return tuple(name for name in claim.needs if self.experiments[name].at(budget) is None)

    def needed(self, claims: Iterable[Claim], budget: Budget) -> list[str]:
        """The experiments that claims look at, and those that must be trained before them, in the order of training."""
        experiments = self.at(budget)
        needed = {name for claim in claims if not self.left_out(claim, budget) for name in claim.needs}
        while more := {awaited(experiments[name]) for name in needed} - needed - {""}:
            needed |= more
        return [name for name in experiments if name in needed]
