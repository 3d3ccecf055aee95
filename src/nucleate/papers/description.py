"""What a paper says of itself: read from a file beside its code, so that none of that is imported."""

from dataclasses import dataclass
from pathlib import Path

from nucleate.papers.names import PAPERS, refuse_unknown
from nucleate.record import document

FILE = "description.json"


@dataclass(frozen=True)
class DescribedExperiment:
    """An experiment at the standard budget: its networks and steps or, where they are not known yet, `later`: when
    they will be. `portraits`: whether its paper has figures for any run of it."""

    name: str
    networks: int | None = None
    steps: int | None = None
    later: str = ""
    portraits: bool = False


@dataclass(frozen=True)
class DescribedClaim:
    """A claim, where its paper makes it, and the experiments that it needs."""

    id: str
    source: str
    statement: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Description:
    """A paper with its experiments and claims, in words and numbers."""

    name: str
    title: str
    reference: str
    experiments: tuple[DescribedExperiment, ...]
    claims: tuple[DescribedClaim, ...]


def description(name: str) -> Description:
    """What one of nucleate's papers says of itself; `describe` says it of any, which is imported for that. Raises
    `LookupError`, listing the known papers, if there is none of that name."""
    if name not in PAPERS:
        refuse_unknown(name)
        raise LookupError(f"the paper '{name}' is a package's, which has not written down what it says of itself.")
    return document.read(Description, Path(__file__).parent / name / FILE)
