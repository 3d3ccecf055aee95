"""Where a replication keeps its results, and what they depend on."""

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nucleate.papers.paper import Paper
from nucleate.record import Keep, code_identity


def keep_for(paper: Paper, effort: Any, into: Path) -> Keep | None:
    """Results in `into/kept`, valid for this code and effort; None if some of the code is in no file, such as a
    notebook's, because then there is no telling whether it has changed.

    For a paper from elsewhere, the code is also that of the packages of its claims and figures, or the folder of a
    module that is in no package.
    """
    functions = [*(claim.measure for claim in paper.claims), *paper.figures]
    files = [file for function in functions if (file := _file(function))]
    if len(files) < len(functions):
        return None
    identity = f"{code_identity(files)} {effort!r}"
    trusted = {function.__module__.split(".")[0] for function in functions}
    return Keep(into / "kept", hashlib.sha256(identity.encode()).hexdigest(), tuple(sorted(trusted)))


def _file(function: Callable) -> Path | None:
    file = getattr(sys.modules.get(function.__module__), "__file__", None)
    return Path(file) if file and Path(file).exists() else None
