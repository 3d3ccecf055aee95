"""What was claimed, what was found: the part of the page that everything else is there to support."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from nucleate.claims import CheckRow, ClaimRow, Revision
from nucleate.claims.formats import duration, interval, number
from nucleate.claims.looks import percent
from nucleate.report.links import Links, permalink

VERDICTS = {"replicated": "✓", "contradicted": "✗", "inconclusive": "?", "shown": "·"}
"""Each verdict and the sign that goes with it, so that it never depends on colour alone."""


def paragraph(text: str) -> str:
    """Text as an HTML paragraph, or nothing.

    >>> paragraph("p < 0.05")
    '<p>p &lt; 0.05</p>'
    """
    return f"<p>{escape(text)}</p>" if text else ""


def tally(scorecard: Sequence[ClaimRow]) -> str:
    """How many claims have each verdict, in tiles of equal size; a click hides or shows them."""
    counts = Counter(row.verdict for row in scorecard)
    tiles = "".join(
        f'<button class="tile {verdict}" data-verdict="{verdict}" aria-pressed="true" title="Show or hide">'
        f'<span class="count">{counts[verdict]}</span><span class="word">{sign} {verdict}</span></button>\n'
        for verdict, sign in VERDICTS.items()
        if counts[verdict] or verdict != "shown"
    )
    bar = "".join(
        f'<span class="{verdict}" style="flex: {counts[verdict]}"></span>' for verdict in VERDICTS if counts[verdict]
    )
    return f'<div class="tally">\n{tiles}</div>\n<div class="bar" aria-hidden="true">{bar}</div>\n'


def scorecard_section(scorecard: Sequence[ClaimRow], links: Links) -> str:
    """A row for each claim, which opens to its rule, its checks and what was found.

    >>> "Scorecard" in scorecard_section([], Links())
    True
    """
    claims = "\n".join(_claim(order, row, links) for order, row in enumerate(scorecard))
    return f"""<section id="scorecard">
<h2>Scorecard</h2>
<div class="controls">
<input type="search" placeholder="Filter by any word" aria-label="Filter the claims by any word">
<button>Open all</button>
<span class="matching" aria-live="polite"></span>
</div>
<div class="columns">
<span class="narrow">Sort by</span>
<button data-key="rank">Verdict</button>
<button data-key="order">Claim</button>
<span>Where</span>
<span>Expected</span>
<span>Measured</span>
<button data-key="seconds">Cost</button>
</div>
<div class="claims">
{claims}
</div>
</section>
"""


def _claim(order: int, row: ClaimRow, links: Links) -> str:
    verdict, decisive = row.verdict, row.decisive
    when = f"Judged at look {row.look}, with intervals of {percent(row.level)}." if row.look > 1 else ""
    time = f"{'steps, ' if row.members and row.steps else ''}{duration(row.seconds)}"
    details = "".join(
        f"<h3>{heading}</h3>\n{content}\n"
        for heading, content in (
            ("In the paper's words", _quote(row.quote)),
            ("Accepted if", paragraph(row.rule)),
            ("Checks", _checks(row.checks)),
            ("What was found", paragraph(row.note) + paragraph(when)),
            ("Former rules", _history(row.history)),
            ("See", links.from_claim(row)),
        )
        if content
    )
    rank = ("contradicted", "inconclusive", "replicated", "shown").index(verdict)
    anchor = links.of_claim(row)
    return f"""<details class="claim {verdict}" id="{anchor}" data-verdict="{verdict}" \
data-order="{order}" data-rank="{rank}" data-seconds="{escape(str(row.seconds))}">
<summary>
<span class="cell">{_badge(verdict)}<span class="name">{escape(row.claim)} {permalink(anchor, "claim")}</span>\
<span class="sub">{escape(row.why)}</span></span>
<span class="cell wide statement">{escape(row.statement)}</span>
<span class="cell"><span class="label">Where</span>{escape(row.source)}\
<span class="sub">{escape(row.paper)}</span></span>
<span class="cell"><span class="label">Expected</span>{escape(row.expected)}</span>
<span class="cell"><span class="label">Measured</span><span class="value">{escape(number(decisive.measured))}</span>\
<span class="sub">{_interval(decisive)}</span></span>
<span class="cell"><span class="label">Cost</span>{escape(row.cost)}<span class="sub">{escape(time)}</span></span>
</summary>
<div class="inside">
{details}</div>
</details>"""


def _checks(checks: Sequence[CheckRow]) -> str:
    rows = "".join(
        f'<tr><td>{_badge(check.verdict)}<span class="sub">{escape(_why(check))}</span></td>'
        f"<td>{escape(check.label)}</td><td>{escape(check.expected)}</td>"
        f'<td>{escape(check.region)}<span class="sub">{escape(check.threshold)}</span></td>'
        f'<td>{escape(number(check.measured))}<span class="sub number">{_interval(check)}</span></td></tr>\n'
        for check in checks
    )
    return f"""<div class="scroll"><table>
<tr><th>Verdict</th><th>Check</th><th>Expected</th><th>Accepted, and whose threshold</th><th>Measured</th></tr>
{rows}</table></div>"""


def _why(check: CheckRow) -> str:
    """Why a check is inconclusive, and what it lacks."""
    return f"{check.reason}: {check.lacks}" if check.lacks else check.reason


def _quote(text: str) -> str:
    return f"<blockquote>{escape(text)}</blockquote>" if text else ""


def _history(history: Sequence[Revision]) -> str:
    lines = "".join(
        f"<li>{escape(f'By the rule “{past.rule}” it was {past.verdict}. Changed because {past.why}')}</li>\n"
        for past in history
    )
    return f"<ul>\n{lines}</ul>" if lines else ""


def _interval(check: CheckRow) -> str:
    return escape(interval(check.interval, always=check.units > 0))


def _badge(verdict: str) -> str:
    return f'<span class="badge {verdict}">{VERDICTS[verdict]} {verdict}</span>'
