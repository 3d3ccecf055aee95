"""Pictures for the gallery, taken from real runs: small copies in docs/gallery, with what is behind each.

`python -m docs --runs FOLDER…` takes all that replications have drawn. What is there is replaced unless it is from a
larger budget.
"""

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from docs.press.site import PROJECT
from nucleate.papers import Budget, Replication
from nucleate.record import RunError, document, write_atomically
from nucleate.record.tree import unpack

GALLERY = PROJECT / "docs" / "gallery"
_LIST = "figures.json"
_SIZES = [(width, quality) for width in (840, 700, 560, 420) for quality in (85, 70, 55)]
_MOST_BYTES = 25_000
_BUDGETS = list(Budget)
_KEPT = re.compile(r"figure \d+ (\S+)")


@dataclass(frozen=True)
class Small:
    """A small picture in the folder of its paper."""

    file: str
    title: str
    caption: str


@dataclass(frozen=True)
class Experiment:
    """An experiment that a figure reads, as large as it was."""

    name: str
    networks: int
    steps: int


@dataclass(frozen=True)
class Drawn:
    """What a figure's function drew: `figure`, its module and name, or the experiment whose run is shown; `reads`: of
    what; the budget and day of the run."""

    figure: str
    pictures: tuple[Small, ...]
    reads: tuple[Experiment, ...]
    budget: Budget
    day: str


@dataclass(frozen=True)
class Album:
    """All that there is of a paper."""

    figures: tuple[Drawn, ...] = ()


def album(paper: str) -> Album:
    """The pictures of a paper; none if none were taken."""
    file = GALLERY / paper / _LIST
    return document.read(Album, file) if file.exists() else Album()


def take(folder: Path) -> None:
    """Take the pictures of a replication, and the portraits of its runs."""
    replication = Replication.open(folder)
    about = replication.about
    held = {drawn.figure: drawn for drawn in album(about.paper).figures}
    if not (kept := [*_figures(replication), *_portraits(replication)]):
        raise RunError(f"{folder} has drawn nothing yet; `nucleate resume {folder}` goes on with it.")
    for found in kept:
        before = held.get(found.figure)
        if before is None or _BUDGETS.index(before.budget) <= _BUDGETS.index(about.budget):
            pictures = tuple(_small(picture, found, GALLERY / about.paper) for picture in found.pictures)
            reads = tuple(_experiments(replication, found.reads))
            held[found.figure] = Drawn(found.figure, pictures, reads, about.budget, about.created[:10])
    _store(about.paper, held.values())


class _Kept(NamedTuple):
    """Pictures of a run's folder, as they are kept: file, title and caption. `prefix`: of small copies' names."""

    figure: str
    pictures: list[tuple[str, str, str]]
    folder: Path
    reads: list[str]
    prefix: str = ""


def _figures(replication: Replication) -> Iterator[_Kept]:
    """The figures of a replication."""
    for file in sorted((replication.path / "kept").glob("figure-*.json")):
        kept = json.loads(file.read_text(encoding="utf-8"))
        if (named := _KEPT.fullmatch(kept["name"])) and (pictures := _listed(kept)):
            yield _Kept(named[1], pictures, replication.path, [name for name in kept["sources"] if "/" in name])


def _portraits(replication: Replication) -> Iterator[_Kept]:
    """The portraits of each of its runs, named after their experiments."""
    for run in replication.runs():
        for file in (run.path / "kept").glob("portraits-*.json"):
            if (name := run.about.experiment) and (pictures := _listed(json.loads(file.read_text(encoding="utf-8")))):
                yield _Kept(name, pictures, run.path, [name], f"{run.path.name}-")


def _listed(kept: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    return [(file, title, caption) for file, title, caption, _ in unpack(kept["value"], [])]


def _experiments(replication: Replication, names: Iterable[str]) -> Iterator[Experiment]:
    """Experiments as they were run, all stages together."""
    runs = [run.about for run in replication.runs() if run.path.exists()]
    for name in sorted(names):
        own = [about for about in runs if about.experiment == name]
        yield Experiment(name, sum(about.members for about in own), max(about.steps for about in own))


def _small(picture: tuple[str, str, str], found: _Kept, into: Path) -> Small:
    """A small copy of a picture, or of the last frame of a film."""
    file, title, caption = picture
    into.mkdir(parents=True, exist_ok=True)
    target = into / f"{found.prefix}{Path(file).stem}.webp"
    with Image.open(found.folder / "figures" / file) as image:
        image.seek(getattr(image, "n_frames", 1) - 1)
        whole = image.convert("RGB")
    for width, quality in _SIZES:
        small = whole.copy()
        small.thumbnail((width, width))
        small.save(target, quality=quality, method=6)
        if target.stat().st_size <= _MOST_BYTES:
            break
    return Small(target.name, title, caption)


def _store(paper: str, figures: Iterable[Drawn]) -> None:
    """List the figures of a paper, and delete pictures that are listed no longer."""
    figures = sorted(figures, key=lambda drawn: drawn.figure)
    lines = [json.dumps(dataclasses.asdict(drawn), ensure_ascii=False) for drawn in figures]
    text = '{"figures": [\n ' + ",\n ".join(lines) + "\n]}\n"
    write_atomically(GALLERY / paper / _LIST, text.encode())
    listed = {picture.file for drawn in figures for picture in drawn.pictures}
    for file in (GALLERY / paper).glob("*.webp"):
        if file.name not in listed:
            file.unlink()
