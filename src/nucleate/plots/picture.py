"""A picture as a report shows it."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Picture:
    """An image file (PNG or GIF) with its title and caption, and the experiments that it shows, if that is known."""

    path: Path
    title: str
    caption: str
    experiments: tuple[str, ...] = ()

    @property
    def data(self) -> Path | None:
        """What it shows, as CSV: the file that `save` has left beside it."""
        file = self.path.with_suffix(".csv")
        return file if self.path.suffix == ".png" and file.exists() else None
