"""`nucleate runs` and `nucleate show`: looking at what there is."""

import sys
from dataclasses import dataclass
from pathlib import Path

import tyro
from rich.table import Table

from nucleate.cli.experiments import RUNS
from nucleate.cli.printing import aligned, command, say, show, width


@dataclass(frozen=True)
class Runs:
    """List the runs below a folder.

    Examples:
      nucleate runs
      nucleate runs --root /data/nucleate
    """

    root: Path = RUNS
    """Where to look."""

    def __call__(self) -> None:
        from nucleate.record import RunError, list_runs

        runs = list_runs(self.root)
        if not runs:
            say(f"No runs below {self.root}. Start one:", command("nucleate", "tour"))
            return
        rows: list[tuple] = [("status", "networks", "steps", "seconds", "created", "experiment")]
        unreadable: list[str] = []
        for run in runs:
            try:
                rows.append(_facts(run))
            except RunError as problem:
                unreadable.append(str(problem))
                rows.append(("unreadable", *"–" * 5))
        paths = ["run", *(run.path for run in runs)]
        lines = aligned((*row, path) for row, path in zip(rows, paths, strict=True))
        if sys.stdout.isatty() and max(map(len, lines)) > width():  # a path for itself, that it may be copied
            lines = [f"{path}\n  {line}" for path, line in zip(paths, aligned(rows), strict=True)]
        for number, line in enumerate(lines):
            say(line, style="bold" if number == 0 else "")
        for problem in unreadable:
            say("unreadable:", problem)


@dataclass(frozen=True)
class Show:
    """Describe a run: what it is, how it went, what it recorded. Every chunk of its record is checked. Of a
    replication, list the verdicts and the runs.

    Examples:
      nucleate show runs/tour
      nucleate show runs/tour/data-size
    """

    run: tyro.conf.Positional[Path]
    """The folder of the run or replication."""

    def __call__(self) -> None:
        if (self.run / "replication.json").exists():
            self._replication()
        else:
            self._run()

    def _replication(self) -> None:
        from nucleate.claims import summary
        from nucleate.papers import Replication

        replication = Replication.open(self.run)
        about = replication.about
        say(f"{about.title}: {about.target} at the {about.budget} budget, {about.created[:16].replace('T', ' ')}")
        for run in replication.runs():
            say("run:", run.path)
        if not replication.scorecard.exists():
            say("Unfinished:", command("nucleate", "resume", self.run))
            return
        rows = replication.rows()
        for line in aligned((row.verdict, row.reason or "–", row.claim, row.statement) for row in rows):
            say(line)
        say(summary(rows))

    def _run(self) -> None:
        import xarray

        from nucleate.record import Outcome, Run, verify
        from nucleate.record.document import fields

        run = Run.open(self.run)
        about = run.about
        say(run.path)
        table = Table(show_header=False)
        for key, value in fields(about).items():
            text = (
                ", ".join(f"{k} {v}" for k, v in value.items() if v is not None)
                if isinstance(value, dict)
                else str(value)
            )
            table.add_row(key, text)
        show(table)
        if about.status != "complete" and not run.record_path.exists():
            say("No record yet.")
            return
        if about.status == "complete":
            verify(run.record_path)
        record = run.record()
        counts = {o.name.lower(): int((record.outcome == o).sum()) for o in Outcome}
        say("Members:", ", ".join(f"{count} {name}" for name, count in counts.items() if count))
        with xarray.set_options(display_max_rows=100):  # everything recorded, whatever its order in the store
            say(record)
        if about.status != "complete":
            say("Unfinished:", command("nucleate", "resume", run.path) if about.by is None else run.way_on)


def _facts(run) -> tuple:
    """What the list of runs says of one, beside its path."""
    about = run.about
    created = about.created[:16].replace("T", " ")
    return run.state, about.members, about.steps, about.seconds, created, about.what
