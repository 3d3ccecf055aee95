import functools
import json
import sys
from dataclasses import dataclass, replace

import numpy as np
import pytest
import xarray as xr

from nucleate.claims import Check, Claim, Estimate, Evidence, Findings, FinishedRun, Region, evidence, share
from nucleate.record import About, Keep, Run, RunError, Variable, create_store

TRUSTED = (__name__.split(".")[0],)
CALLS: list[str] = []


@dataclass(frozen=True)
class Planted:
    """A finished run that never was."""

    value: float
    about: About = About("complete", "2026-01-31", {}, "unknown", {}, members=1, steps=2, seconds=3.0)  # noqa: RUF009

    def record(self) -> xr.Dataset:
        return xr.Dataset({"x": ("member", [self.value])})


@dataclass(frozen=True)
class Fit:
    slope: np.ndarray


def slope_of_a(evidence: Evidence) -> Fit:
    CALLS.append("slope_of_a")
    return Fit(evidence.record("a").x.values * 2)


def sum_of_slopes(evidence: Evidence) -> float:
    CALLS.append("sum_of_slopes")
    return float(evidence.once(slope_of_a).slope[0] + evidence.record("b").x.values[0])


def of_no_run(evidence: Evidence) -> int:
    CALLS.append("of_no_run")
    return 3


def cannot_be_packed(evidence: Evidence) -> object:
    CALLS.append("cannot_be_packed")
    return object()


@pytest.fixture(autouse=True)
def _worth_keeping(monkeypatch):
    CALLS.clear()
    monkeypatch.setattr(evidence, "_WORTH_KEEPING", 0.0)


@pytest.fixture
def gather(tmp_path):
    """Evidence of a new process: planted runs and the folder that results are kept in."""

    def gather(code: str = "this", effort: int = 1, level: float = 0.95, **changed: Planted) -> Evidence[int]:
        runs = {name: Planted(value) for name, value in (("a", 1.0), ("b", 2.0), ("c", 3.0))} | changed
        return Evidence(runs, effort, level=level, keep=Keep(tmp_path / "kept", code, TRUSTED))

    return gather


def calls(of: Evidence, *functions) -> list[str]:
    """What was computed to answer."""
    CALLS.clear()
    for function in functions:
        of.once(function)
    return CALLS[:]


def test_a_result_is_computed_once_and_is_the_same_object():
    evidence = Evidence({"a": Planted(1.0), "b": Planted(2.0)}, None)
    assert evidence.once(sum_of_slopes) == 4.0
    assert evidence.once(slope_of_a) is evidence.once(slope_of_a)
    assert sorted(CALLS) == ["slope_of_a", "sum_of_slopes"]


def test_what_is_known_is_not_computed():
    known = {slope_of_a: Fit(np.array([10.0]))}
    assert Evidence({"b": Planted(2.0)}, None, known=known).once(sum_of_slopes) == 12.0
    assert CALLS == ["sum_of_slopes"]


def test_results_are_kept_for_the_next_process(gather):
    assert calls(gather(), sum_of_slopes, of_no_run) == ["sum_of_slopes", "slope_of_a", "of_no_run"]
    later = gather()
    assert calls(later, sum_of_slopes, slope_of_a, of_no_run) == []
    assert later.once(sum_of_slopes) == 4.0
    np.testing.assert_array_equal(later.once(slope_of_a).slope, [2.0])


def test_a_changed_run_invalidates_what_read_it_through_whatever_it_called(gather):
    first = gather()
    calls(first, slope_of_a, sum_of_slopes, of_no_run)  # the sum reads `a` only through the slope, already there
    other = replace(Planted.about, steps=99)
    assert calls(gather(c=Planted(3.0, other)), sum_of_slopes, slope_of_a, of_no_run) == []
    assert calls(gather(b=Planted(2.0, other)), sum_of_slopes, slope_of_a, of_no_run) == ["sum_of_slopes"]
    assert sorted(calls(gather(a=Planted(5.0, other)), sum_of_slopes, of_no_run)) == ["slope_of_a", "sum_of_slopes"]
    assert gather(a=Planted(5.0, other)).once(slope_of_a).slope == 10.0


def test_what_was_read_from_disk_counts_as_read(gather):
    calls(gather(), slope_of_a)
    calls(gather(), sum_of_slopes)  # the slope comes from disk
    other = replace(Planted.about, steps=99)
    assert calls(gather(a=Planted(5.0, other)), sum_of_slopes) == ["sum_of_slopes", "slope_of_a"]


def test_what_a_failed_attempt_read_counts_as_read(gather):
    def attempt(evidence: Evidence) -> float:
        evidence.record("a")
        raise ValueError("no")

    def answer(evidence: Evidence) -> str:
        with pytest.raises(ValueError, match="no"):
            evidence.once(attempt)
        return "it failed"

    first = gather()
    assert first.kept("answer", lambda: answer(first)) == "it failed"
    again = gather(a=Planted(5.0, replace(Planted.about, steps=99)))
    assert again.kept("answer", lambda: "it went well") == "it went well"


def test_cost_and_status_of_a_run_do_not_count(gather):
    calls(gather(), slope_of_a)
    about = replace(Planted.about, seconds=999.0, status="running")
    assert calls(gather(a=Planted(1.0, about)), slope_of_a) == []


def test_other_code_computes_again(gather):
    calls(gather(), slope_of_a)
    assert calls(gather(code="other"), slope_of_a) == ["slope_of_a"]


def test_quick_results_are_not_worth_a_file(gather, tmp_path, monkeypatch):
    monkeypatch.setattr(evidence, "_WORTH_KEEPING", 60.0)
    calls(gather(), slope_of_a)
    assert not (tmp_path / "kept").exists()


def test_what_cannot_be_packed_is_computed_by_every_process(gather):
    assert calls(gather(), cannot_be_packed, cannot_be_packed) == ["cannot_be_packed"]
    assert calls(gather(), cannot_be_packed) == ["cannot_be_packed"]


def test_functions_that_share_a_name_share_no_file(gather):
    def power(exponent: int):
        def compute(evidence: Evidence) -> int:
            return 2**exponent

        return compute

    seven = functools.partial(lambda value, evidence: value, 7)
    answers = [power(3), power(4), seven, lambda evidence: 1, lambda evidence: 2]
    for _ in range(2):  # the second time another process would find what was kept by name
        found = gather()
        assert [found.once(answer) for answer in answers] == [8, 16, 7, 1, 2]


def test_kept_answers_count_while_they_are_valid(gather):
    first = gather()
    assert first.kept("figure", lambda: "old") == "old"
    assert gather().kept("figure", lambda: "new") == "old"
    assert gather().kept("figure", lambda: "new", lambda value: value != "old") == "new"
    assert gather().kept("figure", lambda: "newest") == "new"


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"{}", b'{"name": 1}', b"\xff\xfe", b"[" * 100_000])
@pytest.mark.parametrize("suffix", ["json", "npz"])
def test_damaged_files_count_as_none(gather, tmp_path, damage, suffix):
    calls(gather(), slope_of_a)
    (file,) = (tmp_path / "kept").glob(f"*.{suffix}")
    file.write_bytes(damage)
    assert calls(gather(), slope_of_a) == ["slope_of_a"]
    assert calls(gather(), slope_of_a) == []  # kept anew


@pytest.mark.parametrize("value", [{}, {"unknown": 1}, {"object": "os:system", "fields": {}}, {"array": 7}])
def test_a_file_that_says_something_else_counts_as_none(gather, tmp_path, value):
    calls(gather(), slope_of_a)
    (file,) = (tmp_path / "kept").glob("*.json")
    file.write_text(json.dumps(json.loads(file.read_text()) | {"value": value}))
    assert calls(gather(), slope_of_a) == ["slope_of_a"]


@pytest.fixture
def run(tmp_path):
    run = Run.create(tmp_path / "run", {"members": 2, "steps": 3})
    frame = xr.Dataset(coords={"member": np.arange(2)})
    create_store(run.record_path, frame, [Variable("rqi", ("member",), (2,), np.dtype("f4"), (2,))])
    return run


def test_a_record_is_loaded_once(run):
    assert isinstance(run, FinishedRun)
    evidence = Evidence({"fleet": run}, None)
    record = evidence.record("fleet")
    assert record is evidence.record("fleet")
    assert record.rqi.variable._in_memory
    assert evidence.about("fleet").members == 2


def test_a_corrupt_record_is_named(run):
    (run.record_path / "rqi/c").mkdir()
    (run.record_path / "rqi/c/0").write_bytes(b"not a chunk")
    with pytest.raises(RunError, match=r"record\.zarr: variable 'rqi' has a corrupt chunk"):
        Evidence({"fleet": run}, None).record("fleet")


def test_this_module_can_be_named():
    assert sys.modules[__name__].slope_of_a is slope_of_a  # else nothing above would be kept


def test_a_claim_reads_only_the_runs_that_it_declares():
    seen = Evidence({"a": Planted(1.0), "b": Planted(2.0)}, None)
    seen.once(slope_of_a)
    with seen.only(("b",)):
        assert seen.record("b").x == 2.0
        for read in (lambda: seen.record("a"), lambda: seen.about("a"), lambda: seen.once(slope_of_a)):
            with pytest.raises(ValueError, match="'a' is read, but not declared: add it to `needs`, which names b"):
                read()
    assert seen.once(slope_of_a).slope == 2.0


def share_of_a(evidence: Evidence) -> Estimate:
    CALLS.append("share_of_a")
    return share(int(evidence.record("a").x.values[0]), 2)


def width(evidence: Evidence) -> float:
    CALLS.append("width")
    estimate = evidence.once(share_of_a)
    return estimate.high - estimate.low


def test_results_without_an_interval_are_those_of_every_level(gather):
    calls(gather(), slope_of_a, of_no_run)
    assert calls(gather(level=0.99), slope_of_a, of_no_run) == []


def test_an_interval_of_another_level_is_not_used_not_even_through_another_result(gather):
    assert calls(gather(), width) == ["width", "share_of_a"]
    assert calls(gather(), width, share_of_a) == []
    assert calls(gather(level=0.99), width) == ["width", "share_of_a"]
    assert gather(level=0.99).once(width) > gather().once(width)


def test_a_claim_is_judged_at_the_level_of_its_evidence():
    check = Check("share", "all", Region.at_least(0.5))
    claim = Claim("a/1", "", "", (check,), lambda _: Findings({check: share(9, 10)}))
    rows = {level: claim.judge(Evidence({}, None, level=level)) for level in (0.9, 0.95)}
    low = {level: (row.checks[0].interval or (1,))[0] for level, row in rows.items()}
    assert low[0.9] > low[0.95] == share(9, 10).low
