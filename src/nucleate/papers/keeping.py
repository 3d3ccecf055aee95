"""Where a replication keeps its results, and the identity of the code that they were computed by."""

import hashlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import nucleate
from nucleate.papers.paper import Paper
from nucleate.record import Keep, provenance


def keep_for(paper: Paper, effort: Any, into: Path) -> Keep | None:
    """Results in `into/kept`, valid for this code and effort; None if some of the code is in no file, such as a
    notebook's, because then there is no telling whether it has changed.

    The code is nucleate's own, the versions of the packages it depends on and, for a paper from elsewhere, the
    packages of its claims and figures, or the folder of a module that is in no package.
    """
    functions = [*(claim.measure for claim in paper.claims), *paper.figures]
    files = [Path(nucleate.__file__), *map(_file, functions)]
    if None in files:
        return None
    code = sorted({_hash(*_home(file)) for file in files if file})
    identity = f"{code} {provenance()['versions']} {effort!r}"
    trusted = {function.__module__.split(".")[0] for function in functions}
    return Keep(into / "kept", hashlib.sha256(identity.encode()).hexdigest(), tuple(sorted(trusted)))


def _file(function: Callable) -> Path | None:
    file = getattr(sys.modules.get(function.__module__), "__file__", None)
    return Path(file) if file and Path(file).exists() else None


def _home(file: Path) -> tuple[Path, str]:
    """The folder of a module's whole package, or of the module if it is in none, and which files in it count."""
    folder, pattern = file.parent, "*.py"
    while (folder / "__init__.py").exists():
        folder, pattern = folder.parent, f"{folder.name}/**/*.py"
    return folder, pattern


@cache
def _hash(folder: Path, pattern: str) -> str:
    """Of the names and contents of files, as they were when this process first asked."""
    total = hashlib.sha256()
    for file in sorted(folder.glob(pattern)):
        total.update(f"{file.relative_to(folder)}\0".encode() + file.read_bytes() + b"\0")
    return total.hexdigest()
