"""Re-run a paper: train what its claims need, measure, judge, draw, report."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nucleate.claims import Claim, Evidence, to_markdown, write_json
from nucleate.explorer import FigureEntry, write_report
from nucleate.fleet import Interruption, Silent, Watcher, train
from nucleate.papers.paper import Budget, Effort, Paper, Sequel, awaited
from nucleate.record import Outcome, Run, RunError, provenance, write_atomically

_MANIFEST = "replication.json"


@dataclass(frozen=True)
class Replication:
    """A folder with one run for each experiment, a scorecard, figures and a report."""

    path: Path

    @classmethod
    def open(cls, path: Path | str) -> "Replication":
        replication = cls(Path(path))
        if not replication.exists():
            raise RunError(f"{path} is not a replication: it has no {_MANIFEST}.")
        return replication

    def exists(self) -> bool:
        return (self.path / _MANIFEST).exists()

    @property
    def about(self) -> dict[str, Any]:
        return json.loads((self.path / _MANIFEST).read_text())

    def rows(self) -> list[dict[str, Any]]:
        """The scorecard."""
        if not (self.path / "scorecard.json").exists():
            raise RunError(f"{self.path} is unfinished; `nucleate resume {self.path}` first.")
        return json.loads((self.path / "scorecard.json").read_text())

    def discard(self) -> None:
        """Delete what this replication made, and nothing else that may be in its folder."""
        for run in (Run(self.path / folder) for folder in self.about["runs"]):
            if run.path.is_dir():
                with run.lock():
                    shutil.rmtree(run.path)
        shutil.rmtree(self.path / "figures", ignore_errors=True)
        for name in ("scorecard.json", "scorecard.md", "report.html", _MANIFEST):
            (self.path / name).unlink(missing_ok=True)

    def runs(self) -> list[Run]:
        return [Run.open(self.path / folder) for folder in self.about["runs"]]


def replicate(
    paper: Paper, budget: Budget, into: Path, *, claims: tuple[Claim, ...] = (), watch: Watcher | None = None
) -> Replication:
    """Measure a paper's claims (or just `claims`) at a budget.

    Runs that are complete are not trained again, unfinished ones are resumed; so a replication that was interrupted is
    continued by asking for it again.
    """
    watch = watch or Silent()
    chosen = claims or paper.claims
    effort = paper.efforts[budget]
    needed = _needed(effort, chosen)
    about = {
        **provenance(),
        "paper": paper.name,
        "target": claims[0].id if claims else paper.name,
        "title": paper.title,
        "reference": paper.reference,
        "budget": budget,
        "runs": [_folder(name) for name in needed],
        "figures": [],
    }
    _refuse_another(into, about)
    _write_manifest(into, about)
    try:
        runs: dict[str, Run] = {}
        for name in needed:
            experiment = effort.experiments[name]
            if isinstance(experiment, Sequel) and experiment.awaits:
                experiment = experiment.after(runs[experiment.awaits].record())
            runs[name] = train(experiment.plan(name), into / _folder(name), watch=watch)
        evidence = Evidence(runs, effort.samples)
        write_json(_measure(chosen, evidence, watch), into / "scorecard.json")
    except KeyboardInterrupt:
        raise Interruption(into) from None
    if not claims:
        figures = paper.draw(evidence, into / "figures")
        about["figures"] = [
            {"path": str(figure.path.relative_to(into)), "title": figure.title, "caption": figure.caption}
            for figure in figures
        ]
        _write_manifest(into, about)
    return Replication(into)


def _needed(effort: Effort, claims: tuple[Claim, ...]) -> list[str]:
    """The experiments that claims look at, and those that must be trained before them, in the order of the paper."""
    needed = {name for claim in claims for name in claim.needs}
    needed |= {awaited(effort.experiments[name]) for name in needed}
    return [name for name in effort.experiments if name in needed]


def _measure(claims: tuple[Claim, ...], evidence: Evidence, watch: Watcher) -> list[dict[str, Any]]:
    watch.begin("measuring", len(claims), unit="claims")
    try:
        rows = []
        for claim in claims:
            rows.append(claim.judge(evidence).row())
            watch.advance(1)
        return rows
    finally:
        watch.end()


def _refuse_another(into: Path, about: dict[str, Any]) -> None:
    """A folder holds one replication: of one target, at one budget."""
    there = Replication(into)
    if not there.exists():
        if into.is_dir() and any(into.iterdir()):
            raise RunError(f"{into} is not empty and not a replication; choose another folder with --out.")
        return
    held = (there.about["target"], there.about["budget"])
    if held != (about["target"], about["budget"]):
        raise RunError(
            f"{into} holds the replication of {held[0]} at budget {held[1]}; choose another folder with --out, or "
            "discard it with --fresh."
        )


def _write_manifest(into: Path, about: dict[str, Any]) -> None:
    write_atomically(into / _MANIFEST, (json.dumps(about, indent=2) + "\n").encode())


def write_replication_report(replication: Replication) -> Path:
    """The replication as one HTML page, and its scorecard as Markdown, in its folder."""
    about = replication.about
    write_atomically(replication.path / "scorecard.md", to_markdown(replication.rows()).encode())
    return write_report(
        replication.path / "report.html",
        title=about["title"],
        subtitle=f"{about['reference']}; budget: {about['budget']}",
        created=about["created"],
        scorecard=replication.rows(),
        figures=[
            FigureEntry(replication.path / entry["path"], entry["title"], entry["caption"])
            for entry in about["figures"]
        ],
        runs=[describe(run) for run in replication.runs()],
    )


def write_run_report(run: Run) -> Path:
    """One run, without claims, as an HTML page beside it: its curves and its config."""
    from nucleate.plots import overview, save, style

    with style():
        picture = save(overview(run.record()), run.path / "figures" / "overview.png")
    about = run.about
    entry = FigureEntry(picture, "What was recorded", "Every scalar, each network a line; the median is bold.")
    return write_report(
        run.path / "report.html",
        title=about.get("experiment", run.path.name),
        subtitle=f"{about['members']} networks, {about['steps']} steps",
        created=about["created"],
        scorecard=[],
        figures=[entry],
        runs=[describe(run)],
    )


def describe(run: Run) -> dict[str, Any]:
    """A run in the plain words of a report."""
    about = run.about
    outcomes = {}
    if run.status == "complete":
        codes, counts = np.unique(run.record().outcome.values, return_counts=True)
        outcomes = {Outcome(code).name.lower(): int(count) for code, count in zip(codes, counts, strict=True)}
    return {
        "name": run.path.name,
        "experiment": about.get("experiment", "from Python"),
        "members": about["members"],
        "steps": about["steps"],
        "seconds": about.get("seconds", 0.0),
        "status": run.status,
        "outcomes": outcomes,
        "config": about.get("config", {}),
        "versions": about["versions"],
        "git": about["git"],
        "platform": about["platform"],
    }


def _folder(name: str) -> str:
    return name.split("/", 1)[-1]
