"""A replication's folder: one run for each experiment, kept results, a scorecard, figures and a report."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nucleate.claims import ClaimRow, read_json, to_markdown
from nucleate.plots import Picture
from nucleate.record import Run, RunError, write_atomically
from nucleate.report import Page, describe, write_report

MANIFEST = "replication.json"
_SCORECARD = "scorecard.json"
FAILURES = "failures.log"


@dataclass(frozen=True)
class Replication:
    """A handle on the folder of a replication, finished or not."""

    path: Path

    @classmethod
    def open(cls, path: Path | str) -> "Replication":
        replication = cls(Path(path))
        if not replication.exists():
            raise RunError(f"{path} is not a replication: it has no {MANIFEST}.")
        return replication

    def exists(self) -> bool:
        return (self.path / MANIFEST).exists()

    @property
    def about(self) -> dict[str, Any]:
        return json.loads((self.path / MANIFEST).read_text(encoding="utf-8"))

    def update(self, **changes: Any) -> None:
        """Change fields of the manifest, atomically."""
        about = (self.about if self.exists() else {}) | changes
        write_atomically(self.path / MANIFEST, (json.dumps(about, indent=2) + "\n").encode())

    @property
    def scorecard(self) -> Path:
        return self.path / _SCORECARD

    @property
    def failures(self) -> list[str]:
        """What failed, one line each: claims that could not be measured, figures that could not be drawn."""
        return self.about.get("failures", [])

    def rows(self) -> list[ClaimRow]:
        """The scorecard."""
        if not self.scorecard.exists():
            raise RunError(f"{self.path} is unfinished; `nucleate resume {self.path}` first.")
        return read_json(self.scorecard)

    def pictures(self) -> list[Picture]:
        return [Picture(self.path / entry["path"], entry["title"], entry["caption"]) for entry in self.about["figures"]]

    def runs(self) -> list[Run]:
        return [Run.open(self.path / folder) for folder in self.about["runs"]]

    def discard(self) -> None:
        """Delete what this replication made, and nothing else that may be in its folder."""
        for run in (Run(self.path / folder) for folder in self.about["runs"]):
            if run.path.is_dir():
                with run.lock():
                    shutil.rmtree(run.path)
        for folder in ("figures", "kept"):
            shutil.rmtree(self.path / folder, ignore_errors=True)
        for name in (_SCORECARD, "scorecard.md", "report.html", FAILURES, MANIFEST):
            (self.path / name).unlink(missing_ok=True)


def write_replication_report(replication: Replication) -> Path:
    """The replication as one HTML page, and its scorecard as Markdown, in its folder."""
    about, rows, pictures = replication.about, replication.rows(), replication.pictures()
    hint = f"`nucleate resume {replication.path}` draws it again"
    missing = [f"figure {p.path.name} is not in its folder; {hint}" for p in pictures if not p.path.exists()]
    write_atomically(replication.path / "scorecard.md", to_markdown(rows).encode())
    return write_report(
        replication.path / "report.html",
        Page(
            title=about["title"],
            subtitle=f"{about['reference']}; budget: {about['budget']}",
            created=about["created"],
            scorecard=rows,
            figures=[picture for picture in pictures if picture.path.exists()],
            runs=[describe(run) for run in replication.runs()],
            failures=[*replication.failures, *missing],
        ),
    )


def as_entries(pictures: Sequence[Picture], folder: Path) -> list[dict[str, str]]:
    """Pictures as the manifest lists them."""
    return [{"path": p.path.relative_to(folder).as_posix(), "title": p.title, "caption": p.caption} for p in pictures]
