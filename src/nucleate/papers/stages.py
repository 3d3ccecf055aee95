"""Stages: further runs of an experiment with fresh seeds, which are read as one record with the first."""

import dataclasses
from dataclasses import dataclass
from typing import Annotated, final

import xarray as xr

from nucleate.checking import Above, Checked
from nucleate.claims import SEQUENTIAL, FinishedRun, Looks
from nucleate.fleet import Members
from nucleate.papers.paper import Experiment
from nucleate.record import About, Run, RunError, joined, refuse_unlike
from nucleate.record.document import fields

APART = 10_000_000
"""Seeds from one stage to the next: more than any fleet uses, and some search through theirs."""


@dataclass(frozen=True)
class UntilDecided(Checked):
    """More networks are trained for claims that too few leave open, until all are decided or time is used up.

    `within`: seconds that the whole replication may take, what was trained before included; a stage is begun if it is
    likely to end in time. `looks`: how often claims are judged at most, and at which levels.
    """

    within: Annotated[float, Above(0)] | None = None
    looks: Looks = SEQUENTIAL


def staged(experiment: Experiment, look: int) -> Experiment:
    """The experiment as it is trained for a look: as many networks as for all looks before, with seeds of its own.

    The size depends on the number of the look alone. If it depended on what was found, a number that happens to be near
    a bound would get more chances than intervals allow for.
    """
    return experiment if look == 1 else experiment.reseeded((look - 1) * APART, times=2 ** (look - 2))


def folder_of(name: str, look: int = 1) -> str:
    """Where an experiment is trained for a look, inside of a replication's folder.

    >>> folder_of("toy/first"), folder_of("toy/first", 2)
    ('first', 'first.2')
    """
    folder = name.split("/", 1)[-1]
    return folder if look == 1 else f"{folder}.{look}"


@final
@dataclass(frozen=True)
class Stages:
    """The runs of one experiment, which are read as one."""

    runs: tuple[Run, ...]

    def record(self) -> xr.Dataset:
        return joined({str(run.path): run.record() for run in self.runs})

    def check(self) -> None:
        """Refuse runs that cannot be read as one."""
        refuse_unlike({str(run.path): run.record() for run in self.runs})

    @property
    def about(self) -> About:
        """All members and seconds, and the fewest steps; the config is that of the first."""
        every = [run.about for run in self.runs]
        further = [{key: fields(about).get(key) for key in ("created", "fingerprint", "config")} for about in every[1:]]
        return dataclasses.replace(
            every[0],
            members=sum(about.members for about in every),
            steps=min(about.steps for about in every),
            seconds=sum(about.seconds for about in every),
            rest={**every[0].rest, "stages": further},
        )


def as_one(runs: tuple[Run, ...]) -> FinishedRun:
    """One run is itself; several are read as one."""
    return runs[0] if len(runs) == 1 else Stages(runs)


def refuse_unfit(name: str, members: Members, earlier: tuple[Run, ...]) -> None:
    """Refuse to train a stage that could not be read with the runs before it: of networks that there are already, by
    any kind of seed, or of other columns."""
    for run in earlier:
        record = run.record()
        if unknown := sorted(members.keys() - set(map(str, record.variables))):
            raise RunError(
                f"{name}: its next stage would have a column '{unknown[0]}', which {run.path} has not; its `members` "
                "must make the same columns for every `first_seed`."
            )
        for column in (column for column in members if column.startswith("seed")):
            if common := sorted(set(members[column].tolist()) & set(record[column].values.tolist())):
                raise RunError(
                    f"{name}: its next stage would train networks of {run.path} again, which has {column} {common[0]}, "
                    "too; its `members` must count seeds from `first_seed`."
                )
