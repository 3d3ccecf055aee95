"""A replication is carried to its end whatever fails in it, and continued wherever it stopped."""

import json
import shutil
import sys
from dataclasses import replace

import pytest
import toy_paper
from PIL import Image
from toy_paper import CALLS, CLAIMS, FIRST, PAPER, SECOND, Lines, Slower, raising

from nucleate.claims import evidence
from nucleate.fleet import Interruption
from nucleate.papers import (
    Budget,
    Replication,
    Sizes,
    replicate,
    write_experiment_report,
    write_replication_report,
)
from nucleate.record import Run, RunError, export_members

QUICK = Budget.QUICK
ALL = {"fall": 1, "fit": 1, "late": 1, "half": 1, "figure_1": 1, "figure_2": 1}
PICTURES = ["figure_1.png", "figure_2a.png", "figure_2b.png"]


@pytest.fixture(autouse=True)
def _fits_are_worth_keeping(monkeypatch):
    monkeypatch.setattr(evidence, "_WORTH_KEEPING", 0.0)


def calls(folder, paper=PAPER, **errors: BaseException) -> dict[str, int]:
    """What a replication calls, in which some parts may raise."""
    with raising(**errors):
        replicate(paper, QUICK, folder)
    return dict(CALLS)


def verdicts(folder) -> dict[str, str]:
    return {row.claim: f"{row.verdict} {row.reason}".strip() for row in Replication.open(folder).rows()}


EXPECTED = {"toy/1": "replicated", "toy/2": "inconclusive too early", "toy/3": "contradicted"}


def test_everything_is_measured_and_drawn_once_and_never_again(toy):
    assert calls(toy) == ALL
    assert verdicts(toy) == EXPECTED
    assert [picture.path.name for picture in Replication.open(toy).pictures()] == PICTURES
    before = (toy / "scorecard.json").read_bytes()
    assert calls(toy) == {}
    assert (toy / "scorecard.json").read_bytes() == before
    assert not (toy / "failures.log").exists()


def test_a_budget_may_leave_an_experiment_out(tmp_path):
    folder = tmp_path / "toy"
    small = replace(PAPER, experiments=PAPER.experiments | {SECOND: Sizes.of(Slower(), quick=None)})
    done = calls(folder, small)
    assert {name: done[name] for name in ALL if name in done} == {n: 1 for n in ALL if n != "late"}
    assert verdicts(folder) == EXPECTED | {"toy/2": "inconclusive left to a larger budget"}
    replication = Replication.open(folder)
    left = replication.rows()[1]
    assert (left.members, left.note) == (0, f"This budget does not train {SECOND}.")
    assert [picture.path.name for picture in replication.pictures()] == PICTURES[:1]
    assert replication.about.runs == ("first",)
    assert not replication.about.failures


def test_a_claim_and_a_figure_that_raise_harm_no_other(toy):
    done = calls(toy, fall=ZeroDivisionError("division\nby zero"), figure_2=OSError("no font"))
    assert done == ALL  # the fit for the figure, though the claim did not come to it
    assert verdicts(toy) == EXPECTED | {"toy/1": "inconclusive failed"}
    replication = Replication.open(toy)
    assert replication.rows()[0].note == "The measurement failed: ZeroDivisionError: division."
    assert [picture.path.name for picture in replication.pictures()] == PICTURES[:1]
    assert replication.about.failures == (
        "claim toy/1: ZeroDivisionError: division",
        "figure figure_2: OSError: no font",
    )
    log = (toy / "failures.log").read_text()
    assert log.count("Traceback") == 2
    assert "toy_paper.py" in log
    assert "by zero" in log
    page = write_replication_report(replication).read_text()
    for failure in replication.about.failures:
        assert failure in page


def test_what_failed_is_tried_again_and_nothing_else(toy):
    calls(toy, fall=ZeroDivisionError(), figure_2=OSError())
    assert calls(toy) == {"fall": 1, "figure_2": 1}
    assert verdicts(toy) == EXPECTED
    assert Replication.open(toy).about.failures == ()
    assert not (toy / "failures.log").exists()


def test_a_fit_that_raises_fails_all_that_need_it(toy):
    calls(toy, fit=ValueError("singular"))
    assert Replication.open(toy).about.failures == (
        "claim toy/1: ValueError: singular",
        "figure figure_1: ValueError: singular",
    )
    assert calls(toy) == {"fall": 1, "fit": 1, "figure_1": 1}


def test_a_record_that_cannot_be_read_fails_the_claims_that_read_it(toy):
    chunk = next(file for file in (toy / "second/record.zarr/loss/c").rglob("*") if file.is_file())
    chunk.write_bytes(b"not a chunk")
    calls(toy)
    assert verdicts(toy) == EXPECTED | {"toy/2": "inconclusive failed"}
    assert "variable 'loss' has a corrupt chunk" in Replication.open(toy).rows()[1].note


def test_ctrl_c_while_measuring_then_while_drawing_repeats_nothing(toy):
    for interrupted, called in (
        ("half", {"fall", "fit", "late", "half"}),
        ("figure_2", {"half", "figure_1", "figure_2"}),
    ):
        with pytest.raises(Interruption) as caught:
            calls(toy, **{interrupted: KeyboardInterrupt()})
        assert caught.value.path == toy
        assert dict(CALLS) == dict.fromkeys(called, 1)
    assert calls(toy) == {"figure_2": 1}
    assert verdicts(toy) == EXPECTED
    assert calls(toy) == {}


def test_ctrl_c_while_drawing_leaves_the_scorecard_and_its_failures(toy):
    with pytest.raises(Interruption):
        calls(toy, late=ValueError("no"), figure_1=KeyboardInterrupt())
    replication = Replication.open(toy)
    assert verdicts(toy)["toy/2"] == "inconclusive failed"
    assert replication.about.failures == ("claim toy/2: ValueError: no",)
    assert "claim toy/2: ValueError: no" in write_replication_report(replication).read_text()


def test_ctrl_c_while_training_names_the_replication(tmp_path, monkeypatch):
    def interrupted(plan, into, **_):
        raise Interruption(into)

    monkeypatch.setattr(sys.modules["nucleate.papers.training"], "train", interrupted)
    with pytest.raises(Interruption) as caught:
        replicate(PAPER, QUICK, tmp_path / "toy")
    assert caught.value.path == tmp_path / "toy"
    with pytest.raises(RunError, match=r"is unfinished; `nucleate resume .*toy` first"):
        Replication.open(tmp_path / "toy").rows()


def test_a_picture_that_is_gone_or_changed_is_drawn_again_and_no_other(toy):
    calls(toy)
    (toy / "figures/figure_2a.png").unlink()
    assert calls(toy) == {"figure_2": 1}
    assert (toy / "figures/figure_2a.png").exists()
    Image.new("L", (3, 3)).save(toy / "figures/figure_1.png")
    assert calls(toy) == {"figure_1": 1}


def test_a_picture_that_is_gone_is_named_in_the_report_and_harms_no_other(toy):
    calls(toy)
    (toy / "figures/figure_2a.png").unlink()
    page = write_replication_report(Replication.open(toy)).read_text()
    assert f"figure figure_2a.png is not in its folder; `nucleate resume {toy}` makes it again" in page
    assert page.count("data:image/png;base64") == 2


@pytest.mark.parametrize(
    ("changed", "again"),
    [("first", {"fall", "fit", "figure_1"}), ("second", {"late", "figure_2"})],
)
def test_a_changed_run_invalidates_what_read_it_and_nothing_else(toy, changed, again):
    calls(toy)
    Run.open(toy / changed).update(created="2020-01-01T00:00:00+00:00")
    assert calls(toy) == dict.fromkeys(again, 1)


def test_another_effort_measures_again_and_trains_nothing(toy):
    calls(toy)
    before = (toy / "first/run.json").read_bytes()
    dearer = replace(PAPER, effort=Sizes.of(toy_paper.Effort(2)))
    assert calls(toy, dearer) == ALL
    assert Replication.open(toy).rows()[2].measured == 1.0
    assert (toy / "first/run.json").read_bytes() == before


def test_a_folder_holds_one_target_at_one_budget(toy):
    with pytest.raises(RunError, match=r"holds the replication of toy at budget quick; choose another folder"):
        replicate(PAPER, Budget.STANDARD, toy)
    with pytest.raises(RunError, match=r"holds the replication of toy at budget quick"):
        replicate(PAPER, QUICK, toy, claims=CLAIMS[:1])


def test_a_folder_of_someone_else_is_not_written_to(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match=r"is not empty and not a replication"):
        replicate(PAPER, QUICK, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_a_replication_that_was_killed_as_it_began_is_begun_again(tmp_path):
    (tmp_path / ".replication.json.x1y2").write_text("{")
    assert replicate(PAPER, QUICK, tmp_path, claims=CLAIMS[2:]).rows()[0].verdict == "contradicted"


def test_single_claims_train_what_they_need_and_draw_nothing(tmp_path):
    with raising():
        replication = replicate(PAPER, QUICK, tmp_path / "third", claims=CLAIMS[2:])
    assert dict(CALLS) == {"half": 1}
    assert [row.claim for row in replication.rows()] == ["toy/3"]
    assert (replication.about.target, replication.about.runs) == ("toy/3", ())
    assert replication.pictures() == []


def test_the_only_claim_of_a_paper_is_not_the_whole_paper(tmp_path):
    lone = replace(PAPER, claims=CLAIMS[2:])
    replication = replicate(lone, QUICK, tmp_path / "lone", claims=lone.claims)
    assert replication.about.target == "toy/3"
    with pytest.raises(RunError, match="holds the replication of toy/3"):
        replicate(lone, QUICK, tmp_path / "lone")


def test_several_claims_are_all_named(toy, tmp_path):
    shutil.copytree(toy / "first", tmp_path / "two/first")
    replicate(PAPER, QUICK, tmp_path / "none", claims=CLAIMS[2:])
    shutil.copy(tmp_path / "none/replication.json", tmp_path / "two")
    Replication(tmp_path / "two").update(target="toy/1, toy/3")
    replication = replicate(PAPER, QUICK, tmp_path / "two", claims=(CLAIMS[0], CLAIMS[2]))
    assert [row.claim for row in replication.rows()] == ["toy/1", "toy/3"]


def test_a_finished_replication_shows_its_figures_while_it_is_measured_again(toy):
    calls(toy)
    Run.open(toy / "first").update(created="2020-01-01T00:00:00+00:00")
    with pytest.raises(Interruption):
        calls(toy, fall=KeyboardInterrupt())
    assert [picture.path.name for picture in Replication.open(toy).pictures()] == PICTURES
    assert write_replication_report(Replication.open(toy)).read_text().count("data:image/png;base64") == 3


def test_a_sequel_is_trained_from_what_it_awaits(toy):
    assert json.loads((toy / "second/run.json").read_text())["config"]["eta"] == 0.05
    assert Replication.open(toy).about.runs == ("first", "second")


class Restless(Slower):
    """Awaits yet another experiment when it has seen the first."""

    def after(self, record):
        return replace(self, source="toy/zeroth") if self.source == FIRST else replace(self, eta=0.05)


def test_a_sequel_may_await_another_when_it_has_seen_the_first(toy, tmp_path):
    zeroth = "toy/zeroth"
    paper = replace(
        PAPER,
        experiments={FIRST: PAPER.experiments[FIRST], zeroth: Sizes.of(Lines(seeds=2)), SECOND: Sizes.of(Restless())},
        figures=(),
    )
    shutil.rmtree(toy / "second")
    with raising():
        replication = replicate(paper, QUICK, toy)
    assert [run.path.name for run in replication.runs()] == ["first", "zeroth", "second"]


def test_discarding_leaves_nothing_but_what_others_put_there(toy):
    calls(toy, fall=ValueError())
    write_replication_report(Replication.open(toy))
    (toy / "notes.txt").write_text("not ours to delete")
    Replication.open(toy).discard()
    assert [file.name for file in toy.iterdir()] == ["notes.txt"]


def test_what_was_exported_and_what_failed_is_discarded_too(toy):
    calls(toy)
    export_members(Run(toy / "first"), toy / "first" / "members.csv")
    (toy / "first" / "failures.log").touch()
    Replication.open(toy).discard()
    assert not toy.exists()


def test_nothing_is_drawn_or_swept_through_a_link(toy, tmp_path):
    calls(toy)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / ".a.png.123").touch()
    for folder, write in (
        (toy, lambda: write_replication_report(Replication.open(toy))),
        (toy / "first", lambda: write_experiment_report(Run(toy / "first"))),
        (toy, lambda: calls(toy)),
    ):
        shutil.rmtree(folder / "figures", ignore_errors=True)
        (folder / "figures").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(RunError, match="symbolic link"):
            write()
        assert [file.name for file in (tmp_path / "elsewhere").iterdir()] == [".a.png.123"]
        (folder / "figures").unlink()


def test_a_folder_may_be_named_by_a_string(toy):
    assert Replication(str(toy)) == Replication.open(str(toy)) == Replication(toy)


def test_what_is_not_a_replication_is_refused(tmp_path):
    with pytest.raises(RunError, match=r"is not a replication: it has no replication\.json"):
        Replication.open(tmp_path)


def test_figures_that_one_function_made_are_kept_apart(toy):
    def shade(value: int):
        return lambda evidence, folder: toy_paper.Picture(
            toy_paper._image(folder / f"{value}.png", value), f"{value}", ""
        )

    for _ in range(2):
        calls(toy, replace(PAPER, figures=(shade(1), shade(2))))
        assert [picture.title for picture in Replication.open(toy).pictures()] == ["1", "2"]


def test_a_figure_that_draws_elsewhere_is_refused_and_one_with_nothing_to_show_is_not(toy, tmp_path):
    def astray(evidence, folder):
        return toy_paper.Picture(toy_paper._image(tmp_path / "astray.png", 1), "Astray", "")

    def nothing(evidence, folder):
        return None

    calls(toy, replace(PAPER, figures=(astray, nothing)))
    replication = Replication.open(toy)
    assert replication.pictures() == []
    (failure,) = replication.about.failures
    assert failure.startswith("figure astray: ValueError: ")


def test_a_replication_is_shown_as_its_scorecard(toy):
    unfinished = Replication.open(toy)
    assert str(unfinished).endswith("A toy paper, toy at the quick budget; unfinished")
    assert "<td>toy/1</td>" not in unfinished._repr_html_()
    shown = replicate(PAPER, Budget.QUICK, toy)
    assert "<td>toy/1</td>" in shown._repr_html_()
    assert "<td>replicated</td>" in shown._repr_html_()
