"""The papers that there are: those that come with nucleate, those that installed packages offer, and those in files."""

from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

PAPERS = ("grokking", "circles", "repons", "collisions", "attention", "algebra")
"""Those that come with nucleate."""
GROUP = "nucleate.papers"
"""The group of entry points by which a package offers a paper: its name, and the module or package that has `PAPER`."""


def offered() -> Mapping[str, Any]:
    """The entry points of papers of installed packages, by name; a name of nucleate's own is not theirs."""
    return {point.name: point for point in entry_points(group=GROUP) if point.name not in PAPERS}


def is_file(name: str) -> bool:
    """Whether a paper is named by the file, or the folder, that it is in.

    >>> [is_file(name) for name in ("grokking", "my_paper.py", "./my_paper", "/papers/mine/")]
    [False, True, True, True]
    """
    return name.endswith(".py") or name.startswith((".", "~")) or Path(name).is_absolute()


def refuse_unknown(name: str) -> None:
    """Refuse a name that no paper has."""
    if name not in (*PAPERS, *offered()):
        raise LookupError(
            f"there is no paper '{name}'; there are: {', '.join((*PAPERS, *offered()))}. "
            "One of your own is named by its file: ./my_paper.py."
        )
