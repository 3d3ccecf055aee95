"""Pictures that were drawn before need not be drawn again."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from nucleate.plots import Picture
from nucleate.record import Keep, Run, code_identity, record_identity


@final
@dataclass(frozen=True)
class Gallery:
    """The pictures of a run, in its folder `figures`. What the same code drew of the same record is found, as long as
    the files are as they were. While a run is unfinished its record grows, so nothing is found."""

    run: Run

    @property
    def folder(self) -> Path:
        return self.run.path / "figures"

    def find(self, name: str) -> list[Picture] | None:
        """The pictures that were kept under a name; None if they must be drawn."""
        about = self.run.about
        found = self._keep().find(name, {_RUN: record_identity(about)}) if about.status == "complete" else None
        listed = found[0] if found else None
        return pictured(listed, self.folder) if listed is not None and are_unchanged(listed, self.folder) else None

    def keep(self, name: str, pictures: Sequence[Picture]) -> None:
        """Have pictures found later under a name."""
        about = self.run.about
        if about.status == "complete":
            self._keep().store(name, listed(pictures, self.folder), {_RUN: record_identity(about)})

    def _keep(self) -> Keep:
        self.run.folder.refuse_links()
        return Keep(self.run.path / "kept", hashlib.sha256(code_identity().encode()).hexdigest())


_RUN = "run"  # the source of all its pictures

Listed = tuple[str, str, str, str]
"""File, title, caption and checksum of a picture."""


def listed(pictures: Sequence[Picture], folder: Path) -> list[Listed]:
    """Pictures in a folder, as they are kept."""
    return [(p.path.relative_to(folder).as_posix(), p.title, p.caption, _checksum(p.path)) for p in pictures]


def pictured(listed: Sequence[Listed], folder: Path) -> list[Picture]:
    """Kept pictures, in their folder."""
    return [Picture(folder / file, title, caption) for file, title, caption, _ in listed]


def are_unchanged(listed: Sequence[Listed], folder: Path) -> bool:
    """Whether the files are still there, and the same."""
    return all(_checksum(folder / file) == checksum for file, _, _, checksum in listed)


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""
