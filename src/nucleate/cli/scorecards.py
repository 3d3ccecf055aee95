"""`nucleate scorecards`: the verdicts of several replications on one page."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from nucleate.cli.parsing import UsageError
from nucleate.cli.printing import say


@dataclass(frozen=True)
class Scorecards:
    """Write the verdicts of several replications as one page of Markdown: how many of each, whether those of one paper
    agree, then every claim with its reason and the history of its rule.

    Examples:
      nucleate scorecards runs/grokking-standard runs/circles-standard > scorecards.md
      nucleate scorecards runs/circles-standard runs/circles-standard-from-1000
    """

    folders: Annotated[tuple[Path, ...], tyro.conf.arg(metavar="FOLDER…"), tyro.conf.Positional] = ()
    """Folders of replications, or their scorecard.json files."""

    def __call__(self) -> None:
        from nucleate.claims import ClaimRow, read_json, to_overview
        from nucleate.papers import Replication

        if not self.folders:
            raise UsageError("nucleate scorecards: of which replications? Name their folders.")
        cards: dict[tuple[str, str], list[ClaimRow]] = {}
        for folder in {folder.resolve(): folder for folder in self.folders}.values():
            if folder.is_file():
                rows, conditions = read_json(folder), ""
            else:
                replication = Replication.open(folder)
                rows, conditions = replication.rows(), replication.about.conditions
            key = (rows[0].paper if rows else folder.name, conditions)
            if {row.claim for row in cards.get(key, [])} & {row.claim for row in rows}:  # another replication of them
                key = (key[0], "; ".join(filter(None, (conditions, str(folder)))))
            cards.setdefault(key, []).extend(rows)
        say(to_overview(cards).rstrip("\n"))
