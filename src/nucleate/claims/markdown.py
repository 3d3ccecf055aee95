"""A scorecard as Markdown, in which a claim's words are words: neither Markdown nor HTML."""

import re
from collections.abc import Sequence

from nucleate.claims.looks import percent
from nucleate.claims.scorecard import ClaimRow

_SPECIAL = str.maketrans({mark: f"\\{mark}" for mark in "\\`*|~$"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_SPECIAL_BY_PLACE = {
    r"\[(?![-−∞\d., ]*\](?![\[(:]))": r"\\[",  # an interval is no link
    r"(?<![^\W_])_|_(?![^\W_])": r"\\_",  # nor is an underscore within a word an emphasis
    r"^([-+=#])": r"\\\1",  # a list or a heading, at the beginning of a line
    r"^(\d+)([.)])(?=\s|$)": r"\1\\\2",
}


def to_markdown(rows: Sequence[ClaimRow], conditions: str = "") -> str:
    """For a document: under which conditions claims were judged, the table, then each claim in full."""
    lines = [f"{plain(conditions[:1].upper() + conditions[1:])}.", ""] if conditions else []
    lines += [
        "| claim | where | statement | verdict | expected | measured | members × steps | seconds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        verdict = f"**{row.verdict}**" + (f" ({plain(row.why)})" if row.why else "")
        cells = [*map(plain, (row.claim, row.source, row.statement)), verdict, plain(row.expected)]
        cells += [plain(row.decisive.found), row.cost, f"{row.seconds:.1f}"]
        lines.append(f"| {' | '.join(cells)} |")
    lines.append("")
    for row in rows:
        lines += _in_full(row)
    return "\n".join(lines)


def plain(text: str) -> str:
    """Text on one line that Markdown shows as it is.

    >>> print(plain("[x](y) of *r_c* in <b>[0, 1]</b>"))
    \\[x](y) of \\*r_c\\* in &lt;b&gt;[0, 1]&lt;/b&gt;
    """
    marked = " ".join(text.split()).translate(_SPECIAL)
    for pattern, escaped in _SPECIAL_BY_PLACE.items():
        marked = re.sub(pattern, escaped, marked)
    return marked


def _in_full(row: ClaimRow) -> list[str]:
    when = f" at look {row.look}, with intervals of {percent(row.level)}" if row.look > 1 else ""
    lines = [f"**{plain(row.claim)}** ({row.verdict}{when}). Accepted if: {plain(row.rule)}.", ""]
    if row.quote:
        lines += [*(f"> {plain(line)}" for line in row.quote.splitlines()), ""]
    for check in row.checks:
        remark = f": {check.reason}" if check.reason else ""
        remark += f" ({check.lacks})" if check.lacks else ""
        said = f"{check.label}: {check.found} (expected: {check.expected}): {check.verdict}{remark}"
        lines.append(f"- {plain(said)}")
    lines += ["", *map(plain, row.note.splitlines()), ""] if row.note else [""]
    for past in row.history:
        said = f"By the rule “{past.rule}” it was {past.verdict}. Changed because {past.why}"
        lines += [f"- {plain(said)}", ""]
    return lines
