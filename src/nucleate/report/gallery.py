"""Pictures that were drawn before need not be drawn again."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from nucleate.plots import Picture
from nucleate.record import Keep, Run, code_identity, record_identity, verify


@final
@dataclass(frozen=True)
class Gallery:
    """The pictures of a run, in its folder `figures`. What the same code drew of the same record is found, as long as
    the files are as they were; the record is verified, as drawing it again would. While a run is unfinished its record
    grows, so nothing is found."""

    run: Run

    @property
    def folder(self) -> Path:
        return self.run.path / "figures"

    def find(self, name: str) -> list[Picture] | None:
        """The pictures that were kept under a name; None if they must be drawn."""
        found = self._keep().find(name, self._source()) if self.run.about.status == "complete" else None
        listed = found[0] if found else None
        if listed is None or not are_unchanged(listed, self.folder):
            return None
        verify(self.run.record_path)
        return pictured(listed, self.folder)

    def keep(self, name: str, pictures: Sequence[Picture]) -> None:
        """Have pictures found later under a name."""
        if self.run.about.status == "complete":
            self._keep().store(name, listed(pictures, self.folder), self._source())

    def _source(self) -> dict[str, str]:
        """What pictures are made of: the run, and what its record says that it holds, which a Recorder can add to."""
        contents = (self.run.record_path / "zarr.json").read_bytes()
        return {"run": record_identity(self.run.about), "record": hashlib.sha256(contents).hexdigest()}

    def _keep(self) -> Keep:
        self.run.folder.refuse_links()
        return Keep(self.run.path / "kept", hashlib.sha256(code_identity().encode()).hexdigest())


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
