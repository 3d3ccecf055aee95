import dataclasses
import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from nucleate.claims import CheckRow, ClaimRow, Revision, read_json, summary, to_markdown, to_table, write_json
from nucleate.record import RunError
from nucleate.record.document import parse


def check(verdict: str, **changes) -> CheckRow:
    return dataclasses.replace(
        CheckRow("rate", "0.4", verdict, 0.41, (0.35, 0.45), "in [0.3, 0.5]", "ours", units=9), **changes
    )


def row(claim: str, *checks: CheckRow, **changes) -> ClaimRow:
    paper = claim.split("/")[0]
    made = ClaimRow(claim, paper, "Fig. 1", f"Statement of {claim}.", 12, 500, 3.25, f"Note on {claim}.", checks)
    return dataclasses.replace(made, **changes)


TOO_EARLY = check(
    "inconclusive", interval=None, reason="too early", judged="from 900 steps on", lacks="a has had 500 steps"
)
ROWS = [
    row("grokking/1", check("replicated")),
    row("grokking/2", check("replicated"), check("contradicted", label="gain"), statement="P(a | b) is large."),
    row("grokking/3", TOO_EARLY, members=0, note="", quote="It is | so."),
    row(
        "grokking/4",
        check("replicated", measured=2.0, interval=(2.0, 2.0), units=0),
        history=(Revision("rate ≥ 0", "replicated", "nothing could fail it."),),
    ),
]
# What the version before wrote: no region, threshold, units or reason.
OLD = {
    "claim": "grokking/14",
    "paper": "grokking",
    "source": "Fig. 3c",
    "statement": "They agree.",
    "verdict": "contradicted",
    "expected": "difference: small",
    "measured": 0.375,
    "interval": [0.2, 0.55],
    "members": 4,
    "steps": 4,
    "seconds": 16.55,
    "rule": "correlation in [0.9, 1]; difference in [0, 0.1]",
    "note": "4 networks.",
    "checks": [
        {"label": "correlation", "expected": "near 1", "verdict": "inconclusive", "measured": None, "interval": None},
        {
            "label": "difference",
            "expected": "small",
            "verdict": "contradicted",
            "measured": 0.375,
            "interval": [0.2, 0.55],
        },
    ],
}


def test_rows_survive_a_file(tmp_path):
    write_json(ROWS, tmp_path / "new folder" / "scorecard.json")
    assert read_json(tmp_path / "new folder" / "scorecard.json") == ROWS


text = st.text(max_size=20)
numbers = st.floats(allow_nan=False, allow_infinity=False)
found = st.tuples(text, st.sampled_from(["replicated", "contradicted", "inconclusive"]), st.none() | numbers)


@given(text, st.lists(found, min_size=1, max_size=3), st.none() | st.tuples(numbers, numbers))
def test_any_row_survives_json(words, found, interval):
    checks = [CheckRow(label, words, verdict, measured, interval, reason=words) for label, verdict, measured in found]
    made = row("a/1", *checks, note=words, quote=words, history=(Revision(words, words, words),))
    assert parse(ClaimRow, json.loads(json.dumps(made.to_json(), allow_nan=False))) == made


def test_json_spells_out_what_follows_from_the_checks():
    written = ROWS[1].to_json()
    assert (written["verdict"], written["measured"], written["interval"]) == ("contradicted", 0.41, (0.35, 0.45))
    assert written["expected"] == "gain: 0.4"
    assert written["rule"].startswith("rate in [0.3, 0.5] (threshold: ours); gain in")
    assert ROWS[2].to_json()["reason"] == "too early"


def test_the_public_json_has_the_documented_fields(tmp_path):
    write_json(ROWS, tmp_path / "scorecard.json", public=True)
    what, cost = ("claim", "paper", "statement", "verdict"), ("members", "steps", "seconds")
    fields = [*what, "expected", "measured", "interval", *cost]
    assert [list(each) for each in json.loads((tmp_path / "scorecard.json").read_text())] == [fields] * len(ROWS)


def test_rows_of_the_version_before_are_read(tmp_path):
    (tmp_path / "scorecard.json").write_text(json.dumps([OLD]))
    (old,) = read_json(tmp_path / "scorecard.json")
    assert (old.verdict, old.expected, old.measured, old.interval) == (
        "contradicted",
        "difference: small",
        0.375,
        (0.2, 0.55),
    )
    assert (old.quote, old.history, old.reason) == ("", (), "")
    assert old.rule == OLD["rule"]
    assert old.decisive.found == "0.375 [0.2, 0.55]"
    assert OLD["rule"] in to_markdown([old])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"claim": "a/1"}, "[1].paper is missing."),
        (OLD | {"seconds": "long"}, "[1].seconds must be a finite number; got 'long'."),
        (OLD | {"checks": []}, "[1].checks must be at least one; got none."),
        (OLD | {"checks": [{"label": "r"}]}, "[1].checks[0].expected is missing."),
        (
            OLD | {"checks": [OLD["checks"][0] | {"verdict": "maybe"}]},
            "[1].checks[0].verdict must be one of replicated, contradicted, inconclusive, shown; got 'maybe'.",
        ),
        (
            OLD | {"checks": [OLD["checks"][0] | {"interval": [0.1]}]},
            "[1].checks[0].interval must be a list of 2; got [0.1].",
        ),
        (OLD | {"history": [{"rule": "r"}]}, "[1].history[0].verdict is missing."),
    ],
)
def test_a_bad_row_is_named_with_its_file(tmp_path, row, message):
    (tmp_path / "scorecard.json").write_text(json.dumps([OLD, row]))
    with pytest.raises(RunError, match=re.escape(f"scorecard.json: {message}")):
        read_json(tmp_path / "scorecard.json")


@pytest.mark.parametrize("content", ["", "{", "3", "[3]", '{"a": 1}', "[null]", '[{"checks": [1]}]', "\udcff"])
def test_what_is_not_a_scorecard_is_named(tmp_path, content):
    (tmp_path / "scorecard.json").write_text(content, errors="surrogateescape")
    with pytest.raises(RunError, match=r"scorecard\.json(:| cannot be read:) "):
        read_json(tmp_path / "scorecard.json")
    with pytest.raises(RunError, match=r"nowhere\.json cannot be read: No such file or directory\."):
        read_json(tmp_path / "nowhere.json")


def test_summary_counts_every_verdict():
    assert summary(ROWS) == "2 replicated, 1 contradicted, 1 inconclusive"


def test_the_table_shows_every_claim_with_its_verdict():
    console = Console(file=io.StringIO(), width=200)
    console.print(to_table(ROWS, "Scorecard"))
    lines = console.file.getvalue().splitlines()
    for shown in ROWS:
        line = next(line for line in lines if shown.claim in line)
        assert shown.verdict in line
        assert shown.statement in line
        assert shown.decisive.found in line
    assert any("too early" in line for line in lines)


def test_the_table_takes_nothing_for_markup():
    console = Console(file=io.StringIO(), width=200)
    console.print(to_table([row("a/1", check("replicated"), statement="x in [bold]")], "Scorecard"))
    assert "x in [bold]" in console.file.getvalue()


def test_markdown_has_a_row_and_a_paragraph_for_every_claim():
    written = to_markdown(ROWS)
    table = [line for line in written.splitlines() if line.startswith("| grokking/")]
    assert len(table) == len(ROWS)
    for shown, line in zip(ROWS, table, strict=True):
        assert f"**{shown.verdict}**" in line
        assert line.replace(r"\|", "").count("|") == 9
        assert f"**{shown.claim}** ({shown.verdict}). Accepted if: {shown.rule}." in written
        assert shown.note in written
    assert r"P(a \| b)" in table[1]
    assert "**inconclusive** (too early)" in table[2]
    assert "| 0.41 | no training |" in table[2]
    assert "| 2 | 12 × 500 | 3.2 |" in table[3]
    assert r"> It is \| so." in written
    assert "rate: 0.41 (expected: 0.4): inconclusive: too early (a has had 500 steps)" in written
    assert "By the rule “rate ≥ 0” it was replicated. Changed because nothing could fail it." in written


def test_nothing_breaks_a_row_of_the_markdown_table():
    broken = row("a/1", check("replicated"), statement="two\nlines")
    (line,) = [line for line in to_markdown([broken]).splitlines() if line.startswith("| a/1")]
    assert "two lines" in line
