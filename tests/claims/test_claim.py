import json
import math
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from nucleate.claims import (
    Check,
    Claim,
    Estimate,
    Evidence,
    Findings,
    Reason,
    Region,
    Revision,
    Steps,
    Threshold,
    When,
    in_order,
    read_json,
    summary,
    to_markdown,
    write_json,
)
from nucleate.record import MissingColumn, Run, RunError, Variable, create_store

INSIDE, ACROSS, OUTSIDE = Estimate(0.5, 0.4, 0.6, 9), Estimate(0.9, 0.8, 1.1, 9), Estimate(2.0, 1.9, 2.1, 9)
NOTHING = Evidence({}, None)


def claim(*estimates: Estimate, mature=None, **changes) -> Claim:
    """A claim with one check 0 ≤ · ≤ 1 for each estimate."""
    checks = tuple(
        Check(f"check {number}", "about a half", Region.between(0, 1), mature=mature)
        for number in range(len(estimates))
    )
    found = Findings(dict(zip(checks, estimates, strict=True)), "Measured.")
    said = {"id": "paper/7", "source": "Sec. 2", "statement": "Something is so.", "checks": checks}
    return Claim(**said | {"measure": lambda evidence: found} | changes)


@pytest.fixture
def run(tmp_path):
    """A run of 100 steps whose record holds zeros."""
    run = Run.create(tmp_path / "run", {"members": 2, "steps": 100, "seconds": 5.0})
    frame = xr.Dataset({"heads": ("member", np.zeros(2))}, coords={"member": np.arange(2)})
    create_store(run.record_path, frame, [Variable("rqi", ("member",), (2,), np.dtype("f4"), (2,))])
    return run


@pytest.mark.parametrize(
    ("estimates", "verdict", "decisive"),
    [
        ((INSIDE, INSIDE), "replicated", 0),
        ((INSIDE, ACROSS), "inconclusive", 1),
        ((INSIDE, OUTSIDE), "contradicted", 1),
        ((ACROSS, INSIDE, OUTSIDE), "contradicted", 2),
        ((Estimate.unknown(), INSIDE), "inconclusive", 0),
    ],
)
def test_one_contradicted_check_contradicts_and_all_must_hold(estimates, verdict, decisive):
    row = claim(*estimates).judge(NOTHING)
    assert row.verdict == verdict
    assert row.decisive.label == f"check {decisive}"


@pytest.mark.parametrize(
    ("estimate", "reason"),
    [
        (INSIDE, ""),
        (OUTSIDE, ""),
        (ACROSS, "too few"),  # more units would decide
        (Estimate.open(0.5, units=3), "too few"),
        (Estimate.unknown(), "undefined"),
        (Estimate.unknown(Reason.TOO_EARLY), "too early"),
        (OUTSIDE.too_early(), "too early"),
        (ACROSS.or_later(INSIDE, OUTSIDE), "too early"),  # more steps would decide
        (INSIDE.or_later(INSIDE, replace(INSIDE, value=INSIDE.value + 0.01)), ""),  # whatever is to come
    ],
)
def test_an_inconclusive_check_says_why(estimate, reason):
    row = claim(estimate).judge(NOTHING)
    assert row.reason == row.checks[0].reason == reason
    assert row.checks[0].units == estimate.units


@pytest.mark.parametrize("estimate", [INSIDE, ACROSS, OUTSIDE, Estimate.exact(2), Estimate.unknown()])
def test_before_enough_steps_every_number_is_too_early(run, estimate):
    evidence = Evidence({"paper/a": run}, None)
    (check,) = claim(estimate, mature=Steps(101, "paper/a"), needs=("paper/a",)).judge(evidence).checks
    assert (check.verdict, check.reason) == ("inconclusive", "too early")
    assert check.measured == (None if math.isnan(estimate.value) else estimate.value)
    assert check.interval is None
    assert check.lacks == "paper/a has had 100 steps"
    assert check.judged == "once paper/a has had 101 steps"


def test_with_enough_steps_the_number_decides(run):
    evidence = Evidence({"paper/a": run}, None)
    (check,) = claim(OUTSIDE, mature=Steps(100, "paper/a"), needs=("paper/a",)).judge(evidence).checks
    assert (check.verdict, check.reason, check.lacks) == ("contradicted", "", "")
    assert check.judged == "once paper/a has had 100 steps"  # said whether or not it mattered


def test_steps_of_several_experiments_must_all_be_enough(run, tmp_path):
    long = Run.create(tmp_path / "long", {"members": 1, "steps": 30_000})
    evidence = Evidence({"paper/a": run, "paper/b": long}, None)
    mature = Steps(20_000, ("paper/a", "paper/b"))
    assert mature.lacks(evidence) == "paper/a has had 100 steps"
    assert str(mature) == "once paper/a and paper/b have had 20,000 steps"
    assert Steps(20_000, "paper/b").lacks(evidence) == ""


@pytest.mark.parametrize(("threshold", "verdict"), [(0, "contradicted"), (1, "inconclusive")])
def test_a_record_may_decide_from_when_on_a_check_is_judged(run, threshold, verdict):
    mature = When("heads have formed", "paper/a", lambda record: bool((record.heads >= threshold).all()))
    (check,) = claim(OUTSIDE, mature=mature, needs=("paper/a",)).judge(Evidence({"paper/a": run}, None)).checks
    assert check.verdict == verdict
    assert check.lacks == ("" if verdict == "contradicted" else "not yet in paper/a: heads have formed")
    assert check.judged == "when, in paper/a, heads have formed"


def test_what_maturity_reads_is_declared_too():
    with pytest.raises(ValueError, match=r"Claim paper/7 waits for \['paper/a'\]; add it to `needs`"):
        claim(INSIDE, mature=Steps(100, "paper/a"))


def test_one_check_too_early_does_not_silence_another(run):
    early = Check("early", "", Region.between(0, 1), mature=Steps(101, "paper/a"))
    ready = Check("ready", "", Region.between(0, 1))
    both = Claim("paper/7", "", "", (early, ready), lambda _: Findings({early: INSIDE, ready: OUTSIDE}), ("paper/a",))
    assert both.judge(Evidence({"paper/a": run}, None)).verdict == "contradicted"


def test_a_claim_must_answer_exactly_its_checks():
    asked = claim(INSIDE, INSIDE)
    other = replace(asked.checks[1], label="chekc 1")
    for answered in ({asked.checks[0]: INSIDE}, {asked.checks[0]: INSIDE, other: INSIDE}):
        wrong = replace(asked, measure=lambda _, answered=answered: Findings(answered))
        with pytest.raises(ValueError, match=r"paper/7 measured \['check 0'.*\]; its checks are .*'check 1'"):
            wrong.judge(NOTHING)


def test_a_claim_without_checks_or_with_two_alike_is_refused():
    with pytest.raises(ValueError, match=r"Claim paper/7 needs at least one check; got none\."):
        claim()
    two = claim(INSIDE, INSIDE).checks
    with pytest.raises(ValueError, match=r"paper/7 has two checks with the same label; got \['check 0', 'check 0'\]\."):
        claim(INSIDE, checks=(two[0], replace(two[0], expected="another")))


def test_findings_of_nothing_say_why():
    checks = claim(INSIDE, INSIDE).checks
    found = Findings.none(checks, "No network learned.")
    assert set(found.estimates) == set(checks)
    row = claim(INSIDE, INSIDE, measure=lambda _: found).judge(NOTHING)
    assert (row.verdict, row.reason, row.note) == ("inconclusive", "undefined", "No network learned.")


def test_a_claim_that_failed_is_inconclusive_and_says_why(run):
    evidence = Evidence({"paper/a": run}, None)
    row = claim(INSIDE, INSIDE, needs=("paper/a",)).failed(ZeroDivisionError("division by zero"), evidence)
    assert (row.verdict, row.reason) == ("inconclusive", "failed")
    assert row.note == "The measurement failed: ZeroDivisionError: division by zero."
    assert (row.members, row.steps, row.measured, row.interval) == (2, 100, None, None)
    assert [check.reason for check in row.checks] == ["failed", "failed"]


def test_a_failed_claim_asks_no_more_of_a_record_that_cannot_be_read(run):
    (run.record_path / "rqi/c").mkdir()
    (run.record_path / "rqi/c/0").write_bytes(b"not a chunk")
    mature = When("heads have formed", "paper/a", lambda record: True)
    evidence, asked = Evidence({"paper/a": run}, None), claim(INSIDE, mature=mature, needs=("paper/a",))
    with pytest.raises(RunError, match="corrupt chunk") as caught:
        asked.judge(evidence)
    row = asked.failed(caught.value, evidence)
    assert (row.reason, row.checks[0].lacks) == ("failed", "")
    assert "variable 'rqi' has a corrupt chunk" in row.note


def test_the_cost_is_that_of_the_runs_and_of_the_measurement(tmp_path):
    costs = {"a": (3, 100, 5.0), "b": (4, 70, 2.0), "c": (9, 999, 9.0)}
    runs = {
        name: Run.create(tmp_path / name, dict(zip(("members", "steps", "seconds"), cost, strict=True)))
        for name, cost in costs.items()
    }
    row = claim(INSIDE, needs=("a", "b")).judge(Evidence(runs, None))
    assert (row.members, row.steps) == (7, 100)
    assert 7.0 <= row.seconds < 8.0


@pytest.mark.parametrize(
    ("estimate", "measured", "interval"),
    [
        (INSIDE, 0.5, [0.4, 0.6]),
        (Estimate.unknown(), None, None),
        (Estimate(0.5, math.nan, math.nan), 0.5, None),
        (Estimate(0.5, -math.inf, math.inf), 0.5, None),
        (Estimate(0.5, 0.1, math.inf), 0.5, [0.1, "Infinity"]),
        (Estimate(-math.inf, -math.inf, 0.1), "-Infinity", ["-Infinity", 0.1]),
        (Estimate.exact(math.inf), "Infinity", ["Infinity", "Infinity"]),
    ],
)
def test_a_row_is_plain_json_whatever_was_measured(estimate, measured, interval):
    row = json.loads(json.dumps(claim(estimate).judge(NOTHING).to_json(), allow_nan=False))
    assert (row["measured"], row["interval"]) == (measured, interval)
    assert (row["checks"][0]["measured"], row["checks"][0]["interval"]) == (measured, interval)


def test_what_never_came_is_read_back_and_shown(tmp_path):
    row = claim(Estimate(math.inf, 1.4, math.inf, 12)).judge(NOTHING)
    write_json([row], tmp_path / "scorecard.json")
    assert read_json(tmp_path / "scorecard.json") == [row]
    assert row.decisive.found == "∞ [1.4, ∞]"
    assert "∞ [1.4, ∞]" in to_markdown([row])


def test_a_check_that_is_not_asked_has_no_row_but_one_is_asked():
    asked, other = (Check(label, "1", Region.exactly(1)) for label in ("asked", "other"))
    both = lambda found: Claim(
        "paper/1", "", "", (asked, other), lambda evidence: Findings({asked: found, other: None})
    )
    row = both(Estimate.exact(1)).judge(NOTHING)
    assert ([check.label for check in row.checks], row.verdict) == (["asked"], "replicated")
    with pytest.raises(ValueError, match=r"Claim paper/1 must ask at least one check; it asked none\."):
        both(None).judge(NOTHING)


def test_a_row_says_all_that_the_claim_says():
    history = (Revision("check 0 ≥ 0", "replicated", "nothing could fail it."),)
    check = Check("rate", "0.4", Region.above(0.3), Threshold.PAPER)
    full = claim(OUTSIDE, checks=(check,), measure=lambda _: Findings({check: OUTSIDE}), quote="So it is.")
    row = replace(full, history=history).judge(NOTHING)
    assert (row.claim, row.paper, row.source, row.statement) == ("paper/7", "paper", "Sec. 2", "Something is so.")
    assert (row.quote, row.history, row.expected) == ("So it is.", history, "rate: 0.4")
    assert row.rule == "rate > 0.3 (threshold: the paper's)"
    assert claim(INSIDE, INSIDE).judge(NOTHING).rule == (
        "check 0 in [0, 1] (threshold: ours); check 1 in [0, 1] (threshold: ours)"
    )


def test_claims_come_in_the_order_of_their_numbers():
    parts = [[claim(INSIDE, id=f"paper/{number}") for number in numbers] for numbers in ((10, 2), (1,), (9, 3))]
    assert [each.number for each in in_order(*map(tuple, parts))] == [1, 2, 3, 9, 10]


def test_a_column_that_a_record_lacks_is_named_with_the_experiment(run):
    evidence = Evidence({"paper/fleet": run, "paper/other": run}, None)
    wrong = claim(INSIDE, needs=("paper/fleet",), measure=lambda evidence: evidence.record("paper/fleet").lost)
    with pytest.raises(MissingColumn, match=r"the record of paper/fleet has no 'lost'; it has .*heads"):
        wrong.judge(evidence)


def test_a_check_without_a_region_is_shown_and_has_no_say():
    told = Check("length", "not given", None)
    judged = Check("share", "most", Region.above(0.5))
    found = {told: Estimate.exact(7), judged: Estimate.exact(0.75)}
    row = Claim("toy/1", "Sec. 1", "s", (told, judged), lambda _: Findings(found)).judge(NOTHING)
    assert (row.verdict, row.decisive.label) == ("replicated", "share")
    assert row.rule == "length: shown, not judged; share > 0.5 (threshold: ours)"
    alone = Claim("toy/2", "Sec. 1", "s", (told,), lambda _: Findings({told: Estimate.exact(7)})).judge(NOTHING)
    assert (alone.verdict, alone.reason, alone.measured) == ("shown", "", 7)
    assert summary([row, alone]) == "1 replicated, 0 contradicted, 0 inconclusive, 1 shown"
