"""A run directory: one folder, complete in itself.

run.json        what was run: config, versions, git state, platform, status, cost
record.zarr/    what was seen
checkpoints/    where each shard is, while the run is unfinished
cluster.json    who may write it, while a cluster trains it
figures/, report.html, failures.log      what was made of it, and what could not be
kept/           what the figures were drawn from, so that none is drawn twice
members.*, curves.*, record.nc           what was exported, if nothing else was said
"""

import contextlib
import os
import platform
import subprocess
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nucleate.hypertext import Html, facts, in_words
from nucleate.machine.instructions import instruction_set
from nucleate.record import document
from nucleate.record.about import About
from nucleate.record.disk import Folder
from nucleate.record.schema import SCHEMA_VERSION, RunError

if TYPE_CHECKING:  # a list of runs waits for neither xarray nor Zarr
    import xarray as xr

_RECORDED_PACKAGES = (
    *("nucleate", "jax", "jaxlib", "equinox", "optax", "diffrax"),  # what trains
    *("numpy", "scipy", "scikit-learn", "xarray", "zarr", "matplotlib", "pillow"),  # and what measures and draws
)
_EXPORTED = ("members.csv", "members.parquet", "curves.csv", "curves.parquet", "record.nc")
_MADE = (
    *("run.json", "record.zarr", "checkpoints", "cluster.json"),
    *("figures", "kept", "report.html", "failures.log", *_EXPORTED),
)
_UNFINISHED = (
    *("checkpoints/.*.checkpoint.*", "record.zarr/**/*.partial", "record.zarr/**/.*.*"),
    *("figures/.*.png.*", "figures/.*.csv.*", "kept/.*.json.*", "kept/.*.npz.*"),
)


@dataclass(frozen=True)
class Run:
    """A handle on a run directory. `Run.create` makes one, `Run.open` checks that a folder is one."""

    path: Path

    def __init__(self, path: Path | str):
        object.__setattr__(self, "path", Path(path))

    @classmethod
    def create(cls, path: Path, about: Mapping[str, Any]) -> "Run":
        """Make the directory and write `run.json`, with the provenance of this process."""
        path = Path(path)
        path.mkdir(parents=True, exist_ok=True)
        run = cls(path)
        run.update(schema_version=SCHEMA_VERSION, status="created", **provenance(), **about)
        return run

    @classmethod
    def open(cls, path: Path | str) -> "Run":
        """The run in `path`, or a `RunError` that says why it is not one."""
        run = cls(Path(path))
        if not run.path.is_dir():
            raise RunError(f"{path} is not a run directory: there is no such folder. `nucleate runs` lists yours.")
        if not run._about_file.is_file():
            raise RunError(f"{path} is not a run directory: it has no run.json. `nucleate runs` lists yours.")
        run.about  # noqa: B018 - raises if it cannot be read
        return run

    def __str__(self) -> str:
        return in_words(self._facts(), str(self.path))

    def _repr_html_(self) -> Html:
        return facts(self._facts(), str(self.path))

    def _facts(self) -> dict[str, Any]:
        """What a glance should say, whatever is in the folder."""
        try:
            about = self.about
        except RunError as problem:
            return {"unreadable": str(problem)}
        known = {"status": self.state, "experiment": about.what, "networks": about.members, "steps": about.steps}
        return known | {"seconds": about.seconds, "created": about.created} | dict(about.config)

    @property
    def about(self) -> About:
        """The contents of `run.json`."""
        tree = document.read_tree(self._about_file)
        version = tree.get("schema_version") if isinstance(tree, dict) else SCHEMA_VERSION
        if version != SCHEMA_VERSION:
            raise RunError(
                f"{self.path} was written with schema version {version}; this nucleate reads version {SCHEMA_VERSION}. "
                "Run its experiment again, or install the nucleate named in its run.json."
            )
        return document.read_as(About, tree, self._about_file)

    @property
    def status(self) -> str:
        """`created`, `running`, `interrupted` or `complete`."""
        return self.about.status

    @property
    def state(self) -> str:
        """The status as it is now: what is `running` in no process was interrupted."""
        status = self.status
        return "interrupted" if status == "running" and not self.is_held() else status

    @property
    def record_path(self) -> Path:
        return self.path / "record.zarr"

    @property
    def checkpoints(self) -> Path:
        return self.path / "checkpoints"

    @property
    def lease(self) -> Path:
        return self.path / "cluster.json"

    @property
    def way_on(self) -> str:
        """What continues the run while it is unfinished."""
        if self.about.by == "recorder":
            return f"`nucleate.record.Recorder({str(self.path)!r})` in its loop"
        return f"`nucleate resume {self.path}`"

    def exists(self) -> bool:
        """Whether there is a run in the folder."""
        return self._about_file.exists()

    def refuse_foreign(self, way_out: str = "choose another folder with --out") -> None:
        """Refuse to write to a folder that holds anything but a run, or the beginnings of one."""
        if not self.exists() and not self.folder.is_fresh():
            raise RunError(f"{self.path} is neither empty nor a run directory; {way_out}.")

    @property
    def folder(self) -> Folder:
        return Folder(self.path, _MADE, _UNFINISHED)

    @property
    def _about_file(self) -> Path:
        return self.path / "run.json"

    def update(self, **changes: Any) -> None:
        """Change fields of `run.json`, atomically."""
        document.update(About, self._about_file, **changes)

    def record(self) -> "xr.Dataset":
        """The record, lazily. A complete run with a missing chunk is an error, an unfinished one is not."""
        from nucleate.record.opening import open_record

        about = self.about
        if not self.record_path.exists():
            raise RunError(f"{self.path} has no record yet; {self.way_on} makes it.")
        record = open_record(self.record_path, complete=about.status == "complete")
        there = {"members": record.sizes.get("member"), "steps": record.attrs.get("steps", about.steps)}
        for name, size in there.items():
            if getattr(about, name) != size:
                raise RunError(
                    f"{self._about_file}: {name} must be {size}, as in the record; got {getattr(about, name)}."
                )
        return record

    def lock(self) -> AbstractContextManager[None]:
        """Hold the run for writing."""
        return self.folder.lock()

    def is_held(self) -> bool:
        """Whether some process is writing this run now. A killed one is not, whatever its status says."""
        return self.folder.is_locked()


def list_runs(root: Path) -> list[Run]:
    """Every run below `root`, oldest first. Those that cannot be read come last; `Run.open` says why they cannot."""
    created = {}
    for folder, folders, _ in os.walk(root):
        run = Run(Path(folder))
        if run._about_file.is_file():
            folders[:] = sorted(set(folders) - set(_MADE))  # a record has too many to look through
            try:
                created[run] = (0, run.about.created)
            except RunError:
                created[run] = (1, "")
    return sorted(created, key=lambda run: (created[run], run.path))


def provenance() -> dict[str, Any]:
    """Who, where, when and with what: what a result needs to be believed later."""
    from datetime import UTC, datetime

    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": dict(_versions()),
        "git": _git_state(),
        "platform": {
            "python": platform.python_version(),
            "system": platform.platform(),
            "machine": platform.machine(),
            "cores": os.cpu_count(),
            "instructions": instruction_set(),
            "xla_flags": os.environ.get("XLA_FLAGS", ""),
        },
    }


@cache
def _versions() -> Mapping[str, str]:
    """Of packages, as they were when this process first asked: what it has imported does not change."""
    versions = {}
    for name in _RECORDED_PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions


def _git_state() -> str:
    """Commit of the folder the user works in, with a mark when it has uncommitted changes."""
    try:
        described = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12"],
            capture_output=True,
            text=True,
            timeout=5,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return described.stdout.strip() or "unknown"
