"""A scorecard: many verdicts, for a terminal, as JSON, and as Markdown."""

import json
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from nucleate.record import write_atomically

_STYLE = {"replicated": "green", "contradicted": "red", "inconclusive": "yellow"}
_PUBLIC = ["claim", "paper", "statement", "verdict", "expected", "measured", "interval", "members", "steps", "seconds"]


def number(value: float | None) -> str:
    """Three significant digits.

    >>> number(0.123456), number(None), number(12345.6)
    ('0.123', '–', '1.23e+04')
    """
    return "–" if value is None else f"{value:.3g}"


def measured(row: dict[str, Any]) -> str:
    """A value with its interval, which an exact number does not need.

    >>> measured({"measured": 0.4, "interval": [0.35, 0.45]})
    '0.4 [0.35, 0.45]'
    """
    value = number(row["measured"])
    if row["interval"] is None or row["interval"][0] == row["interval"][1]:
        return value
    return f"{value} [{number(row['interval'][0])}, {number(row['interval'][1])}]"


def to_table(rows: list[dict[str, Any]], title: str) -> Table:
    """For a terminal."""
    table = Table(title=title, title_justify="left", expand=True, show_lines=False)
    table.add_column("claim", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("the paper says", ratio=3)
    table.add_column("expected", ratio=2)
    table.add_column("measured", ratio=2)
    for row in rows:
        verdict = Text(row["verdict"], style=f"bold {_STYLE[row['verdict']]}")
        table.add_row(row["claim"], verdict, row["statement"], row["expected"], measured(row))
    return table


def summary(rows: list[dict[str, Any]]) -> str:
    """How many of each verdict.

    >>> summary([{"verdict": "replicated"}, {"verdict": "replicated"}, {"verdict": "contradicted"}])
    '2 replicated, 1 contradicted, 0 inconclusive'
    """
    return ", ".join(f"{sum(row['verdict'] == verdict for row in rows)} {verdict}" for verdict in _STYLE)


def to_markdown(rows: list[dict[str, Any]]) -> str:
    """For a document: the table, then what there is to say about each claim."""
    lines = [
        "| claim | where | statement | verdict | expected | measured | members × steps | seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        cost = f"{row['members']} × {row['steps']}" if row["members"] else "no training"
        cells = [row["claim"], row["source"], row["statement"], f"**{row['verdict']}**", row["expected"]]
        cells += [measured(row), cost, f"{row['seconds']:.1f}"]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    lines.append("")
    for row in rows:
        lines += [f"**{row['claim']}** ({row['verdict']}). Rule: {row['rule']}.", ""]
        for check in row["checks"]:
            lines.append(f"- {check['label']}: {measured(check)} (paper: {check['expected']}): {check['verdict']}")
        lines += ["", row["note"], ""] if row["note"] else [""]
    return "\n".join(lines)


def write_json(rows: list[dict[str, Any]], path: Path, *, public: bool = False) -> None:
    """All that is known of each claim or, with `public`, the documented ten fields."""
    chosen = [{key: row[key] for key in _PUBLIC} for row in rows] if public else rows
    write_atomically(Path(path), (json.dumps(chosen, indent=2, ensure_ascii=False) + "\n").encode())
