"""Papers by name or by file, each loaded when it is asked for."""

import ast
import importlib
import sys
from pathlib import Path
from typing import Any

from nucleate.checking import checked, shown
from nucleate.fleet.files import import_file
from nucleate.papers.names import PAPERS, is_file, offered, refuse_unknown
from nucleate.papers.paper import Paper
from nucleate.record import RunError, code_beside

_ALL = "all"  # which the command line takes for every paper


@checked
def paper(name: str) -> Paper:
    """The paper of that name, nucleate's or an installed package's, or that in a file of your own: "./my_paper.py".

    Raises `LookupError`, listing the known papers, if there is none of that name; a `RunError` says what is wrong with
    a file.
    """
    if is_file(name):
        return _in_file(Path(name).expanduser())
    if name in PAPERS:
        return importlib.import_module(f"nucleate.papers.{name}").PAPER
    refuse_unknown(name)
    return _of_package(name)


def home_of(paper: Paper) -> dict[str, str]:
    """The file of a paper that cannot be found by its name, and the identity of the code there; nothing if it is in no
    file, such as one of a notebook. Other modules may have imported it: its home is where it is made."""
    if paper.name in (*PAPERS, *offered()):
        return {}
    named = [getattr(module, "__dict__", {}) for module in [*sys.modules.values()]]  # there are stranger things there
    files = [Path(names.get("__file__") or "").resolve() for names in named if _is(paper, names.get("PAPER"))]
    files = [file for file in files if file.is_file()]
    home = next((file for file in files if _line(str(file))), next(iter(files), None))
    return {} if home is None else {"file": str(home), "code": code_beside(home)}


def _is(paper: Paper, found: Any) -> bool:
    return isinstance(found, Paper) and found.claims is paper.claims


def _in_file(file: Path) -> Paper:
    module = import_file(file)
    found = vars(module).get("PAPER")
    if found is None:
        raise RunError(f"{file} has no PAPER: end it with `PAPER = Paper(…)`, as examples/own_paper.py does.")
    if not isinstance(found, Paper):
        raise RunError(f"{file}{_line(module.__file__)}: PAPER must be a nucleate.papers.Paper; got {shown(found)}.")
    if found.name in (*PAPERS, _ALL):
        taken = "stands for every paper" if found.name == _ALL else "comes with nucleate"
        raise RunError(
            f"{file}{_line(module.__file__)}: the PAPER is called '{found.name}', which {taken}: call it otherwise."
        )
    return found


def _line(file: str | None) -> str:
    """Where PAPER is made, for a message."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8")) if file else ast.Module([], [])
    for line in tree.body:
        targets = line.targets if isinstance(line, ast.Assign) else [getattr(line, "target", None)]
        if any(isinstance(each, ast.Name) and each.id == "PAPER" for each in targets):
            return f", line {line.lineno}"
    return ""


def _of_package(name: str) -> Paper:
    point = offered()[name]
    whose = f"the paper '{name}' of the package {point.dist.name if point.dist else point.value}"
    try:
        found = point.load()
    except Exception as error:
        raise RunError(f"{whose} cannot be loaded: {type(error).__name__}: {error}.") from error
    found = getattr(found, "PAPER", found)
    if not isinstance(found, Paper) or found.name != name:
        said = f"is called '{found.name}'" if isinstance(found, Paper) else f"is {shown(found)}"
        raise RunError(f"{whose} {said}: its entry point must name a Paper of that name, or a module with it as PAPER.")
    return found
