"""What each command does. Heavy imports live inside: a command pays for what it uses."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro
from rich.text import Text

from nucleate.cli.experiments import RUNS, reseeded, resume_run, start_jax
from nucleate.cli.export import Export
from nucleate.cli.looking import Runs, Show
from nucleate.cli.parsing import UsageError, seconds
from nucleate.cli.printing import command, say, show, width
from nucleate.cli.scorecards import Scorecards


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
        further = command("nucleate", "replicate", "grokking", "--budget", "standard")
        say("Next: open the report in a browser, then", command("nucleate", "list"), "or", further)
        return code


@dataclass(frozen=True)
class List:
    """List the papers or, of one paper, its experiments and claims.

    Examples:
      nucleate list
      nucleate list grokking
    """

    paper: Annotated[str | None, tyro.conf.arg(metavar="[PAPER]"), tyro.conf.Positional] = None
    """This paper, with its experiments and claims."""

    def __call__(self) -> None:
        from nucleate.cli.papers import show_paper, show_summary
        from nucleate.papers import PAPERS, description

        if self.paper is not None:
            with _known_papers():
                described = description(self.paper)
            show_paper(described)
            return
        for name in PAPERS:
            show_summary(description(name))
        say("\nMore of one:", command("nucleate", "list", PAPERS[0]))


@dataclass(frozen=True)
class Replicate:
    """Measure a paper's claims, or one claim, and print verdicts. An interrupted replication is continued.

    Examples:
      nucleate replicate grokking --budget quick
      nucleate replicate grokking/3
      nucleate replicate all --json scorecard.json
      nucleate replicate circles --until-decided --within 2h
      nucleate replicate circles --seeds-from 1000
    """

    target: Annotated[str, tyro.conf.arg(metavar="PAPER|CLAIM|all"), tyro.conf.Positional] = ""
    """A paper (grokking), a claim (grokking/14), or all: one paper after the other."""
    budget: Literal["quick", "standard", "paper"] = "standard"
    """quick: minutes; standard: up to 45 minutes per paper; paper: the paper's own sizes."""
    out: Path | None = None
    """Where to put the runs and the report; runs/PAPER-BUDGET if left out."""
    until_decided: bool = False
    """Then train more networks, in stages, for claims that too few leave open; in five looks at most, which share the
    error probability."""
    within: str | None = None
    """With --until-decided: how long all of a paper may take, such as 90m, 2h or 1h30m; if left out, as long as it
    takes."""
    seeds_from: int = 0
    """Shift every seed by this number: do verdicts hold for other networks?"""
    json: Path | None = None
    """Also write the scorecard to this file."""
    fresh: bool = False
    """Discard what an earlier replication left in the folder."""

    def __call__(self) -> int:
        from nucleate.claims import write_json
        from nucleate.papers import PAPERS, Replication

        if not self.target:
            raise UsageError(
                "nucleate replicate: which paper or claim? `nucleate list` shows them; `nucleate replicate all` takes "
                f"every paper ({', '.join(PAPERS)}), up to 45 minutes each at the standard budget."
            )
        until_decided = self._until_decided()
        names = list(PAPERS) if self.target == "all" else [self.target]
        rows, code = [], 0
        for name in names:
            _paper(name.split("/")[0])
            out = self.out or RUNS / f"{name.replace('/', '-')}-{self.budget}{self._suffix()}"
            out = out / name.replace("/", "-") if self.out and len(names) > 1 else out
            if self.fresh and Replication(out).exists():
                Replication(out).discard()
            code = max(code, _replicate(name, self.budget, out, self.seeds_from, until_decided))
            rows += Replication.open(out).rows()
        if self.json:
            write_json(rows, self.json, public=True)
        return code

    def _until_decided(self):
        from nucleate.papers import UntilDecided

        if self.within is not None and not self.until_decided:
            raise UsageError(f"--within {self.within} limits --until-decided, which is missing: add it.")
        if not self.until_decided:
            return None
        return UntilDecided(None if self.within is None else seconds(self.within, "--within"))

    def _suffix(self) -> str:
        """Other networks, and other looks, have folders of their own."""
        return f"-from-{self.seeds_from}" * (self.seeds_from != 0) + "-decided" * self.until_decided


@dataclass(frozen=True)
class Resume:
    """Continue a run or a replication that was interrupted. The result is as if nothing had happened.

    Examples:
      nucleate resume runs/tour
      nucleate resume runs/grokking-phase-rates-1f2e3d4c
    """

    run: tyro.conf.Positional[Path]
    """The folder of the run."""
    with_other_versions: bool = False
    """Even if it was begun with another JAX or on another kind of processor, so that last bits differ."""

    def __call__(self) -> int:
        from nucleate.claims import Looks
        from nucleate.papers import Replication, UntilDecided

        replication = Replication(self.run)
        if replication.exists():
            about = replication.about
            until_decided = UntilDecided(about.within, Looks(about.looks)) if len(about.looks) > 1 else None
            return _replicate(
                about.target, about.budget, self.run, about.seeds_from, until_decided, self.with_other_versions
            )
        resume_run(self.run, other_versions=self.with_other_versions)
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
        from nucleate.papers import Replication, write_experiment_report, write_replication_report
        from nucleate.record import Run

        if Replication(self.run).exists():
            report = write_replication_report(Replication.open(self.run))
        else:
            report = write_experiment_report(Run.open(self.run))
        say("Report:", Text(str(report), style="bold"))


def _replicate(
    target: str, budget: str, out: Path, seeds_from: int = 0, until_decided=None, other_versions: bool = False
) -> int:
    """Replicate, write the report, then say what was found; the exit code."""
    from nucleate.claims import summary, to_table
    from nucleate.fleet import Bar, resumable
    from nucleate.papers import Budget, replicate, write_replication_report

    paper = _paper(target.split("/")[0])
    claims = tuple(claim for claim in paper.claims if claim.id in target.split(", "))
    if "/" in target and not claims:
        raise UsageError(f"there is no claim '{target}'; `nucleate list {paper.name}` shows those of {paper.name}.")
    start_jax()
    replication = replicate(
        reseeded(paper, seeds_from),
        Budget(budget),
        out,
        claims=claims,
        until_decided=until_decided,
        watch=Bar(),
        other_versions=other_versions,
    )
    with resumable(out):
        report = write_replication_report(replication)
    rows, failures = replication.rows(), replication.about.failures
    show(to_table(rows, f"{paper.title} ({budget})", width()))
    say(summary(rows))
    for row in rows:
        if row.outlook and until_decided:
            say(f"still open: {row.claim}, {row.outlook}")
    for failure in failures:
        say("failed:", failure, style="red")
    if failures:
        say(f"{len(failures)} failed; the tracebacks are in", out / "failures.log")
    say("\nReport:", report)
    return 1 if failures else 0


@contextlib.contextmanager
def _known_papers() -> Iterator[None]:
    """In this block, a paper that there is not is the user's mistake."""
    try:
        yield
    except LookupError as mistake:
        raise UsageError(str(mistake)) from None


def _paper(name: str):
    from nucleate.papers import paper

    with _known_papers():
        return paper(name)


COMMANDS: dict[str, type] = {
    "tour": Tour,
    "list": List,
    "replicate": Replicate,
    "resume": Resume,
    "report": Report,
    "scorecards": Scorecards,
    "runs": Runs,
    "show": Show,
    "export": Export,
}
