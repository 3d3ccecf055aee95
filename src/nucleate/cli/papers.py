"""How `nucleate list` shows papers: as they describe themselves, so that nothing that trains is imported."""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from nucleate.cli.parsing import UsageError
from nucleate.cli.printing import say, show

if TYPE_CHECKING:
    from nucleate.papers import Description


@contextlib.contextmanager
def known_papers() -> Iterator[None]:
    """In this block, a paper that there is not is the user's mistake."""
    try:
        yield
    except LookupError as mistake:
        raise UsageError(str(mistake)) from None


def show_summary(paper: "Description") -> None:
    """Two lines: what it is, and how much there is of it."""
    _title(paper)
    say(f"  {len(paper.claims)} claims, {len(paper.experiments)} experiments")


def show_paper(paper: "Description") -> None:
    """Its experiments at the standard budget, and its claims."""
    _title(paper)
    say()
    experiments = Table(
        "experiment", "networks", "steps", title="experiments (standard size)", title_justify="left"
    )
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


def _title(paper: "Description") -> None:
    say(Text(paper.name, style="bold"), f" {paper.title}. {paper.reference}")


def _told(count: int | None) -> str:
    return "–" if count is None else str(count)
