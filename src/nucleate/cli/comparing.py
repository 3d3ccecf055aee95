"""`nucleate compare`: runs side by side."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.table import Table

from nucleate.cli.experiments import RUNS
from nucleate.cli.parsing import UsageError
from nucleate.cli.printing import say, show

_MOST_ROWS = 30


@dataclass(frozen=True)
class Compare:
    """Compare runs, of any experiments, recipes or recorders: settings that differ, where networks ended, with
    intervals, and, on a page, their curves. What runs do not share is said.

    Examples:
      nucleate compare runs/mine runs/other
      nucleate compare runs/tour/data-size runs/loop --out comparison.html
    """

    runs: Annotated[tuple[Path, ...], tyro.conf.arg(metavar="RUN RUN…"), tyro.conf.Positional] = ()
    """The folders of the runs."""
    out: Path = RUNS / "comparison.html"
    """Where to put the page."""

    def __call__(self) -> None:
        from nucleate.record import Run
        from nucleate.report import compare, told, write_comparison

        if len(self.runs) < 2:
            raise UsageError("nucleate compare: name the folders of two runs or more; `nucleate runs` lists yours.")
        if self.out.suffix != ".html":
            raise UsageError(f"nucleate compare: --out must be the name of a page, ending in .html; got {self.out}.")
        runs = [Run.open(path) for path in self.runs]
        found = compare(runs)
        _show("Settings that differ", ("setting", *found.names), [(row.name, *row.values) for row in found.settings])
        say(f"{found.alike} settings are the same in all.")
        ends = [(each.quantity, each.where, *map(told, each.estimates)) for each in found.endings]
        _show("Where networks ended: median [95 %]", ("quantity", "at", *found.names), ends)
        for line in found.apart:
            say(line)
        say("\nPage:", write_comparison(self.out, found, runs))


def _show(title: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    if not rows:
        return
    say(title, style="bold")
    shown = Table(*head)
    for row in rows[:_MOST_ROWS]:
        shown.add_row(*row)
    show(shown)
    if len(rows) > _MOST_ROWS:
        say(f"{len(rows) - _MOST_ROWS} more are on the page.")
