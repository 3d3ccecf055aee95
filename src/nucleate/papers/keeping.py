"""Where a replication keeps its results, and the identity of the code that they were computed by."""

import hashlib
import sys
from functools import cache
from pathlib import Path
from typing import Any

import nucleate
from nucleate.papers.paper import Paper
from nucleate.record import Keep


def keep_for(paper: Paper, effort: Any, into: Path) -> Keep:
    """Results in `into/kept`, valid for this code and effort.

    The code is nucleate's own and, for a paper from elsewhere, all loaded modules in the folder of its claims.
    """
    homes = {Path(file).parent for claim in paper.claims if (file := _file_of(claim.measure)) is not None}
    home = Path(nucleate.__file__).parent
    files = set(home.rglob("*.py"))
    for own in homes:
        if not own.is_relative_to(home):
            loaded = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
            files |= {Path(file) for file in loaded if file and Path(file).parent.is_relative_to(own)}
    modules = {claim.measure.__module__.split(".")[0] for claim in paper.claims}
    code = hashlib.sha256(f"{_hash(frozenset(files))} {effort!r}".encode()).hexdigest()
    return Keep(into / "kept", code, tuple(sorted(modules)))


def _file_of(function: Any) -> str | None:
    return getattr(sys.modules.get(function.__module__), "__file__", None)


@cache
def _hash(files: frozenset[Path]) -> str:
    """Of the names and contents of files, as they were when this process began to measure."""
    total = hashlib.sha256()
    for file in sorted(files):
        total.update(f"{file.name}\0".encode() + file.read_bytes() + b"\0")
    return total.hexdigest()
