"""The toy paper as the command line's only one, small enough to be trained hundreds of times; what its folders hold."""

import functools
import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

from tests.papers.toy_paper import FIRST, PAPER, SECOND, Lines

import nucleate.fleet.estimate
import nucleate.fleet.train
import nucleate.papers
import nucleate.papers.library
import nucleate.plots.style
import nucleate.report
from nucleate import machine
from nucleate.claims import evidence
from nucleate.fleet import Silent, train
from nucleate.fleet.cut import Cut
from nucleate.fleet.program import Program
from nucleate.papers import Sizes
from nucleate.papers.describe import describe
from nucleate.record import Run, RunError

TOY = replace(PAPER, experiments=dict(PAPER.experiments) | {FIRST: Sizes.of(Lines(seeds=3))})
REPLICATE = ("replicate", "toy", "--budget", "quick", "--out", "toy")
RUN = ("run", SECOND, "--eta", "0.05", "--out", "run")
_LONG = Lines(seeds=2, steps=1000)
_TIMES = {"created", "seconds"}

# Rooms load their names when they are asked for: here before any is replaced, or a process that is to die begins.
for _room in (nucleate.claims, nucleate.papers, nucleate.plots, nucleate.record, nucleate.report):
    for _name in _room.__all__:
        getattr(_room, _name)


@contextmanager
def only_toys() -> Iterator[None]:
    """The toy paper is the only one, everything is worth keeping, pictures are small, no program is compiled twice."""
    with ExitStack() as stack:
        for home in (nucleate.papers, sys.modules["nucleate.papers.library"]):
            stack.enter_context(mock.patch.object(home, "PAPERS", ("toy",)))
            stack.enter_context(mock.patch.object(home, "paper", _paper))
        stack.enter_context(mock.patch.object(nucleate.papers, "description", _description))
        stack.enter_context(mock.patch.object(evidence, "_WORTH_KEEPING", 0.0))
        stack.enter_context(mock.patch.dict(sys.modules["nucleate.plots.style"]._SETTINGS, {"savefig.dpi": 50}))
        for home in (sys.modules["nucleate.fleet.train"], sys.modules["nucleate.fleet.estimate"]):
            stack.enter_context(mock.patch.object(home, "Program", _compiled_once))
        yield


def _paper(name: str):
    if name != "toy":
        raise LookupError(f"there is no paper '{name}'; there are: toy.")
    return TOY


def _description(name: str):
    return describe(_paper(name))


def _compiled_once(recipe, static: dict, cut: Cut, keep_weights=None) -> Program:
    return _program(recipe, tuple(static.items()), cut, keep_weights)


@functools.cache
def _program(recipe, static: tuple, cut: Cut, keep_weights) -> Program:
    return Program(recipe, dict(static), cut, keep_weights)


class _Breaking(Silent):
    """Fails once a run has come so far."""

    left = 2

    def advance(self, count: int) -> None:
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("so far, and no further")


def leave_unfinished(folder: Path) -> None:
    """A run that broke off with a checkpoint, as the command line would have left it."""
    one = machine.workers()[:1]
    with mock.patch.object(machine, "workers", return_value=one), suppress(RuntimeError):
        train(_LONG.plan(FIRST), folder, watch=_Breaking(), checkpoint_seconds=0.0)
    assert list(folder.glob("checkpoints/*.checkpoint"))


def finish(folder: Path) -> None:
    train(_LONG.plan(FIRST), folder)


def outcome(folder: Path) -> dict[str, Any]:
    """What must be the same however it came about: names of files, records to the bit, figures, scorecard, manifests.

    Not compared: when something was made and how long it took, and with that the page; nor what is kept, which only
    saves time. What was half-written must be gone everywhere.
    """
    return {
        file.relative_to(folder).as_posix(): _content(file)
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != "lock" and (file.parent.name != "kept" or file.name.startswith("."))
    }


def _content(file: Path) -> Any:
    if file.name in {"run.json", "replication.json", "scorecard.json"}:
        tree = _timeless(json.loads(file.read_text(encoding="utf-8")))
        if file.name == "replication.json":
            tree.pop("measured", None)  # the seconds spent on it; in a scorecard, it is a result
        return tree
    return file.read_bytes() if "record.zarr" in file.parts or file.suffix == ".png" else "there"


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _timeless(item) for key, item in value.items() if key not in _TIMES}
    return [_timeless(item) for item in value] if isinstance(value, list) else value


def numbers(folder: Path) -> dict[str, Any]:
    """All that can be read in a folder: the values of its records, its scorecard and the names of its figures."""
    found: dict[str, Any] = {}
    for file in sorted(folder.rglob("run.json")):
        with suppress(RunError):
            record = Run.open(file.parent).record()
            for name, variable in record.variables.items():
                with suppress(Exception):  # a damaged chunk is an error, whatever its decoder calls it
                    value = (variable.dims, str(variable.dtype), variable.values.tobytes())
                    found[f"{file.parent.name} {name}"] = value
    if (folder / "scorecard.json").exists():
        found["scorecard"] = _timeless(json.loads((folder / "scorecard.json").read_text(encoding="utf-8")))
        found["figures"] = sorted(file.name for file in (folder / "figures").glob("*.png"))
    return found


def difference(found: dict[str, Any], expected: dict[str, Any]) -> str:
    """The first few names whose contents differ, or ""."""
    names = [name for name in sorted(found.keys() | expected.keys()) if found.get(name, 0) != expected.get(name, 0)]
    return ", ".join(f"{name} ({_how(found, expected, name)})" for name in names[:3])


def _how(found: dict[str, Any], expected: dict[str, Any], name: str) -> str:
    return "lost" if name not in found else "left over" if name not in expected else "differs"
