"""A scorecard: many verdicts, as typed rows that JSON, Markdown, the terminal and the HTML report all read."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from rich.table import Table
from rich.text import Text

from nucleate.claims.formats import interval, number
from nucleate.record import RunError, write_atomically

Row = TypeVar("Row", "Revision", "CheckRow", "ClaimRow")

VERDICTS = {"replicated": "green", "contradicted": "red", "inconclusive": "yellow"}
_PUBLIC = ("claim", "paper", "statement", "verdict", "expected", "measured", "interval", "members", "steps", "seconds")


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
    measured: float | None
    interval: tuple[float, float] | None
    region: str = ""
    threshold: str = ""
    units: int = 0
    reason: str = ""
    """Why it is inconclusive."""
    judged: str = ""
    """When it can first be judged."""
    lacks: str = ""
    """What the runs lack for that."""

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
        remarks = [f"threshold: {self.threshold}"] if self.threshold else []
        remarks += [self.judged] if self.judged else []
        return f"{self.label} {self.region}" + (f" ({'; '.join(remarks)})" if remarks else "")


@dataclass(frozen=True)
class ClaimRow:
    """A claim with its verdict: contradicted if any check is, replicated if all are, inconclusive otherwise."""

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

    @property
    def verdict(self) -> str:
        verdicts = [check.verdict for check in self.checks]
        if "contradicted" in verdicts:
            return "contradicted"
        return "inconclusive" if "inconclusive" in verdicts else "replicated"

    @property
    def decisive(self) -> CheckRow:
        """The check that the verdict rests on: the first that has it."""
        return next(check for check in self.checks if check.verdict == self.verdict)

    @property
    def reason(self) -> str:
        """Why the claim is inconclusive; empty if it is not."""
        return self.decisive.reason

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
        return dataclasses.asdict(self) | derived | {"rule": self.rule}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "ClaimRow":
        """The row that `to_json` wrote, by this version or an earlier one; `ValueError` if it is not one.

        >>> ClaimRow.from_json({"claim": "grokking/14"})
        Traceback (most recent call last):
        ValueError: scorecard row 'grokking/14' lacks ['checks', 'members', 'note', ...
        """
        what = f"scorecard row {row.get('claim')!r}"
        checks = tuple(_check(check, what) for check in row.get("checks", ()))
        history = tuple(_parsed(Revision, past, f"the history of {what}") for past in row.get("history", ()))
        parsed = _parsed(cls, row, what, checks=checks, history=history)
        if not checks:
            raise ValueError(f"{what} has no checks.")
        return parsed if any(check.region for check in checks) else _with_regions(parsed, row.get("rule", ""))


def _check(check: Mapping[str, Any], what: str) -> CheckRow:
    interval = check.get("interval")
    parsed = _parsed(CheckRow, check, f"check {check.get('label')!r} of {what}", interval=interval and tuple(interval))
    if parsed.verdict not in VERDICTS:
        raise ValueError(f"{what}: verdict must be one of {list(VERDICTS)}; got {parsed.verdict!r}.")
    return parsed


def _parsed(kind: type[Row], row: Mapping[str, Any], what: str, **parts: Any) -> Row:
    """A row from JSON; `parts`: its fields that are not plain."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    needed = {name for name, field in fields.items() if field.default is dataclasses.MISSING}
    if missing := needed - row.keys():
        raise ValueError(f"{what} lacks {sorted(missing)}.")
    return kind(**({name: row[name] for name in fields if name in row} | parts))


def _with_regions(row: ClaimRow, rule: str) -> ClaimRow:
    """A row whose checks did not have their regions yet, which were in the rule alone: "label region; label region"."""
    parts = rule.split("; ")
    if len(parts) != len(row.checks):
        return row
    regions = [part.removeprefix(f"{check.label} ") for part, check in zip(parts, row.checks, strict=True)]
    checks = [dataclasses.replace(check, region=region) for check, region in zip(row.checks, regions, strict=True)]
    return dataclasses.replace(row, checks=tuple(checks))


def to_table(rows: Sequence[ClaimRow], title: str) -> Table:
    """For a terminal."""
    table = Table(title=title, title_justify="left", expand=True, show_lines=False)
    table.add_column("claim", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("statement", ratio=3)
    table.add_column("expected", ratio=2)
    table.add_column("measured", ratio=2)
    for row in rows:
        verdict = Text(row.verdict, style=f"bold {VERDICTS[row.verdict]}")
        if row.reason:
            verdict.append(f"\n{row.reason}", style="not bold dim")
        table.add_row(row.claim, verdict, *map(Text, (row.statement, row.expected, row.decisive.found)))
    return table


def summary(rows: Sequence[ClaimRow]) -> str:
    """How many of each verdict: "2 replicated, 1 contradicted, 0 inconclusive"."""
    return ", ".join(f"{sum(row.verdict == verdict for row in rows)} {verdict}" for verdict in VERDICTS)


def to_markdown(rows: Sequence[ClaimRow]) -> str:
    """For a document: the table, then each claim in full."""
    lines = [
        "| claim | where | statement | verdict | expected | measured | members × steps | seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        verdict = f"**{row.verdict}**" + (f" ({row.reason})" if row.reason else "")
        cells = [row.claim, row.source, row.statement, verdict, row.expected]
        cells += [row.decisive.found, row.cost, f"{row.seconds:.1f}"]
        lines.append("| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |")
    lines.append("")
    for row in rows:
        lines += _in_full(row)
    return "\n".join(lines)


def _in_full(row: ClaimRow) -> list[str]:
    lines = [f"**{row.claim}** ({row.verdict}). Accepted if: {row.rule}.", ""]
    if row.quote:
        lines += [*(f"> {line}" for line in row.quote.splitlines()), ""]
    for check in row.checks:
        remark = f": {check.reason}" if check.reason else ""
        remark += f" ({check.lacks})" if check.lacks else ""
        lines.append(f"- {check.label}: {check.found} (expected: {check.expected}): {check.verdict}{remark}")
    lines += ["", row.note, ""] if row.note else [""]
    for revision in row.history:
        lines += [f"- By the rule “{revision.rule}” it was {revision.verdict}. Changed because {revision.why}", ""]
    return lines


def write_json(rows: Sequence[ClaimRow], path: Path, *, public: bool = False) -> None:
    """Everything known about each claim or, with `public`, the ten documented fields."""
    whole = [row.to_json() for row in rows]
    chosen = [{key: row[key] for key in _PUBLIC} for row in whole] if public else whole
    write_atomically(Path(path), (json.dumps(chosen, indent=2, ensure_ascii=False) + "\n").encode())


def read_json(path: Path) -> list[ClaimRow]:
    """The scorecard in a file; a `RunError` that names the file if it is not one."""
    try:
        return [ClaimRow.from_json(row) for row in json.loads(Path(path).read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise RunError(f"{path} is not a scorecard: {error}") from error
