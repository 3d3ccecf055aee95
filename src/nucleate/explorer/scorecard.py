"""What was claimed, what was found: the part of the page that everything else is there to support."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from nucleate.explorer.formats import duration, interval, number, paragraph

VERDICTS = {"replicated": "✓", "contradicted": "✗", "inconclusive": "?"}
"""Each verdict and the sign that goes with it, so that it never hangs on colour alone."""

_CHECK_KEYS = "label expected measured interval verdict"
_CLAIM_KEYS = "claim paper source statement verdict expected measured interval members steps seconds rule note checks"


def check_claim(row: Mapping[str, Any]) -> None:
    """Refuse a row that could not be shown whole, with what is wrong in it.

    >>> check_claim({"claim": "grokking/14"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: scorecard row 'grokking/14' lacks ['checks', 'expected', ...
    """
    what = f"scorecard row {row.get('claim')!r}"
    check_keys(row, _CLAIM_KEYS, what)
    _check_verdict(row, what)
    for check in row["checks"]:
        what = f"check {check.get('label')!r} of {row['claim']!r}"
        check_keys(check, _CHECK_KEYS, what)
        _check_verdict(check, what)


def check_keys(row: Mapping[str, Any], keys: str, what: str) -> None:
    """Refuse a row that lacks any of the keys, written with spaces between them.

    >>> check_keys({"name": "toy"}, "name steps", "run 'toy'")
    Traceback (most recent call last):
    ValueError: run 'toy' lacks ['steps'].
    """
    if missing := set(keys.split()) - row.keys():
        raise ValueError(f"{what} lacks {sorted(missing)}.")


def _check_verdict(row: Mapping[str, Any], what: str) -> None:
    if row["verdict"] not in VERDICTS:
        raise ValueError(f"{what}: verdict must be one of {list(VERDICTS)}; got {row['verdict']!r}.")


def tally(scorecard: Sequence[Mapping[str, Any]]) -> str:
    """How many claims met each verdict, in tiles of one size; a click hides or shows them.

    >>> '<span class="count">1</span><span class="word">✗ contradicted</span>' in tally([{"verdict": "contradicted"}])
    True
    """
    counts = Counter(row["verdict"] for row in scorecard)
    tiles = "".join(
        f'<button class="tile {verdict}" data-verdict="{verdict}" aria-pressed="true" title="Show or hide">'
        f'<span class="count">{counts[verdict]}</span><span class="word">{sign} {verdict}</span></button>\n'
        for verdict, sign in VERDICTS.items()
    )
    bar = "".join(
        f'<span class="{verdict}" style="flex: {counts[verdict]}"></span>' for verdict in VERDICTS if counts[verdict]
    )
    return f'<div class="tally">\n{tiles}</div>\n<div class="bar" aria-hidden="true">{bar}</div>\n'


def scorecard_section(scorecard: Sequence[Mapping[str, Any]]) -> str:
    """A row for each claim, which opens to its rule, its checks and what was found.

    >>> "Scorecard" in scorecard_section([])
    True
    """
    claims = "\n".join(_claim(order, row) for order, row in enumerate(scorecard))
    return f"""<section id="scorecard">
<h2>Scorecard</h2>
<div class="controls">
<input type="search" placeholder="Filter by any word" aria-label="Filter the claims by any word">
<button>Open all</button>
<span class="shown" aria-live="polite"></span>
</div>
<div class="columns">
<button data-key="rank">Verdict</button>
<button data-key="order">Claim</button>
<span>Where</span>
<span>Paper says</span>
<span>Measured</span>
<button data-key="seconds">Cost</button>
</div>
<div class="claims">
{claims}
</div>
</section>
"""


def _claim(order: int, row: Mapping[str, Any]) -> str:
    verdict = row["verdict"]
    trained = row["members"] and row["steps"]
    cost = f"{row['members']:,} × {row['steps']:,}" if trained else "no training"
    time = f"{'steps, ' if trained else ''}{duration(row['seconds'])}"
    details = "".join(
        f"<h3>{heading}</h3>\n{content}\n"
        for heading, content in (
            ("Accepted if (fixed beforehand)", paragraph(row["rule"])),
            ("Checks", _checks(row["checks"])),
            ("What was found", paragraph(row["note"])),
        )
        if content
    )
    rank = ("contradicted", "inconclusive", "replicated").index(verdict)
    return f"""<details class="claim {verdict}" id="claim-{_slug(row["claim"])}" data-verdict="{verdict}" \
data-order="{order}" data-rank="{rank}" data-seconds="{float(row["seconds"] or 0)}">
<summary>
<span class="cell">{_badge(verdict)}<span class="name">{escape(row["claim"])}</span></span>
<span class="cell wide statement">{escape(row["statement"])}</span>
<span class="cell"><span class="label">Where</span>{escape(row["source"])}\
<span class="sub">{escape(row["paper"])}</span></span>
<span class="cell"><span class="label">Paper says</span>{_value(row["expected"])}</span>
<span class="cell"><span class="label">Measured</span><span class="value">{number(row["measured"])}</span>\
<span class="sub">{interval(row["interval"])}</span></span>
<span class="cell"><span class="label">Cost</span>{cost}<span class="sub">{time}</span></span>
</summary>
<div class="inside">
{details}</div>
</details>"""


def _checks(checks: Sequence[Mapping[str, Any]]) -> str:
    if not checks:
        return ""
    rows = "".join(
        f"<tr><td>{_badge(check['verdict'])}</td><td>{escape(check['label'])}</td>"
        f"<td>{_value(check['expected'])}</td><td>{number(check['measured'])}"
        f'<span class="sub number">{interval(check["interval"])}</span></td></tr>\n'
        for check in checks
    )
    return f"""<div class="scroll"><table>
<tr><th>Verdict</th><th>Check</th><th>Paper says</th><th>Measured</th></tr>
{rows}</table></div>"""


def _value(value: Any) -> str:
    return escape(value) if isinstance(value, str) else number(value)


def _badge(verdict: str) -> str:
    return f'<span class="badge {verdict}">{VERDICTS[verdict]} {verdict}</span>'


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")
