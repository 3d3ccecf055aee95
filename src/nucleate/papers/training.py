"""Training the experiments of a replication, and their stages."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from nucleate.claims import FinishedRun
from nucleate.fleet import Allow, Watcher, train
from nucleate.papers.paper import Budget, Paper, ready
from nucleate.papers.replication import Replication, Stage
from nucleate.papers.stages import Stages, as_one, folder_of, refuse_unfit, staged
from nucleate.record import Run


@dataclass
class Trainer:
    """Trains what is asked for, once, and knows what it has trained: by experiment, the run for each look."""

    replication: Replication
    paper: Paper
    watch: Watcher
    allow: Allow
    on: Any = None
    runs: dict[str, dict[int, Run]] = field(default_factory=dict)

    def train(self, name: str, look: int = 1) -> Run:
        """The run of an experiment for a look. A sequel is made from what it awaits, as trained for that look."""
        runs = self.runs.get(name, {})
        if look not in runs:  # a sequel, filled in, may await yet another
            about = self.replication.about
            experiment = staged(self.paper.at(about.budget)[name], look)
            plan = ready(experiment, lambda source: self.train(source, look).record()).plan(name)
            if look > 1:
                refuse_unfit(name, plan.members, tuple(runs.values()))
                stages = dict.fromkeys([*about.stages, Stage(name, look)])
                folders = dict.fromkeys([*about.runs, folder_of(name, look)])
                self.replication.update(stages=[vars(stage) for stage in stages], runs=list(folders))
            runs = runs | {
                look: train(
                    plan,
                    self.replication.path / folder_of(name, look),
                    on=self.on,
                    watch=self.watch,
                    allow=self.allow | (Allow.LONG if about.budget is Budget.PAPER else Allow.NOTHING),
                )
            }
            self.runs[name] = runs
            if look > 1:
                Stages(tuple(runs.values())).check()
        return runs[look]

    def until(self, look: int) -> dict[str, FinishedRun]:
        """Each experiment, with all its runs up to a look."""
        return {
            name: as_one(tuple(run for number, run in sorted(runs.items()) if number <= look))
            for name, runs in self.runs.items()
            if min(runs) <= look
        }

    def has(self, names: Iterable[str], look: int) -> bool:
        """Whether experiments were trained for a look."""
        return all(look in self.runs.get(name, ()) for name in names)

    def seconds(self, name: str, look: int) -> float:
        """What an experiment will take for a look, judging by the runs before; nothing if it has been begun."""
        runs = self.runs.get(name, {})
        if Stage(name, look) in self.replication.about.stages or look in runs:
            return 0.0
        first = runs[1].about
        before = [run.about for run in runs.values()]
        pace = sum(about.seconds for about in before) / sum(about.members for about in before)
        return pace * first.members * 2 ** (look - 2)

    def spent(self) -> float:
        """What all runs have cost so far, in this session and before."""
        return sum(run.about.seconds for run in self.replication.runs() if (run.path / "run.json").exists())
