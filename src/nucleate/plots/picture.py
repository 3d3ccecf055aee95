"""A picture as a report shows it."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Picture:
    """An image file (PNG or GIF) with its title and caption."""

    path: Path
    title: str
    caption: str
