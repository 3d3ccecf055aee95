"""How `nucleate list` shows papers: as they describe themselves; of nucleate's own, nothing that trains is imported."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from nucleate.cli.printing import say, show
from nucleate.cli.targets import paper_of
from nucleate.papers import Description


def described(name: str) -> Description:
    """A paper in words and numbers, by its name or its file. One that does not come with nucleate is imported."""
    from nucleate.papers import PAPERS, description

    if name in PAPERS:
        return description(name)
    paper = paper_of(name)  # in one line if there is none
    from nucleate.papers.describe import describe

    return describe(paper)


def show_offer(point: Any) -> None:
    """A paper of an installed package, which is not imported for that."""
    say(Text(point.name, style="bold"), f" of the package {point.dist.name if point.dist else point.value}")


def show_summary(paper: Description) -> None:
    """Two lines: what it is, and how much there is of it."""
    _title(paper)
    say(f"  {_counted(paper.claims, 'claim')}, {_counted(paper.experiments, 'experiment')}")


def show_paper(paper: Description) -> None:
    """Its experiments at the standard budget, and its claims."""
    _title(paper)
    say()
    experiments = Table("experiment", "networks", "steps", title="experiments (standard size)", title_justify="left")
    for each in paper.experiments:
        experiments.add_row(each.name, _told(each.networks), each.later or _told(each.steps))
    show(experiments)
    claims = Table("claim", title="claims", title_justify="left", expand=True)
    for heading, ratio in (("where", 2), ("statement", 4), ("needs", 2)):
        claims.add_column(heading, ratio=ratio)
    for claim in paper.claims:
        needs = ", ".join(name.split("/")[1] for name in claim.needs) or "no training"
        claims.add_row(claim.id, claim.source, claim.statement, needs)
    show(claims)


def _title(paper: Description) -> None:
    say(Text(paper.name, style="bold"), f" {paper.title}. {paper.reference}")


def _told(count: int | None) -> str:
    return "–" if count is None else str(count)


def _counted(things: Sequence, noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"
