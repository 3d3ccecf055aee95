"""A replication's folder: one run for each experiment, kept results, a scorecard, figures and a report."""

import contextlib
import dataclasses
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nucleate.claims import ONCE, ClaimRow, Looks, read_json, summary, to_markdown
from nucleate.claims.formats import interval, number
from nucleate.hypertext import Html, table
from nucleate.papers.sizes import Budget
from nucleate.plots import Picture
from nucleate.record import Folder, Run, RunError, document, inside, is_inner, write_atomically

_MANIFEST = "replication.json"
_SCORECARD = "scorecard.json"
FAILURES = "failures.log"
_MADE = ("figures", "kept", _SCORECARD, "scorecard.md", "report.html", FAILURES, _MANIFEST)
_UNFINISHED = ("kept/.*.json.*", "kept/.*.npz.*", "figures/.*.png.*", "figures/.*.csv.*", "figures/.*.gif.*")


@dataclass(frozen=True)
class Entry:
    """A picture, as the manifest lists it."""

    path: str
    title: str
    caption: str
    experiments: tuple[str, ...] = ()

    def __post_init__(self):
        if not is_inner(self.path):
            raise ValueError(f"path must stay inside the replication's folder; got {self.path!r}.")


@dataclass(frozen=True)
class Stage:
    """A run beyond the budget's, as the manifest lists it."""

    experiment: str
    look: int
    """The look that it was trained for, from 2 on."""


@dataclass(frozen=True)
class Manifest:
    """What replication.json says: what is replicated, the folders of its runs, its figures, and what failed.

    A run is listed before it is begun, a figure when it is drawn; neither is dropped while it is made again.
    `seeds_from`: by how much all seeds are shifted. `looks`: the error that each planned look may make, fixed when the
    replication begins; `stages`: what was trained for those after the first; `within`: seconds that all may take, and
    `measured`: those that were spent on measuring. `file`: that of a paper which is not found by its name, and `code`:
    the identity of what is there.
    """

    paper: str
    target: str
    title: str
    reference: str
    budget: Budget
    created: str
    runs: tuple[str, ...]
    figures: tuple[Entry, ...] = ()
    failures: tuple[str, ...] = ()
    seeds_from: int = 0
    looks: tuple[float, ...] = ONCE.errors
    within: float | None = None
    stages: tuple[Stage, ...] = ()
    measured: float = 0.0
    file: str | None = None
    code: str | None = None
    rest: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        for place, run in enumerate(self.runs):
            if not is_inner(run):
                raise ValueError(f"runs[{place}] must stay inside the replication's folder; got {run!r}.")
        Looks(self.looks)

    @property
    def conditions(self) -> str:
        """What the networks and the verdicts of a replication depend on, beside its paper."""
        seeds = f"; seeds from {self.seeds_from:,}" if self.seeds_from else ""
        last = max((stage.look for stage in self.stages), default=1)
        taken = f"{last} of " if len(self.looks) > 1 else ""
        return f"budget: {self.budget}{seeds}; {taken}{Looks(self.looks)}"


@dataclass(frozen=True)
class Replication:
    """A handle on the folder of a replication, finished or not."""

    path: Path

    def __init__(self, path: Path | str):
        object.__setattr__(self, "path", Path(path))

    @classmethod
    def open(cls, path: Path | str) -> "Replication":
        replication = cls(Path(path))
        if not replication.exists():
            raise RunError(f"{path} is not a replication: it has no {_MANIFEST}.")
        return replication

    def exists(self) -> bool:
        return self._manifest.exists()

    def __str__(self) -> str:
        about = self.about
        verdicts = summary(self.rows()) if self.scorecard.exists() else "unfinished"
        return f"{self.path}: {about.title}, {about.target} at the {about.budget} budget; {verdicts}"

    def _repr_html_(self) -> Html:
        rows = self.rows() if self.scorecard.exists() else []
        told = lambda row: f"{number(row.decisive.measured)} {interval(row.decisive.interval)}".strip()
        cells = [(row.verdict, row.why, row.claim, row.statement, row.expected, told(row)) for row in rows]
        return table(cells, ("verdict", "why", "claim", "statement", "expected", "measured"), str(self))

    @property
    def about(self) -> Manifest:
        return document.read(Manifest, self._manifest)

    def update(self, **changes: Any) -> None:
        """Change fields of the manifest, atomically."""
        document.update(Manifest, self._manifest, **changes)

    @property
    def folder(self) -> Folder:
        runs = self.about.runs if self.exists() else ()
        return Folder(self.path, (*runs, *_MADE), _UNFINISHED)

    def lock(self) -> AbstractContextManager[None]:
        """Hold the replication for writing."""
        return self.folder.lock()

    @property
    def scorecard(self) -> Path:
        return self.path / _SCORECARD

    @property
    def _manifest(self) -> Path:
        return self.path / _MANIFEST

    def rows(self) -> list[ClaimRow]:
        """The scorecard."""
        if not self.scorecard.exists():
            raise RunError(f"{self.path} is unfinished; `nucleate resume {self.path}` first.")
        return read_json(self.scorecard)

    def pictures(self) -> list[Picture]:
        """Those that the manifest lists. A file may be gone."""
        return [Picture(inside(self.path, e.path), e.title, e.caption, e.experiments) for e in self.about.figures]

    def runs(self) -> list[Run]:
        """Those that the manifest lists. A folder may not be there yet."""
        return [Run(inside(self.path, name)) for name in self.about.runs]

    def discard(self) -> None:
        """Delete what this replication made, and nothing else that may be in its folder."""
        with self.lock(), contextlib.ExitStack() as locks:
            for run in self.runs():
                if run.path.exists():
                    self._refuse_foreign(run)
                    locks.enter_context(run.lock())
            self.folder.discard()

    def _refuse_foreign(self, run: Run) -> None:
        """Refuse to delete a folder that holds anything but a run of this replication, which may be damaged."""
        for path in run.folder.foreign():
            raise RunError(f"{path} is not of this replication; move it elsewhere.")
        try:
            experiment = run.about.experiment
        except RunError:
            return
        name = f"{self.about.paper}/{run.path.relative_to(self.path).as_posix()}"
        if experiment not in (name, re.sub(r"\.\d+$", "", name)):  # the folder of a stage ends with its number
            raise RunError(f"{run.path} is a run of {experiment}, not of this replication; move it elsewhere.")


def write_replication_report(replication: Replication) -> Path:
    """The replication as one HTML page, and its scorecard as Markdown, in its folder."""
    from nucleate.report import Page, describe, write_report

    replication.folder.sweep_if_free()
    about, rows, pictures, runs = replication.about, replication.rows(), replication.pictures(), replication.runs()
    missing = [f"figure {p.path.name} is not in its folder" for p in pictures if not p.path.exists()]
    missing += [f"run {run.path.name} is not in its folder" for run in runs if not run.path.exists()]
    write_atomically(replication.path / "scorecard.md", to_markdown(rows, about.conditions).encode())
    return write_report(
        replication.path / "report.html",
        Page(
            title=about.title,
            subtitle=f"{about.reference}; {about.conditions}",
            created=about.created,
            scorecard=rows,
            figures=[picture for picture in pictures if picture.path.exists()],
            runs=[describe(Run.open(run.path)) for run in runs if run.path.exists()],
            failures=[
                *about.failures,
                *(f"{what}; `nucleate resume {replication.path}` makes it again" for what in missing),
            ],
        ),
    )


def as_entries(pictures: Sequence[Picture], folder: Path) -> list[dict[str, Any]]:
    """Pictures as the manifest lists them."""
    entries = [Entry(p.path.relative_to(folder).as_posix(), p.title, p.caption, p.experiments) for p in pictures]
    return [dataclasses.asdict(entry) for entry in entries]
