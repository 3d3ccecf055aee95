"""What each command does. Heavy imports live inside: a command pays for what it uses."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro
from rich.text import Text

from nucleate.cli.clusters import ClusterName, connected
from nucleate.cli.comparing import Compare
from nucleate.cli.experiments import RUNS, reseeded, resume_run, start_jax
from nucleate.cli.export import Export
from nucleate.cli.looking import Runs, Show
from nucleate.cli.parsing import UsageError, seconds
from nucleate.cli.printing import busy, command, say, show, width
from nucleate.cli.scorecards import Scorecards
from nucleate.cli.targets import claims_of, known, paper_of

Target = tuple[Any, tuple]
"""A paper, and the claims that are chosen, if not all."""


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
        code = _replicate(claims_of("grokking"), "quick", self.out)
        further = command("nucleate", "replicate", "grokking", "--budget", "standard")
        say("Next: open the report in a browser, then", command("nucleate", "list"), "or", further)
        return code


@dataclass(frozen=True)
class List:
    """List the papers or, of one paper, its experiments and claims.

    Examples:
      nucleate list
      nucleate list grokking
      nucleate list ./my_paper.py
    """

    paper: Annotated[str | None, tyro.conf.arg(metavar="[PAPER]"), tyro.conf.Positional] = None
    """This paper, by its name or the file that it is in, with its experiments and claims."""

    def __call__(self) -> None:
        from nucleate.cli.papers import described, show_offer, show_paper, show_summary
        from nucleate.papers import PAPERS
        from nucleate.papers.names import offered

        if self.paper is not None:
            show_paper(described(self.paper))
            return
        for name in PAPERS:
            show_summary(described(name))
        for point in offered().values():
            show_offer(point)
        say("\nMore of one:", command("nucleate", "list", PAPERS[0]))
        say("Of your own:", command("nucleate", "list", "./my_paper.py"))


@dataclass(frozen=True)
class Replicate:
    """Measure a paper's claims, or one claim, and print verdicts. An interrupted replication is continued.

    Examples:
      nucleate replicate grokking --budget quick
      nucleate replicate grokking/3
      nucleate replicate ./my_paper.py --budget quick
      nucleate replicate ./my_paper.py:3
      nucleate replicate all --json scorecard.json
      nucleate replicate circles --until-decided --within 2h
      nucleate replicate circles --seeds-from 1000
      nucleate replicate circles --budget paper --cluster tcp://10.0.0.7:8786
    """

    target: Annotated[str, tyro.conf.arg(metavar="PAPER|CLAIM|all"), tyro.conf.Positional] = ""
    """A paper (grokking), a claim (grokking/14), the file of a paper of your own (./my_paper.py), a claim of that
    (./my_paper.py:3), or all: nucleate's papers, one after the other."""
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
    dry_run: bool = False
    """Train nothing: say how much there is, how long it takes and how large it is."""
    cluster: ClusterName = None

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
        targets = [claims_of(name) for name in names]
        folders = [self._folder(target, alone=len(targets) == 1) for target in targets]
        if self.dry_run:
            for target, out in zip(targets, folders, strict=True):
                _foretell(target, self.budget, out, self.seeds_from, self.cluster)
            return 0
        rows, code = [], 0
        with connected(self.cluster) as client:
            for target, out in zip(targets, folders, strict=True):
                if self.fresh and Replication(out).exists():
                    Replication(out).discard()
                code = max(code, _replicate(target, self.budget, out, self.seeds_from, until_decided, on=client))
                rows += Replication.open(out).rows()
        if self.json:
            write_json(rows, self.json, public=True)
        return code

    def _folder(self, target: Target, *, alone: bool) -> Path:
        """Other networks, and other looks, have folders of their own."""
        paper, claims = target
        name = "-".join([paper.name, *(claim.id.partition("/")[2] for claim in claims)])
        if self.out:
            return self.out if alone else self.out / name
        other = f"-from-{self.seeds_from}" * (self.seeds_from != 0) + "-decided" * self.until_decided
        return RUNS / f"{name}-{self.budget}{other}"

    def _until_decided(self):
        from nucleate.papers import UntilDecided

        if self.within is not None and not self.until_decided:
            raise UsageError(f"--within {self.within} limits --until-decided, which is missing: add it.")
        if not self.until_decided:
            return None
        return UntilDecided(None if self.within is None else seconds(self.within, "--within"))


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
    cluster: ClusterName = None

    def __call__(self) -> int:
        with busy("loading"):
            from nucleate.claims import Looks
            from nucleate.fleet import Allow
            from nucleate.papers import Replication, UntilDecided

        allow = Allow.OTHER_VERSIONS if self.with_other_versions else Allow.NOTHING
        replication = Replication(self.run)
        if not replication.exists():
            resume_run(self.run, self.cluster, allow)
            return 0
        about = replication.about
        until_decided = UntilDecided(about.within, Looks(about.looks)) if len(about.looks) > 1 else None
        with connected(self.cluster) as client:
            return _replicate(
                claims_of(_target(self.run, about)),
                about.budget,
                self.run,
                about.seeds_from,
                until_decided,
                allow=allow,
                on=client,
            )


@dataclass(frozen=True)
class Report:
    """Write a run or a replication as one self-contained HTML page.

    Examples:
      nucleate report runs/tour
      nucleate report runs/mine --paper ./my_paper.py
    """

    run: tyro.conf.Positional[Path]
    """The folder of the run."""
    paper: str | None = None
    """Of one run: draw the portraits that this paper of your own has of it."""

    def __call__(self) -> None:
        from nucleate.papers import Replication, write_experiment_report, write_replication_report
        from nucleate.record import Run

        if Replication(self.run).exists():
            report = write_replication_report(Replication.open(self.run))
        else:
            run = Run.open(self.run)
            report = write_experiment_report(run, None if self.paper is None else paper_of(self.paper))
        say("Report:", Text(str(report), style="bold"))


def _target(path: Path, about) -> str:
    """What a replication is of, as the command line would be asked for it."""
    if about.paper in known():
        return about.target
    way_on = f"`nucleate replicate FILE --budget {about.budget} --out {path}` continues it"
    if about.file is None:
        raise UsageError(
            f"{path} replicates '{about.paper}', of a notebook or a prompt; if it is in a file now, {way_on}."
        )
    if not Path(about.file).is_file():
        raise UsageError(f"{path} replicates {about.file}, which is not there; from where it is now, {way_on}.")
    return f"{about.file}:{about.target}"


def _replicate(target: Target, budget: str, out: Path, seeds_from: int = 0, until_decided=None, **how: Any) -> int:
    """Replicate, write the report, then say what was found; the exit code. `how`: what `train` is told."""
    from nucleate.claims import summary, to_table
    from nucleate.fleet import Bar, resumable
    from nucleate.papers import Budget, replicate, write_replication_report

    paper, claims = target
    start_jax()
    replication = replicate(
        reseeded(paper, seeds_from),
        Budget(budget),
        out,
        claims=claims,
        until_decided=until_decided,
        watch=Bar(),
        **how,
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


def _foretell(target: Target, budget: str, out: Path, seeds_from: int, cluster: str | None) -> None:
    from nucleate.cli.forecasts import foretell_replication
    from nucleate.papers import Budget

    paper, claims = target
    start_jax()
    foretell_replication(reseeded(paper, seeds_from), Budget(budget), claims, out, cluster)


COMMANDS: dict[str, type] = {
    "tour": Tour,
    "list": List,
    "replicate": Replicate,
    "resume": Resume,
    "report": Report,
    "compare": Compare,
    "scorecards": Scorecards,
    "runs": Runs,
    "show": Show,
    "export": Export,
}
