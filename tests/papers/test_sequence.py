"""Claims that too few networks leave open are decided in stages, which survive whatever stops them."""

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from toy_paper import CALLS, FIRST, PAPER, SECOND, Lines, raising

from nucleate.claims import SEQUENTIAL, Check, Claim, Findings, Region, evidence, share
from nucleate.fleet import Interruption, Members, Silent, grid
from nucleate.papers import Budget, Replication, Sizes, UntilDecided, replicate, write_replication_report
from nucleate.papers.stages import APART, as_one
from nucleate.record import Run, RunError, refuse_unlike

QUICK = Budget.QUICK


def _all_fall(number: int, experiment: str, least: float, seen: list[int] | None = None) -> Claim:
    """All lines fall; how many are needed to say that most do depends on what most is."""
    check = Check("share of lines that fall", "most", Region.at_least(least))

    def measure(found):
        record = found.record(experiment)
        hits = record.loss.values[:, -1] < record.loss.values[:, 0]
        return Findings({check: share(int(hits.sum()), len(hits))})

    return Claim(f"toy/{number}", "", "Most lines fall.", (check,), measure, (experiment,))


# At 96.8 %, seven of seven begin at 0.55; at 99.55 %, 14 of 14 begin at 0.65 and 28 of 28 at 0.80.
SOON, NEXT, LATER = (_all_fall(4, FIRST, 0.5), _all_fall(5, FIRST, 0.6), _all_fall(6, FIRST, 0.75))
SEQUEL = _all_fall(7, SECOND, 0.58)  # six of six begin at 0.50, twelve of twelve at 0.60
OPEN = replace(PAPER, claims=(SOON, NEXT, LATER, SEQUEL, PAPER.claims[1]), figures=())


class Told(Silent):
    """Remembers the lines it was told."""

    def __init__(self):
        self.lines = []

    def tell(self, line: str) -> None:
        self.lines.append(line)


@pytest.fixture(autouse=True)
def _fits_are_worth_keeping(monkeypatch):
    monkeypatch.setattr(evidence, "_WORTH_KEEPING", 0.0)


@pytest.fixture(scope="module")
def decided(trained_toy, tmp_path_factory) -> tuple[Replication, list[str]]:
    """All open claims, with nothing to stop them."""
    watch = Told()
    folder = begun(trained_toy, tmp_path_factory.mktemp("decided") / "toy")
    return replicate(OPEN, QUICK, folder, until_decided=UntilDecided(), watch=watch), watch.lines


def begun(trained: Path, folder: Path) -> Path:
    """A replication in planned looks whose first networks are trained."""
    shutil.copytree(trained, folder)
    (folder / "replication.json").unlink()
    shutil.rmtree(folder / "kept", ignore_errors=True)
    made = json.loads((trained / "replication.json").read_text()) | {"looks": SEQUENTIAL.errors}
    (folder / "replication.json").write_text(json.dumps(made))
    return folder


def verdicts(replication: Replication) -> dict[str, tuple[str, int, int]]:
    """Verdict, look and networks of each claim."""
    return {row.claim: (f"{row.verdict} {row.reason}".strip(), row.look, row.members) for row in replication.rows()}


EXPECTED = {
    "toy/4": ("replicated", 1, 7),
    "toy/5": ("replicated", 2, 14),
    "toy/6": ("replicated", 3, 28),
    "toy/7": ("replicated", 2, 12),
    "toy/2": ("inconclusive too early", 1, 6),
}


def test_open_claims_are_decided_at_later_looks_and_others_stay_as_they_are(decided):
    replication, lines = decided
    assert verdicts(replication) == EXPECTED
    about = replication.about
    assert about.runs == ("first", "second", "first.2", "second.2", "first.3")
    assert [(stage.experiment, stage.look) for stage in about.stages] == [(FIRST, 2), (SECOND, 2), (FIRST, 3)]
    assert [row.level for row in replication.rows()] == pytest.approx([0.968, 0.9955, 0.9955, 0.9955, 0.968])
    assert lines[-1] == "No claim is open for too few networks."
    assert "toy/5: replicated" in lines
    assert any(line.startswith("toy/6: inconclusive, too few: about ") for line in lines)
    assert lines[0].startswith("Look 2 of 5, at 99.55 %. Open for too few networks: ")


def test_stages_have_fresh_seeds_and_as_many_networks_as_all_before(decided):
    runs = {run.path.name: run for run in decided[0].runs()}
    seeds = [runs[name].record().seed.values for name in ("first", "first.2", "first.3")]
    assert [len(part) for part in seeds] == [7, 7, 14]
    assert [part[0] for part in seeds] == [0, APART, 2 * APART]
    # A sequel is made from the stage of what it awaits.
    assert runs["second.2"].about.config["first_seed"] == APART


def test_the_page_and_the_scorecard_say_how_many_looks_there_were(decided):
    page = write_replication_report(decided[0]).read_text()
    words = "budget: quick; 3 of 5 looks, with intervals of 96.8 % and 99.55 %"
    assert words in page
    assert "Judged at look 3, with intervals of 99.55 %." in page
    card = (decided[0].path / "scorecard.md").read_text()
    assert card.startswith("B" + words[1:])
    assert "**toy/6** (replicated at look 3, with intervals of 99.55 %)" in card


def test_asked_again_it_trains_and_measures_nothing(decided):
    replication, _ = decided
    before = {run.path: run.path.joinpath("run.json").read_bytes() for run in replication.runs()}
    card = replication.scorecard.read_bytes()
    with raising():
        replicate(OPEN, QUICK, replication.path, until_decided=UntilDecided())
    assert dict(CALLS) == {}
    assert replication.scorecard.read_bytes() == card
    assert {path: path.joinpath("run.json").read_bytes() for path in before} == before


def test_interrupted_within_a_stage_it_goes_on_with_the_same_verdicts(decided, trained_toy, tmp_path):
    folder = begun(trained_toy, tmp_path / "toy")

    def press() -> None:
        if len(Replication(folder).about.stages) == 2 and CALLS["data"] % 3 == 0:
            raise KeyboardInterrupt

    with raising(data=press), pytest.raises(Interruption):
        replicate(OPEN, QUICK, folder, until_decided=UntilDecided())
    stopped = Replication(folder)
    assert Run(folder / "second.2").status == "interrupted"
    assert verdicts(stopped) == EXPECTED | {
        "toy/6": ("inconclusive too few", 2, 14),
        "toy/7": ("inconclusive too few", 1, 6),
    }
    done = {name: (folder / name / "run.json").read_bytes() for name in ("first", "second", "first.2")}
    replication = replicate(OPEN, QUICK, folder, until_decided=UntilDecided())
    assert verdicts(replication) == EXPECTED
    assert {name: (folder / name / "run.json").read_bytes() for name in done} == done
    for row, other in zip(replication.rows(), decided[0].rows(), strict=True):
        assert replace(row, seconds=0.0) == replace(other, seconds=0.0)


def test_without_time_nothing_is_begun_and_what_was_spent_before_counts(trained_toy, tmp_path):
    folder, watch = begun(trained_toy, tmp_path / "toy"), Told()
    Replication(folder).update(measured=1000.0)
    replication = replicate(OPEN, QUICK, folder, until_decided=UntilDecided(within=500.0), watch=watch)
    assert replication.about.stages == ()
    assert "and 0 s are left." in "".join(watch.lines)
    assert verdicts(replication)["toy/5"] == ("inconclusive too few", 1, 7)
    outlook = {row.claim: row.outlook for row in replication.rows()}
    assert outlook["toy/5"].endswith("networks more")
    assert outlook["toy/4"] == outlook["toy/2"] == ""  # decided, and too early
    assert watch.lines[-1].startswith("Open for too few networks: ")
    more = replicate(
        OPEN, QUICK, folder, until_decided=UntilDecided(within=1e6)
    )  # the plan is the same, with more time
    assert verdicts(more) == EXPECTED


def test_one_claim_may_be_decided_alone(tmp_path):
    replication = replicate(OPEN, QUICK, tmp_path / "one", claims=(NEXT,), until_decided=UntilDecided())
    assert verdicts(replication) == {"toy/5": EXPECTED["toy/5"]}
    replication.discard()
    assert not (tmp_path / "one").exists()


def test_looks_are_planned_before_the_first(toy, decided):
    replicate(PAPER, QUICK, toy)
    with pytest.raises(RunError, match=r"with 1 look, with intervals of 95 %: looks are planned before the first, so"):
        replicate(PAPER, QUICK, toy, until_decided=UntilDecided())
    with pytest.raises(RunError, match=r"with 5 looks, .* add --until-decided, or choose another folder"):
        replicate(OPEN, QUICK, decided[0].path)


@dataclass(frozen=True)
class Stubborn(Lines):
    """Trains the same networks, whatever the seed."""

    def members(self) -> Members:
        return grid(seed=range(self.seeds), eta=self.eta)


@dataclass(frozen=True)
class Wide(Lines):
    """Has another column if it has many seeds."""

    def members(self) -> Members:
        members = super().members()
        return members.with_columns(extra=np.ones(members.count)) if self.first_seed else members


@dataclass(frozen=True)
class HalfStubborn(Lines):
    """Has fresh seeds, but always the same splits."""

    def members(self) -> Members:
        members = super().members()
        return members.with_columns(seed_split=np.arange(members.count))


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (
            Stubborn,
            r"toy/first: its next stage would train networks of .*first again, which has seed 0, too; its `memb",
        ),
        (HalfStubborn, r"toy/first: its next stage would train networks of .*first again, which has seed_split 0, too"),
        (
            Wide,
            r"toy/first: its next stage would have a column 'extra', which .*first has not; its `members` must make",
        ),
    ],
)
def test_stages_that_cannot_be_one_record_are_refused_before_they_are_trained(kind, message, tmp_path):
    paper = replace(OPEN, claims=(NEXT,), experiments={FIRST: Sizes.of(kind(seeds=7))})
    with pytest.raises(RunError, match=message):
        replicate(paper, QUICK, tmp_path / "toy", until_decided=UntilDecided())
    assert not (tmp_path / "toy" / "first.2").exists()
    assert Replication(tmp_path / "toy").about.stages == ()


def test_a_stage_that_was_recorded_otherwise_is_named(decided, tmp_path):
    folder = tmp_path / "toy"
    shutil.copytree(decided[0].path, folder)
    runs = tuple(Run(folder / name) for name in ("first", "first.2"))
    whole = as_one(runs)
    assert whole.record().sizes["member"] == 14
    with pytest.raises(
        RunError, match=r"first\.2 has 'extra' and .*first has not: they are not runs of one experiment"
    ):
        refuse_unlike({str(run.path): run.record().assign(extra=0) if run is runs[1] else run.record() for run in runs})


def test_other_seeds_are_other_networks_in_another_folder(decided, tmp_path):
    paper = replace(PAPER, claims=(SOON, SEQUEL), figures=())
    replication = replicate(paper.reseeded(1000), QUICK, tmp_path / "other")
    assert [run.record().seed.values[0] for run in replication.runs()] == [1000, 1000]
    assert replication.about.seeds_from == 1000
    assert "seeds from 1,000" in replication.about.conditions
    with pytest.raises(RunError, match=r"--seeds-from 1000, not 0; choose another folder with --out"):
        replicate(paper, QUICK, tmp_path / "other")
