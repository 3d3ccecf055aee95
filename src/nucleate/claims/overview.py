"""The scorecards of several replications on one page."""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence

from nucleate.claims.agreement import agreement
from nucleate.claims.looks import percent
from nucleate.claims.markdown import plain
from nucleate.claims.scorecard import VERDICTS, ClaimRow

_ALIKE = (
    "Of claims that need networks. Replications whose seeds begin at the same number have networks in common, so that "
    "their agreement says nothing of other networks: `--seeds-from`."
)


def to_overview(scorecards: Mapping[tuple[str, str], Sequence[ClaimRow]]) -> str:
    """As Markdown: how many claims of each paper have which verdict, and why; whether replications of the same
    paper agree; then a row for each claim.

    `scorecards`: by paper, and by what its verdicts depend on.
    """
    lines = [f"| paper | claims | {' | '.join(VERDICTS)} | conditions |", f"|---|{'---|' * (len(VERDICTS) + 2)}"]
    for (paper, conditions), rows in scorecards.items():
        cells = [plain(paper), str(len(rows)), *(_count(rows, verdict) for verdict in VERDICTS), plain(conditions)]
        lines.append(f"| {' | '.join(cells)} |")
    lines += _agreements(scorecards)
    for (paper, conditions), rows in scorecards.items():
        lines += ["", f"## {plain(paper)} ({plain(conditions)})" if conditions else f"## {plain(paper)}", ""]
        lines += ["| claim | statement | verdict | why | history of its rule |", "|---|---|---|---|---|"]
        lines += [f"| {' | '.join(_cells(row))} |" for row in rows]
    return "\n".join(lines) + "\n"


def _agreements(scorecards: Mapping[tuple[str, str], Sequence[ClaimRow]]) -> list[str]:
    """A row for each two replications of one paper; nothing if there are none."""
    lines = []
    for (key, rows), (other_key, others) in itertools.combinations(scorecards.items(), 2):
        if key[0] == other_key[0]:
            found = agreement(rows, others)
            alike = f"{len(found.alike)}" + (f" ({len(found.alike) / found.decided:.0%})" if found.decided else "")
            opposed, in_one = (", ".join(claims) or "none" for claims in (found.opposed, found.in_one))
            cells = [*map(plain, (key[0], key[1], other_key[1])), str(found.decided), alike, opposed, in_one]
            lines.append(f"| {' | '.join(cells)} |")
    heads = "| paper | one | the other | decided in both | alike | replicated in one, contradicted in the other "
    table = [f"{heads}| decided in only one |", f"|{'---|' * 7}", *lines]
    return lines and ["", "## Agreement", "", _ALIKE, "", *table]


def _count(rows: Sequence[ClaimRow], verdict: str) -> str:
    """How many have a verdict, and for which reasons."""
    reasons = Counter(row.reason for row in rows if row.verdict == verdict)
    named = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common() if reason)
    return f"{reasons.total()}" + (f" ({plain(named)})" if named else "")


def _cells(row: ClaimRow) -> list[str]:
    when = f" (look {row.look}, {percent(row.level)})" if row.look > 1 else ""
    former = [f"“{past.rule}”: {past.verdict}; changed because {past.why}" for past in row.history]
    return [plain(row.claim), plain(row.statement), f"**{row.verdict}**{when}", plain(row.why), plain(" ".join(former))]
