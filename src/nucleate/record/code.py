"""The identity of the code that a result was computed by."""

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import nucleate
from nucleate.record.run import provenance


def code_identity(files: Iterable[Path] = ()) -> str:
    """Of nucleate's own code, the versions of the packages it depends on, and the packages of further files; or the
    folder of a file that is in no package."""
    code = sorted({_hash(*_home(file)) for file in (Path(nucleate.__file__), *files)})
    return f"{code} {provenance()['versions']}"


def code_beside(file: Path) -> str:
    """Of the code of a file's package; or of its folder, if it is in none."""
    return _hash(*_home(file))[:16]


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
