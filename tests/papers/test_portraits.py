"""The page of one run: its paper's figures for it, and what becomes of those that fail."""

from dataclasses import replace

import pytest
import toy_paper
from toy_paper import FIRST, PAPER, SECOND

import nucleate.papers
from nucleate.papers import Paper, library, portraits, write_experiment_report
from nucleate.papers.describe import describe
from nucleate.plots import Picture
from nucleate.record import Run


@pytest.fixture
def page_of(toy, monkeypatch):
    """The page of the toy's first run, in a paper with these portraits."""

    def call(*figures) -> str:
        paper = replace(PAPER, portraits={FIRST: figures})
        monkeypatch.setattr(portraits, "PAPERS", ("toy",))
        monkeypatch.setattr(library, "paper", {"toy": paper}.__getitem__)
        monkeypatch.setattr(portraits, "description", {"toy": describe(paper)}.__getitem__)
        return write_experiment_report(Run.open(toy / FIRST.split("/")[1])).read_text()

    return call


def portrait(evidence, folder) -> Picture:
    from PIL import Image

    assert evidence.record(FIRST).sizes["member"] > 0
    Image.new("RGB", (4, 4)).save(folder / "portrait.png")
    return Picture(folder / "portrait.png", "A portrait", "Of the networks.")


def fails(evidence, folder):
    return evidence.record(SECOND)


def test_a_run_is_shown_in_the_figures_that_its_paper_has_for_it(page_of, toy):
    page = page_of(portrait, lambda evidence, folder: None)
    assert "A portrait" in page
    assert "What was recorded" in page
    assert "What failed" not in page
    assert not (toy / "first" / "failures.log").exists()


def test_a_portrait_that_fails_is_named_and_harms_no_other(page_of, toy):
    page = page_of(fails, portrait)
    assert "figure fails: NotTrained: there is no run of" in page
    assert "A portrait" in page
    assert "Traceback" in (toy / "first" / "failures.log").read_text()
    assert "What failed" not in page_of(portrait)
    assert not (toy / "first" / "failures.log").exists()


def test_a_paper_of_ones_own_is_given_and_drawn_each_time(toy):
    run = Run.open(toy / FIRST.split("/")[1])
    mine = replace(PAPER, portraits={FIRST: (portrait,)})
    assert "A portrait" not in write_experiment_report(run).read_text()
    assert "A portrait" in write_experiment_report(run, mine).read_text()
    assert "A portrait" not in write_experiment_report(run, PAPER).read_text()


def test_a_run_without_portraits_has_its_curves(page_of):
    assert "What was recorded" in page_of()


def test_a_paper_has_portraits_of_its_experiments_only():
    with pytest.raises(ValueError, match=r"has portraits of \['toy/third'\]"):
        replace(PAPER, portraits={"toy/third": ()})
    assert isinstance(replace(toy_paper.PAPER, portraits={}), Paper)
    assert nucleate.papers.write_experiment_report is write_experiment_report


def test_what_was_drawn_is_not_drawn_again(page_of, toy):
    drawn = []

    def counted(evidence, folder):
        drawn.append(folder)
        return portrait(evidence, folder)

    overview = toy / "first/figures/overview.png"
    assert "A portrait" in page_of(counted)
    made = overview.stat().st_mtime_ns
    assert "A portrait" in page_of(counted)
    assert (len(drawn), overview.stat().st_mtime_ns) == (1, made)
    (toy / "first/figures/portrait.png").write_bytes(b"")
    assert "A portrait" in page_of(counted)
    assert len(drawn) == 2
    (toy / "first/figures/overview.png").unlink()
    assert "What was recorded" in page_of(counted)
    assert overview.exists()
    Run(toy / "first").update(git="of another record")
    page_of(counted)
    assert len(drawn) == 3


def test_of_an_unfinished_run_everything_is_drawn_anew(page_of, toy):
    page_of()
    Run(toy / "first").update(status="interrupted")
    before = (toy / "first/figures/overview.png").stat().st_mtime_ns
    page_of()
    assert (toy / "first/figures/overview.png").stat().st_mtime_ns > before
