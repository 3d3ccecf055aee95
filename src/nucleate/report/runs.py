"""One run, in the plain words of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nucleate.hypertext import Tabled
from nucleate.plots import Picture
from nucleate.record import Outcome, Run
from nucleate.report.gallery import Gallery


@dataclass(frozen=True)
class RunSummary(Tabled):
    """A run as a report shows it. `outcomes`: how many networks ended in which way; empty while it is unfinished."""

    name: str
    experiment: str
    members: int
    steps: int
    seconds: float
    status: str
    outcomes: Mapping[str, int]
    config: Mapping[str, Any]
    versions: Mapping[str, str]
    git: str
    platform: Mapping[str, Any]


def describe(run: Run) -> RunSummary:
    """What a run's folder says of it."""
    about = run.about
    outcomes = {}
    if about.status == "complete":
        codes, counts = np.unique(run.record().outcome.values, return_counts=True)
        outcomes = {Outcome(code).name.lower(): int(count) for code, count in zip(codes, counts, strict=True)}
    return RunSummary(
        name=run.path.name,
        experiment=about.what,
        members=about.members,
        steps=about.steps,
        seconds=about.seconds,
        status=about.status,
        outcomes=outcomes,
        config=about.config,
        versions=about.versions,
        git=about.git,
        platform=about.platform,
    )


def write_run_report(run: Run, portraits: Sequence[Picture] = (), failures: Sequence[str] = ()) -> Path:
    """One run, without claims, as an HTML page beside it: its `portraits`, its curves and its config."""
    from nucleate.report.report import Page, write_report

    run.folder.sweep_if_free()
    about = describe(run)
    return write_report(
        run.path / "report.html",
        Page(
            title=run.about.experiment or run.path.name,
            subtitle=f"{about.members} networks, {about.steps} steps",
            created=run.about.created,
            figures=[*portraits, *_overview(run)],
            failures=failures,
            runs=[about],
        ),
    )


def _overview(run: Run) -> list[Picture]:
    gallery = Gallery(run)
    if (found := gallery.find("overview")) is not None:
        return found
    from nucleate.plots import end_maps, overview, save, style
    from nucleate.record import histories, swept

    record = run.record()
    if not histories(record):  # a recorder that has just begun, or a fleet without probes
        return []
    with style():
        file = save(overview(record), gallery.folder / "overview.png")
        drawn = [Picture(file, "What was recorded", _in_words(swept(record)))]
        if (maps := end_maps(record)) is not None:
            file = save(maps, gallery.folder / "ends.png")
            drawn.append(Picture(file, "Where it ended", "The last value of every scalar: the median over seeds."))
    gallery.keep("overview", drawn)
    return drawn


def _in_words(axes: Sequence[str]) -> str:
    """The caption of curves for which these hyperparameters were swept."""
    every = "Every scalar, one line per network"
    if not axes:
        return f"{every}; the median is bold."
    each = f"each {axes[0]}" if len(axes) == 1 else f"each combination of {', '.join(axes)}"
    return f"{every}; bold is the median over seeds, for {each}. Colour is {axes[0]}."
