"""The papers that come with nucleate, each loaded when it is asked for."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nucleate.papers.paper import Paper

PAPERS = ("grokking", "circles", "repons", "collisions", "attention", "algebra")


def paper(name: str) -> "Paper":
    """The paper of that name; raises `LookupError`, listing the known papers, if there is none."""
    refuse_unknown(name)
    return importlib.import_module(f"nucleate.papers.{name}").PAPER


def refuse_unknown(name: str) -> None:
    if name not in PAPERS:
        raise LookupError(
            f"there is no paper '{name}'; there are: {', '.join(PAPERS)}. "
            "A paper of your own is listed, replicated and resumed by its script."
        )
