"""A scorecard: many verdicts, as typed rows that JSON, Markdown, the terminal and the HTML report all read."""

import dataclasses
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from rich.table import Table
from rich.text import Text

from nucleate.checking import Infinite
from nucleate.claims.formats import interval, number
from nucleate.record import write_atomically
from nucleate.record.document import read_as, read_tree

VERDICTS = {"replicated": "green", "contradicted": "red", "inconclusive": "yellow", "shown": "cyan"}
"""Each verdict and its colour. What is only shown counts neither for nor against a paper."""
_WIDE = 110  # columns from which on every part of a claim has room beside the others
_PUBLIC = ("claim", "paper", "statement", "verdict", "expected", "measured", "interval", "members", "steps", "seconds")

_Number = Annotated[float, Infinite()]


@dataclass(frozen=True)
class Revision:
    """A rule by which a claim was judged before: the rule, the verdict it gave, and why it was changed, as the end of
    a sentence: "any network would have passed."."""

    rule: str
    verdict: str
    why: str


@dataclass(frozen=True)
class CheckRow:
    """A check with what was found. Defaults are those of scorecards that did not have the field yet."""

    label: str
    expected: str
    verdict: str
    measured: _Number | None
    """None: unknown. It may be infinite (never)."""
    interval: tuple[_Number, _Number] | None
    """None: open on both sides."""
    region: str = ""
    threshold: str = ""
    units: int = 0
    reason: str = ""
    """Why it is inconclusive."""
    judged: str = ""
    """When it can first be judged."""
    lacks: str = ""
    """What the runs lack for that."""

    def __post_init__(self):
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict must be one of {', '.join(VERDICTS)}; got {self.verdict!r}.")

    @property
    def found(self) -> str:
        """A value with its interval, which an exact number does not need.

        >>> CheckRow("R²", "near 1", "inconclusive", 0.4, (0.35, 0.45), units=8).found
        '0.4 [0.35, 0.45]'
        """
        bounds = interval(self.interval, always=self.units > 0)
        return f"{number(self.measured)} {bounds}".strip()

    @property
    def accepted(self) -> str:
        """The rule, with whose number it is.

        >>> CheckRow("R²", "near 1", "replicated", 0.99, None, "≥ 0.95", "ours", judged="from 100 steps on").accepted
        'R² ≥ 0.95 (threshold: ours; from 100 steps on)'
        """
        if self.verdict == "shown":
            return f"{self.label}: shown, not judged"
        remarks = [f"threshold: {self.threshold}"] if self.threshold else []
        remarks += [self.judged] if self.judged else []
        return f"{self.label} {self.region}" + (f" ({'; '.join(remarks)})" if remarks else "")


@dataclass(frozen=True)
class ClaimRow:
    """A claim with its verdict: contradicted if any check is, replicated if all are, inconclusive otherwise. Checks
    that are only shown have no say; a claim that has no others is shown."""

    claim: str
    paper: str
    source: str
    statement: str
    members: int
    steps: int
    seconds: float
    note: str
    checks: tuple[CheckRow, ...]
    quote: str = ""
    history: tuple[Revision, ...] = ()
    needs: tuple[str, ...] = ()
    """The experiments that it looks at."""
    look: int = 1
    """At which of the planned looks it was judged last."""
    level: float = 0.95
    """Of its intervals."""
    outlook: str = ""
    """What would decide it, if more networks could."""

    def __post_init__(self):
        if not self.checks:
            raise ValueError("checks must be at least one; got none.")

    @property
    def verdict(self) -> str:
        verdicts = {check.verdict for check in self.checks}
        ranked = ("contradicted", "inconclusive", "replicated", "shown")
        return next(verdict for verdict in ranked if verdict in verdicts)

    @property
    def decisive(self) -> CheckRow:
        """The check that the verdict rests on: the first that has it."""
        return next(check for check in self.checks if check.verdict == self.verdict)

    @property
    def reason(self) -> str:
        """Why the claim is inconclusive; empty if it is not."""
        return self.decisive.reason

    @property
    def why(self) -> str:
        """The reason, and what would help."""
        return ": ".join(filter(None, (self.reason, self.outlook)))

    @property
    def expected(self) -> str:
        return f"{self.decisive.label}: {self.decisive.expected}"

    @property
    def measured(self) -> float | None:
        return self.decisive.measured

    @property
    def interval(self) -> tuple[float, float] | None:
        return self.decisive.interval

    @property
    def rule(self) -> str:
        return "; ".join(check.accepted for check in self.checks)

    @property
    def cost(self) -> str:
        """Networks and steps."""
        return f"{self.members:,} × {self.steps:,}" if self.members and self.steps else "no training"

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types, with what follows from the checks spelled out for other programs."""
        derived = {name: getattr(self, name) for name in ("verdict", "reason", "expected", "measured", "interval")}
        return _infinities_as_text(dataclasses.asdict(self) | derived | {"rule": self.rule})


def _infinities_as_text(tree: Any) -> Any:
    """JSON has no infinite numbers: text that Python and JavaScript can read as such."""
    if isinstance(tree, dict):
        return {key: _infinities_as_text(value) for key, value in tree.items()}
    if isinstance(tree, list | tuple):
        return type(tree)(map(_infinities_as_text, tree))
    return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(tree, tree) if isinstance(tree, float) else tree


def _with_regions(row: ClaimRow, rule: str) -> ClaimRow:
    """A row of an earlier version, whose regions were in the rule alone: "label region; label region"."""
    parts = rule.split("; ")
    if any(check.region for check in row.checks) or len(parts) != len(row.checks):
        return row
    regions = [part.removeprefix(f"{check.label} ") for part, check in zip(parts, row.checks, strict=True)]
    checks = [dataclasses.replace(check, region=region) for check, region in zip(row.checks, regions, strict=True)]
    return dataclasses.replace(row, checks=tuple(checks))


def to_table(rows: Sequence[ClaimRow], title: str, width: int = _WIDE) -> Table:
    """For a terminal of `width` columns: on a narrow one, what is said of a claim stands below its statement."""
    table = Table(title=Text(title), title_justify="left", expand=True, show_lines=width < _WIDE)
    table.add_column("claim", no_wrap=True)
    for heading, ratio in (("verdict", None), ("statement", 3), ("expected", 2), ("measured", 2)):
        if width >= _WIDE or heading == "statement":
            table.add_column(heading, ratio=ratio, no_wrap=not ratio)
    for row in rows:
        verdict = Text(row.verdict, style=f"bold {VERDICTS[row.verdict]}")
        verdict.append(f"\n{row.reason}" if row.reason else "", style="not bold dim")
        if width >= _WIDE:
            table.add_row(Text(row.claim), verdict, *map(Text, (row.statement, row.expected, row.decisive.found)))
        else:
            said = f"{row.statement}\nexpected  {row.expected}\nmeasured  {row.decisive.found}"
            table.add_row(Text("\n").join([Text(row.claim), verdict]), Text(said))
    return table


def summary(rows: Sequence[ClaimRow]) -> str:
    """How many of each verdict: "2 replicated, 1 contradicted, 0 inconclusive", and those shown if there are any."""
    counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in VERDICTS}
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count or verdict != "shown")


def write_json(rows: Sequence[ClaimRow], path: Path, *, public: bool = False) -> None:
    """Everything known about each claim or, with `public`, the ten documented fields."""
    whole = [row.to_json() for row in rows]
    chosen = [{key: row[key] for key in _PUBLIC} for row in whole] if public else whole
    write_atomically(Path(path), (json.dumps(chosen, indent=2, ensure_ascii=False) + "\n").encode())


def read_json(path: Path) -> list[ClaimRow]:
    """The scorecard in a file, of this version or an earlier one; a `RunError` that names the file if it is not one."""
    tree = read_tree(path)
    rows = read_as(tuple[ClaimRow, ...], tree, path)
    return [_with_regions(row, str(written.get("rule", ""))) for row, written in zip(rows, tree, strict=True)]
