import json
import math

import numpy as np
import pytest
import xarray as xr

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, Region, Verdict
from nucleate.record import Run, RunError, Variable, create_store

REPLICATED, CONTRADICTED, INCONCLUSIVE = Verdict.REPLICATED, Verdict.CONTRADICTED, Verdict.INCONCLUSIVE
INSIDE, ACROSS, OUTSIDE = Estimate(0.5, 0.4, 0.6), Estimate(0.9, 0.8, 1.1), Estimate(2.0, 1.9, 2.1)


@pytest.mark.parametrize(
    ("region", "interval", "verdict"),
    [
        (Region(0, 1), (0.2, 0.8), REPLICATED),
        (Region(0, 1), (0.0, 1.0), REPLICATED),  # the bounds belong to the region
        (Region(0, 1), (-0.1, 0.8), INCONCLUSIVE),
        (Region(0, 1), (0.2, 1.1), INCONCLUSIVE),
        (Region(0, 1), (-1.0, 2.0), INCONCLUSIVE),  # too wide to tell
        (Region(0, 1), (1.1, 2.0), CONTRADICTED),
        (Region(0, 1), (-2.0, -0.1), CONTRADICTED),
        (Region(0, 1), (1.0, 2.0), INCONCLUSIVE),  # touches
        (Region(low=0.5), (0.5, 9.0), REPLICATED),
        (Region(low=0.5), (0.1, 0.4), CONTRADICTED),
        (Region(high=0.5), (-9.0, 0.5), REPLICATED),
        (Region(high=0.5), (0.6, 0.7), CONTRADICTED),
        (Region(2, 2), (2.0, 2.0), REPLICATED),
        (Region(2, 2), (3.0, 3.0), CONTRADICTED),
        (Region(), (-1e9, 1e9), REPLICATED),
        (Region(0, 1), (math.nan, math.nan), INCONCLUSIVE),
        (Region(0, 1), (0.5, math.nan), INCONCLUSIVE),
        # "Never" is a number larger than all others.
        (Region(low=0), (1.0, math.inf), REPLICATED),
        (Region(low=0), (math.inf, math.inf), REPLICATED),
        (Region(0, 1), (0.5, math.inf), INCONCLUSIVE),
        (Region(0, 1), (1.5, math.inf), CONTRADICTED),
    ],
)
def test_an_interval_is_judged_by_where_it_lies(region, interval, verdict):
    assert region.judge(Estimate(sum(interval) / 2, *interval)) == verdict


def test_regions_say_what_they_are():
    assert [str(r) for r in (Region(1, 1), Region(low=0.5), Region(high=2), Region(0, 1))] == [
        "= 1",
        "≥ 0.5",
        "≤ 2",
        "in [0, 1]",
    ]
    assert Region.around(0.4, 0.05) == Region(0.4 - 0.05, 0.4 + 0.05)


@pytest.mark.parametrize("bounds", [(1, 0), (math.nan, 1)])
def test_a_region_without_room_is_refused(bounds):
    with pytest.raises(ValueError, match=r"Region\.low must be <= high; got"):
        Region(*bounds)


def claim(*estimates: Estimate, needs: tuple[str, ...] = ()) -> Claim:
    """A claim with one check 0 ≤ · ≤ 1 for each estimate."""
    labels = [f"check {number}" for number in range(len(estimates))]
    return Claim(
        id="paper/7",
        source="Sec. 2",
        statement="Something is so.",
        checks=tuple(Check(label, "about a half", Region(0, 1)) for label in labels),
        measure=lambda evidence: Findings(dict(zip(labels, estimates, strict=True)), note="Measured."),
        needs=needs,
    )


@pytest.mark.parametrize(
    ("estimates", "verdict", "decisive"),
    [
        ((INSIDE, INSIDE), REPLICATED, 0),
        ((INSIDE, ACROSS), INCONCLUSIVE, 1),
        ((INSIDE, OUTSIDE), CONTRADICTED, 1),
        ((ACROSS, INSIDE, OUTSIDE), CONTRADICTED, 2),
        ((Estimate.unknown(), INSIDE), INCONCLUSIVE, 0),
    ],
)
def test_one_contradicted_check_contradicts_and_all_must_hold(estimates, verdict, decisive):
    judged = claim(*estimates)
    judgement = judged.judge(Evidence({}, samples=1))
    assert judgement.verdict == verdict
    assert judgement.decisive is judged.checks[decisive]


def test_the_cost_is_that_of_the_runs_and_of_the_measurement(tmp_path):
    costs = {"a": (3, 100, 5.0), "b": (4, 70, 2.0), "c": (9, 999, 9.0)}
    runs = {
        name: Run.create(tmp_path / name, dict(zip(("members", "steps", "seconds"), cost, strict=True)))
        for name, cost in costs.items()
    }
    judgement = claim(INSIDE, needs=("a", "b")).judge(Evidence(runs, samples=1))
    assert (judgement.members, judgement.steps) == (7, 100)
    assert 7.0 <= judgement.seconds < 8.0


def test_a_claim_must_measure_exactly_its_checks():
    measured = claim(INSIDE, INSIDE)
    misspelt = Claim(
        "paper/7", "Sec. 2", "…", measured.checks, lambda _: Findings({"check 0": INSIDE, "chekc 1": INSIDE})
    )
    with pytest.raises(ValueError, match=r"paper/7 measured \['check 0', 'chekc 1'\]; its checks are .*'check 1'"):
        misspelt.judge(Evidence({}, samples=1))


@pytest.mark.parametrize(
    ("estimate", "measured", "interval"),
    [
        (INSIDE, 0.5, [0.4, 0.6]),
        (Estimate.unknown(), None, None),
        (Estimate(0.5, math.nan, math.nan), 0.5, None),
        (Estimate(0.5, 0.1, math.inf), 0.5, None),
        (Estimate.exact(math.inf), None, None),
    ],
)
def test_a_row_is_plain_json_whatever_was_measured(estimate, measured, interval):
    row = claim(estimate).judge(Evidence({}, samples=1)).row()
    assert json.loads(json.dumps(row, allow_nan=False)) == row
    assert (row["measured"], row["interval"]) == (measured, interval)
    assert (row["checks"][0]["measured"], row["checks"][0]["interval"]) == (measured, interval)


def test_a_row_tells_the_decisive_check():
    row = claim(INSIDE, OUTSIDE).judge(Evidence({}, samples=1)).row()
    assert row["claim"] == "paper/7"
    assert row["paper"] == "paper"
    assert row["verdict"] == "contradicted"
    assert row["expected"] == "check 1: about a half"
    assert row["measured"] == 2.0
    assert row["rule"] == "check 0 in [0, 1]; check 1 in [0, 1]"
    assert [check["verdict"] for check in row["checks"]] == ["replicated", "contradicted"]


@pytest.fixture
def run(tmp_path):
    run = Run.create(tmp_path / "run", {"members": 2, "steps": 3})
    frame = xr.Dataset(coords={"member": np.arange(2)})
    create_store(run.record_path, frame, [Variable("rqi", ("member",), (2,), np.dtype("f4"), (2,))])
    return run


def test_evidence_loads_a_record_once(run):
    evidence = Evidence({"fleet": run}, samples=1)
    record = evidence.record("fleet")
    assert record is evidence.record("fleet")
    assert record.rqi.variable._in_memory


def test_evidence_names_a_corrupt_record(run):
    (run.record_path / "rqi/c").mkdir()
    (run.record_path / "rqi/c/0").write_bytes(b"not a chunk")
    with pytest.raises(RunError, match=r"record\.zarr: variable 'rqi' has a corrupt chunk"):
        Evidence({"fleet": run}, samples=1).record("fleet")
