"""What each command does. Heavy imports live inside: a command pays for what it uses."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro
from rich.console import Console
from rich.table import Table

from nucleate.cli.experiments import RUNS, resume_run
from nucleate.cli.parsing import UsageError


@dataclass(frozen=True)
class Tour:
    """Re-run the grokking paper's claims at the quick budget, in about three minutes, and write a report.

    Examples:
      nucleate tour
      nucleate tour --out /tmp/tour
    """

    out: Path = RUNS / "tour"
    """Where to put the runs and the report."""

    def __call__(self) -> int:
        code = _replicate("grokking", "quick", self.out)
        Console().print(
            "Next: open the report in a browser, then [bold]nucleate list[/bold], "
            "[bold]nucleate replicate grokking --budget standard[/bold]"
        )
        return code


@dataclass(frozen=True)
class List:
    """List papers with their claims and experiments.

    Examples:
      nucleate list
      nucleate list grokking
    """

    paper: Annotated[str | None, tyro.conf.arg(metavar="[PAPER]"), tyro.conf.Positional] = None
    """Only this paper."""

    def __call__(self) -> None:
        from nucleate.machine import use_compile_cache
        from nucleate.papers import PAPERS, Budget, awaited

        use_compile_cache()  # how many networks there are may depend on which splits are feasible
        console = Console()
        for paper in map(_paper, PAPERS if self.paper is None else [self.paper]):
            console.print(f"[bold]{paper.name}[/bold]  {paper.title}. {paper.reference}\n")
            experiments = Table(
                "experiment", "networks", "steps", title="experiments (standard size)", title_justify="left"
            )
            for name, experiment in paper.at(Budget.STANDARD).items():
                if source := awaited(experiment):
                    experiments.add_row(name, "–", f"after {source}")
                    continue
                plan = experiment.plan(name)
                experiments.add_row(name, str(plan.members.count), str(plan.steps))
            console.print(experiments)
            claims = Table("claim", "where", "statement", "needs", title="claims", title_justify="left")
            for claim in paper.claims:
                needs = ", ".join(name.split("/")[1] for name in claim.needs) or "no training"
                claims.add_row(claim.id, claim.source, claim.statement, needs)
            console.print(claims)


@dataclass(frozen=True)
class Replicate:
    """Measure a paper's claims, or one claim, and print verdicts. An interrupted replication is continued.

    Examples:
      nucleate replicate grokking --budget quick
      nucleate replicate grokking/3
      nucleate replicate --json scorecard.json
    """

    target: Annotated[str | None, tyro.conf.arg(metavar="[PAPER|CLAIM]"), tyro.conf.Positional] = None
    """A paper (grokking) or a claim (grokking/14); all papers if left out."""
    budget: Literal["quick", "standard", "paper"] = "standard"
    """quick: minutes; standard: up to 45 minutes per paper; paper: the paper's own sizes."""
    out: Path | None = None
    """Where to put the runs and the report; runs/PAPER-BUDGET if left out."""
    json: Path | None = None
    """Also write the scorecard to this file."""
    fresh: bool = False
    """Discard what an earlier replication left in the folder."""

    def __call__(self) -> int:
        from nucleate.claims import write_json
        from nucleate.papers import PAPERS, Replication

        names = [self.target] if self.target else list(PAPERS)
        rows, code = [], 0
        for name in names:
            _paper(name.split("/")[0])
            out = self.out or RUNS / f"{name.replace('/', '-')}-{self.budget}"
            out = out / name.replace("/", "-") if self.out and len(names) > 1 else out
            if self.fresh and Replication(out).exists():
                Replication(out).discard()
            code = max(code, _replicate(name, self.budget, out))
            rows += Replication.open(out).rows()
        if self.json:
            write_json(rows, self.json, public=True)
        return code


@dataclass(frozen=True)
class Resume:
    """Continue a run or a replication that was interrupted. The result is as if nothing had happened.

    Examples:
      nucleate resume runs/tour
      nucleate resume runs/grokking-phase-rates-1f2e3d4c
    """

    run: tyro.conf.Positional[Path]
    """The folder of the run."""

    def __call__(self) -> int:
        from nucleate.papers import Replication

        replication = Replication(self.run)
        if replication.exists():
            about = replication.about
            return _replicate(about["target"], about["budget"], self.run)
        resume_run(self.run)
        return 0


@dataclass(frozen=True)
class Report:
    """Write a run or a replication as one self-contained HTML page.

    Examples:
      nucleate report runs/tour
    """

    run: tyro.conf.Positional[Path]
    """The folder of the run."""

    def __call__(self) -> None:
        from nucleate.papers import Replication, write_replication_report
        from nucleate.record import Run
        from nucleate.report import write_run_report

        if Replication(self.run).exists():
            report = write_replication_report(Replication.open(self.run))
        else:
            report = write_run_report(Run.open(self.run))
        Console().print(f"Report: [bold]{report}[/bold]")


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
        from nucleate.record import list_runs

        runs = list_runs(self.root)
        if not runs:
            Console().print(f"No runs below {self.root}. Start one: nucleate tour")
            return
        table = Table("run", "experiment", "status", "networks", "steps", "seconds", "created")
        for run in runs:
            about = run.about
            if about["status"] == "running" and not run.is_held():
                about["status"] = "interrupted"
            cells = [about.get(key, "–") for key in ("experiment", "status", "members", "steps", "seconds", "created")]
            table.add_row(str(run.path), *map(str, cells))
        Console().print(table)


@dataclass(frozen=True)
class Show:
    """Describe a run: what it is, how it went, what it recorded. Every chunk of its record is checked.

    Examples:
      nucleate show runs/tour/data-size
    """

    run: tyro.conf.Positional[Path]
    """The folder of the run."""

    def __call__(self) -> None:
        import xarray

        from nucleate.record import Outcome, Run, verify

        run = Run.open(self.run)
        console = Console()
        table = Table(show_header=False, title=str(run.path), title_justify="left")
        for key, value in run.about.items():
            text = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else str(value)
            table.add_row(key, text)
        console.print(table)
        if not run.record_path.exists():
            console.print("No record yet.")
            return
        if run.status == "complete":
            verify(run.record_path)
        record = run.record()
        counts = {o.name.lower(): int((record.outcome == o).sum()) for o in Outcome}
        console.print("Members: " + ", ".join(f"{count} {name}" for name, count in counts.items() if count))
        with xarray.set_options(display_max_rows=100):  # everything recorded, whatever its order in the store
            print(record)
        if run.status != "complete":
            console.print(f"Unfinished: [bold]nucleate resume {run.path}[/bold]")


def _replicate(target: str, budget: str, out: Path) -> int:
    """Replicate, write the report, then say what was found; the exit code."""
    from nucleate.claims import summary, to_table
    from nucleate.fleet import Bar, Interruption
    from nucleate.papers import Budget, replicate, write_replication_report

    paper = _paper(target.split("/")[0])
    claims = tuple(claim for claim in paper.claims if claim.id in target.split(", "))
    if "/" in target and not claims:
        raise UsageError(f"there is no claim '{target}'; `nucleate list {paper.name}` shows those of {paper.name}.")
    try:
        replication = replicate(paper, Budget(budget), out, claims=claims, watch=Bar())
        report = write_replication_report(replication)
    except KeyboardInterrupt:
        raise Interruption(out) from None
    rows, failures = replication.rows(), replication.failures
    console = Console()
    if not console.is_terminal:  # a log has no width of its own
        console = Console(width=140)
    console.print(to_table(rows, f"{paper.title} ({budget})"))
    console.print(summary(rows))
    for failure in failures:
        console.print(f"failed: {failure}", style="red", markup=False)
    if failures:
        console.print(f"{len(failures)} failed; the tracebacks are in {out / 'failures.log'}", markup=False)
    console.print(f"\nReport: {report}", markup=False)
    return 1 if failures else 0


def _paper(name: str):
    from nucleate.papers import paper

    try:
        return paper(name)
    except LookupError as mistake:
        raise UsageError(str(mistake)) from None


COMMANDS: dict[str, type] = {
    "tour": Tour,
    "list": List,
    "replicate": Replicate,
    "resume": Resume,
    "report": Report,
    "runs": Runs,
    "show": Show,
}
