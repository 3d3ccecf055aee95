"""A run directory: one folder, complete in itself.

run.json        what was run: config, versions, git state, platform, status, cost
record.zarr/    what was seen
checkpoints/    where each shard is, while the run is unfinished
figures/, report.html, scorecard.json    what was made of it
"""

import contextlib
import errno
import json
import os
import platform
import secrets
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import xarray as xr
from filelock import FileLock, Timeout

from nucleate.record.schema import SCHEMA_VERSION, RunError
from nucleate.record.store import open_record

_RECORDED_PACKAGES = (
    *("nucleate", "jax", "jaxlib", "equinox", "optax", "diffrax"),  # what trains
    *("numpy", "scipy", "scikit-learn", "xarray", "zarr", "matplotlib", "pillow"),  # and what measures and draws
)
_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}


@dataclass(frozen=True)
class Run:
    """A handle on a run directory. `Run.create` makes one, `Run.open` checks that a folder is one."""

    path: Path

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
        if not run._about_file.exists():
            raise RunError(f"{path} is not a run directory: it has no run.json. `nucleate runs` lists yours.")
        version = run.about.get("schema_version")
        if version != SCHEMA_VERSION:
            raise RunError(
                f"{path} was written with schema version {version}; this nucleate reads version {SCHEMA_VERSION}. "
                "Run its experiment again, or install the nucleate named in its run.json."
            )
        return run

    @property
    def about(self) -> dict[str, Any]:
        """The contents of `run.json`."""
        try:
            about = json.loads(self._about_file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RunError(f"{self._about_file} cannot be read: {error}") from error
        if not isinstance(about, dict):
            raise RunError(f"{self._about_file} is not a valid run.json: it is not a JSON object.")
        return about

    @property
    def status(self) -> str:
        """`created`, `running`, `interrupted` or `complete`."""
        return self.about["status"]

    @property
    def record_path(self) -> Path:
        return self.path / "record.zarr"

    @property
    def checkpoints(self) -> Path:
        return self.path / "checkpoints"

    @property
    def _about_file(self) -> Path:
        return self.path / "run.json"

    @property
    def _lock_file(self) -> Path:
        return self.path / "lock"

    def update(self, **changes: Any) -> None:
        """Change fields of `run.json`, atomically."""
        about = self.about if self._about_file.exists() else {}
        write_atomically(self._about_file, (json.dumps(about | changes, indent=2, default=str) + "\n").encode())

    def record(self) -> xr.Dataset:
        """The record, lazily. A complete run with a missing chunk is an error, an unfinished one is not."""
        return open_record(self.record_path, complete=self.status == "complete")

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the run for writing. The operating system lets go when the process dies, however it dies."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise RunError(f"{self.path} cannot be a run directory: there is a file in its place.") from None
        lock = FileLock(self._lock_file)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            raise RunError(
                f"{self.path} is being written by another process; wait for it, or give this run another folder "
                "with --out."
            ) from None
        try:
            yield
        finally:
            lock.release()

    def is_held(self) -> bool:
        """Whether some process is writing this run now. A killed one is not, whatever its status says.

        Nothing is written to find out, and a run that cannot be written is not being written.
        """
        if not self._lock_file.exists():
            return False
        try:
            with FileLock(self._lock_file, blocking=False):
                return False
        except Timeout:
            return True
        except OSError as error:
            if error.errno in _READ_ONLY:
                return False
            raise


def list_runs(root: Path) -> list[Run]:
    """Every readable run below `root`, oldest first."""
    runs = []
    for file in sorted(Path(root).glob("**/run.json")):
        with contextlib.suppress(RunError):
            runs.append(Run.open(file.parent))
    return sorted(runs, key=lambda run: run.about.get("created", ""))


def write_atomically(path: Path, content: bytes) -> None:
    """Replace a file so that a reader, or a crash, sees the old content or the new one and nothing between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not from `tempfile`, whose files are private: results are to be shared, as far as the user's umask says.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def provenance() -> dict[str, Any]:
    """Who, where, when and with what: what a result needs to be believed later."""
    from datetime import UTC, datetime

    versions = {}
    for name in _RECORDED_PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions,
        "git": _git_state(),
        "platform": {
            "python": platform.python_version(),
            "system": platform.platform(),
            "machine": platform.machine(),
            "cores": os.cpu_count(),
        },
    }


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
