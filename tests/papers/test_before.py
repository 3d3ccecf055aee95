"""A run and a replication that version 0.1 wrote, before rows were a type and results were kept, still open."""

import tarfile
from pathlib import Path

import pytest

from nucleate.cli import main
from nucleate.papers import Replication, write_replication_report
from nucleate.record import Run, list_runs, verify
from nucleate.report import write_run_report

DATA = Path(__file__).parent / "data" / "before.tar.gz"


@pytest.fixture
def before(tmp_path) -> Path:
    with tarfile.open(DATA) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


@pytest.fixture
def nucleate(before, capsys, monkeypatch):
    """The command line, in the folder of the old runs; what it prints."""

    def call(*args: str) -> str:
        monkeypatch.chdir(before)
        monkeypatch.setenv("COLUMNS", "200")
        assert main(list(args)) == 0
        return capsys.readouterr().out

    return call


@pytest.mark.parametrize(("folder", "members"), [("run", 2), ("replication/data-size", 4)])
def test_records_open_and_are_whole(before, folder, members):
    run = Run.open(before / folder)
    verify(run.record_path)
    record = run.record()
    assert (run.status, record.sizes["member"], record.attrs["steps"]) == ("complete", members, 4)
    assert record.train_loss.notnull().all()


def test_the_scorecard_says_what_it_said(before):
    rows = Replication.open(before / "replication").rows()
    assert [(row.claim, row.verdict) for row in rows] == [
        ("grokking/2", "replicated"),
        ("grokking/14", "contradicted"),
        ("grokking/15", "contradicted"),
    ]
    assert rows[0].rule == "nullity at p = 10 = 2; largest nullity, p = 3..20 = 2"
    assert [check.region for check in rows[1].checks] == ["in [0.9, 1]", "in [0, 0.1]"]
    assert rows[1].decisive.found == "0.375 [0.2, 0.55]"
    assert rows[1].cost == "4 × 4"


def test_they_are_reported_again(before):
    page = write_replication_report(Replication.open(before / "replication")).read_text()
    for words in ("grokking/14", "Accepted if", "in [0, 0.1]", "Fig. 11: the hierarchy", "data:image/png", "p = 4"):
        assert words in page
    assert "What failed" not in page
    assert "**grokking/15** (contradicted)" in (before / "replication/scorecard.md").read_text()
    page = write_run_report(Run.open(before / "run")).read_text()
    assert "grokking/data-size" in page
    assert "data:image/png" in page


def test_the_command_line_reads_them(before, nucleate):
    assert {run.path.name for run in list_runs(before)} == {"run", "data-size"}
    listed = nucleate("runs", "--root", ".")
    assert listed.count("grokking/data-size") == 2
    assert listed.count("complete") == 2
    shown = nucleate("show", "run")
    assert "Members: 2 ok" in shown
    assert "train_loss" in shown
    for folder in ("run", "replication"):
        assert "Report: " in nucleate("report", folder)
        assert (before / folder / "report.html").exists()


def test_a_complete_run_is_resumed_without_training(before, nucleate):
    pytest.importorskip("nucleate.papers.grokking", exc_type=ImportError)
    about = (before / "run/run.json").read_bytes()
    assert "2 networks (2 ok)" in nucleate("resume", "run")
    assert (before / "run/run.json").read_bytes() == about
