import io
import json

import pytest
from rich.console import Console

from nucleate.claims import summary, to_markdown, to_table, write_json


def row(claim: str, verdict: str, **changes) -> dict:
    check = {"label": "rate", "expected": "0.4", "verdict": verdict, "measured": 0.41, "interval": [0.35, 0.45]}
    return {
        "claim": claim,
        "paper": claim.split("/")[0],
        "source": "Fig. 1",
        "statement": f"Statement of {claim}.",
        "verdict": verdict,
        "expected": "rate: 0.4",
        "measured": 0.41,
        "interval": [0.35, 0.45],
        "members": 12,
        "steps": 500,
        "seconds": 3.25,
        "rule": "rate in [0.3, 0.5]",
        "note": f"Note on {claim}.",
        "checks": [check],
    } | changes


ROWS = [
    row("grokking/1", "replicated"),
    row("grokking/2", "contradicted", statement="P(a | b) is large."),
    row("grokking/3", "inconclusive", measured=None, interval=None, members=0, note=""),
    row("grokking/4", "replicated", measured=2.0, interval=[2.0, 2.0]),
]


def test_summary_counts_every_verdict():
    assert summary(ROWS) == "2 replicated, 1 contradicted, 1 inconclusive"


def test_the_table_shows_every_claim_with_its_verdict():
    console = Console(file=io.StringIO(), width=200)
    console.print(to_table(ROWS, "Scorecard"))
    lines = console.file.getvalue().splitlines()
    for shown in ROWS:
        line = next(line for line in lines if shown["claim"] in line)
        assert shown["verdict"] in line
        assert shown["statement"] in line
    assert "0.41 [0.35, 0.45]" in lines[4]


def test_markdown_has_a_row_and_a_paragraph_for_every_claim():
    text = to_markdown(ROWS)
    table = [line for line in text.splitlines() if line.startswith("| grokking/")]
    assert len(table) == len(ROWS)
    for shown, line in zip(ROWS, table, strict=True):
        assert f"**{shown['verdict']}**" in line
        assert line.replace(r"\|", "").count("|") == 9
        assert f"**{shown['claim']}** ({shown['verdict']}). Rule: {shown['rule']}." in text
        assert shown["note"] in text
    assert r"P(a \| b)" in table[1]
    assert "| – | no training |" in table[2]
    assert "| 2 | 12 × 500 | 3.2 |" in table[3]


@pytest.mark.parametrize("public", [True, False])
def test_json_has_the_documented_fields(tmp_path, public):
    file = tmp_path / "new folder" / "scorecard.json"
    write_json(ROWS, file, public=public)
    written = json.loads(file.read_text())
    if public:
        what, cost = ("claim", "paper", "statement", "verdict"), ("members", "steps", "seconds")
        assert [tuple(each) for each in written] == [(*what, "expected", "measured", "interval", *cost)] * len(ROWS)
    else:
        assert written == ROWS
