"""`nucleate` with a paper that fails in parts: what is said, what is left behind, and with which exit code."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from toy_paper import CALLS, FIRST, PAPER, SECOND, raising

import nucleate.papers
from nucleate.claims import evidence
from nucleate.cli import main
from nucleate.papers.describe import describe


@pytest.fixture
def nucleate_of_toys(capsys, monkeypatch, tmp_path):
    """The command line, in a folder of its own, where the toy paper is the only one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(evidence, "_WORTH_KEEPING", 0.0)  # a slow machine would keep what a fast one does not
    monkeypatch.setattr(nucleate.papers, "PAPERS", ("toy",))
    monkeypatch.setattr(nucleate.papers, "paper", {"toy": PAPER}.__getitem__)
    monkeypatch.setattr(nucleate.papers, "description", {"toy": describe(PAPER)}.__getitem__)

    def call(*args: str, **errors: BaseException) -> subprocess.CompletedProcess:
        with raising(**errors):
            code = main(list(args))
        return subprocess.CompletedProcess(args, code, *capsys.readouterr())

    return call


def test_failures_are_named_and_the_exit_code_says_so(toy, nucleate_of_toys):
    done = nucleate_of_toys("resume", "toy", fall=ValueError("no [data]"), figure_2=OSError("no font"))
    assert done.returncode == 1
    for words in (
        "0 replicated, 1 contradicted, 2 inconclusive",
        "failed: claim toy/1: ValueError: no [data]",
        "failed: figure figure_2: OSError: no font",
        f"2 failed; the tracebacks are in {Path('toy/failures.log')}",
        f"Report: {Path('toy/report.html')}",
        "too early",
    ):
        assert words in done.stdout
    page = (toy / "report.html").read_text()
    assert "claim toy/1: ValueError: no [data]" in page
    assert "figure figure_2: OSError: no font" in page
    mended = nucleate_of_toys("resume", "toy")
    assert mended.returncode == 0
    assert dict(CALLS) == {"fall": 1, "figure_2": 1}
    assert "failed:" not in mended.stdout
    assert "What failed" not in (toy / "report.html").read_text()


@pytest.mark.parametrize("part", ["late", "figure_1"])
def test_ctrl_c_is_answered_with_how_to_resume(toy, nucleate_of_toys, part):
    stopped = nucleate_of_toys("resume", "toy", **{part: KeyboardInterrupt()})
    assert stopped.returncode == 130
    assert "Continue with: nucleate resume toy" in stopped.stderr
    assert nucleate_of_toys("resume", "toy").returncode == 0
    assert CALLS[part] == 1


def test_ctrl_c_while_the_report_is_written_is_answered_too(toy, nucleate_of_toys, monkeypatch):
    def interrupted(replication):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(nucleate.papers, "write_replication_report", interrupted)
        stopped = nucleate_of_toys("resume", "toy")
    assert stopped.returncode == 130
    assert "Continue with: nucleate resume toy" in stopped.stderr
    assert nucleate_of_toys("resume", "toy").returncode == 0
    assert dict(CALLS) == {}


def test_the_worst_of_several_papers_decides_the_exit_code(nucleate_of_toys, monkeypatch):
    toy = replace(PAPER, claims=PAPER.claims[2:], experiments={}, figures=())
    papers = {"toy": toy, "joy": replace(toy, name="joy", claims=(replace(toy.claims[0], id="joy/3"),))}
    monkeypatch.setattr(nucleate.papers, "PAPERS", tuple(papers))
    monkeypatch.setattr(nucleate.papers, "paper", papers.__getitem__)
    done = nucleate_of_toys("replicate", "all", "--budget", "quick", "--out", "all", "--json", "card.json")
    assert done.returncode == 0
    assert [row["claim"] for row in json.loads(Path("card.json").read_text())] == ["toy/3", "joy/3"]
    failed = nucleate_of_toys("replicate", "all", "--budget", "quick", "--out", "all", "--fresh", half=ValueError("no"))
    assert failed.returncode == 1
    assert failed.stdout.count("failed: claim") == 2


def test_several_claims_chosen_in_python_are_all_resumed(nucleate_of_toys, monkeypatch):
    exact = (PAPER.claims[2], replace(PAPER.claims[2], id="toy/4"))
    papers = {"toy": replace(PAPER, claims=(*PAPER.claims, exact[1]))}
    monkeypatch.setattr(nucleate.papers, "paper", papers.__getitem__)
    nucleate.papers.replicate(PAPER, nucleate.papers.Budget.QUICK, Path("two"), claims=exact)
    assert nucleate_of_toys("resume", "two").returncode == 0
    assert "0 replicated, 2 contradicted" in nucleate_of_toys("resume", "two").stdout


def test_a_replication_shows_its_runs_and_verdicts(toy, nucleate_of_toys):
    unfinished = nucleate_of_toys("show", "toy").stdout
    assert f"run: {Path('toy') / FIRST.split('/')[1]}" in unfinished
    assert "Unfinished: nucleate resume toy" in unfinished
    nucleate_of_toys("resume", "toy")
    shown = nucleate_of_toys("show", "toy").stdout
    assert [line for line in shown.splitlines() if "toy/1" in line and line.startswith("replicated")]
    assert shown.splitlines()[-1] == "1 replicated, 1 contradicted, 1 inconclusive"


def test_an_unfinished_replication_has_no_report(toy, nucleate_of_toys):
    answer = nucleate_of_toys("report", "toy")
    assert answer.returncode == 2
    assert "toy is unfinished; `nucleate resume toy` first." in answer.stderr


def test_a_damaged_scorecard_is_named_in_one_line(toy, nucleate_of_toys):
    nucleate_of_toys("resume", "toy")
    (toy / "scorecard.json").write_text('[{"claim": "toy/1"}]')
    answer = nucleate_of_toys("report", "toy")
    assert answer.returncode == 2
    assert "scorecard.json: [0].paper is missing." in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1


def test_the_list_shows_experiments_and_claims(nucleate_of_toys):
    assert "toy  A toy paper. Nobody (2026)\n  3 claims, 2 experiments\n" in nucleate_of_toys("list").stdout
    shown = nucleate_of_toys("list", "toy").stdout
    for words in (FIRST, SECOND, f"after {FIRST}", "The loss falls.", "no training", "toy/3"):
        assert words in shown


def test_an_experiment_of_the_list_is_run_with_what_it_awaits(nucleate_of_toys):
    done = nucleate_of_toys("run", SECOND, "--out", "mine")
    assert done.returncode == 0, done.stderr
    assert "6 networks (6 ok)" in done.stdout
    assert [folder.name.rsplit("-", 1)[0] for folder in Path("runs").iterdir()] == ["toy-first"]
    again = nucleate_of_toys("resume", "mine")
    assert again.returncode == 0, again.stderr
    about = json.loads(Path("mine/run.json").read_text())
    Path("mine/run.json").write_text(json.dumps(about | {"config": about["config"] | {"temperature": 1}}))
    refused = nucleate_of_toys("resume", "mine")
    assert refused.returncode == 2
    assert "mine cannot be resumed by this nucleate: Slower has other fields" in refused.stderr


@pytest.mark.parametrize(("budget", "networks"), [(["--budget", "quick"], 7), (["--budget=paper"], 8), ([], 8)])
def test_a_budget_decides_what_is_not_said(nucleate_of_toys, budget, networks):
    done = nucleate_of_toys("run", FIRST, *budget, "--out", "mine")
    assert done.returncode == 0, done.stderr
    assert f"{networks} networks ({networks} ok)" in done.stdout


def test_a_bad_option_is_answered_with_field_and_value(nucleate_of_toys):
    answer = nucleate_of_toys("run", FIRST, "--seeds", "0")
    assert answer.returncode == 2
    assert "Lines.seeds must be >= 1; got 0." in answer.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--until-decided", "--within", "soon"],
            "--within must be a duration, such as 45s, 90m, 2h or 1h30m; got 'soon'",
        ),
        (["--until-decided", "--within", "90"], "got '90'"),
        (["--until-decided", "--within", "0h"], "got '0h'"),
        (["--until-decided", "--within=-1h"], "got '-1h'"),
        (["--until-decided", "--within", "9" * 400 + "h"], "--within must be a duration"),
        (["--within", "2h"], "--within 2h limits --until-decided, which is missing: add it."),
        (["--seeds-from", "-3"], "--seeds-from must be 0 or more; got -3."),
        (["--seeds-from", "4294967296"], "--seeds-from 4294967296: Lines.first_seed must be"),
        (["--seeds-from", "many"], "many"),
    ],
)
def test_bad_options_are_one_line_and_leave_nothing(nucleate_of_toys, options, message):
    answer = nucleate_of_toys("replicate", "toy", "--budget", "quick", *options)
    assert answer.returncode == 2
    assert message in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert not Path("runs").exists()


def test_claims_are_decided_in_looks_and_resumed_as_they_were_begun(nucleate_of_toys):
    done = nucleate_of_toys(
        "replicate", "toy/1", "--budget", "quick", "--until-decided", "--within", "1h", "--seeds-from", "50"
    )
    assert done.returncode == 0
    folder = Path("runs/toy-1-quick-from-50-decided")
    assert f"Report: {folder / 'report.html'}" in done.stdout
    about = json.loads((folder / "replication.json").read_text())
    assert (about["within"], about["seeds_from"], len(about["looks"])) == (3600, 50, 5)
    assert nucleate_of_toys("resume", str(folder)).returncode == 0
    assert dict(CALLS) == {}
    again = nucleate_of_toys("replicate", "toy/1", "--budget", "quick", "--until-decided", "--out", str(folder))
    assert (again.returncode, "--seeds-from 50, not 0" in again.stderr) == (2, True)


def test_scorecards_of_replications_are_one_page(toy, nucleate_of_toys):
    nucleate_of_toys("resume", "toy")
    page = nucleate_of_toys("scorecards", "toy", "toy/scorecard.json").stdout
    assert page.count("| toy | 3 | 1 | 1 | 1 (1 too early) | 0 |") == 2
    assert "“loss at the end &lt; 1”: replicated; changed because any line would have passed." in page
    assert "| toy | budget: quick; 1 look, with intervals of 95 % |  | 1 | 1 (100%) | none | none |" in page
    assert "Agreement" not in nucleate_of_toys("scorecards", "toy/scorecard.json", "toy/scorecard.json").stdout
    shutil.copy("toy/scorecard.json", "other.json")
    twice = nucleate_of_toys("scorecards", "toy/scorecard.json", "other.json").stdout
    assert "| toy |  | other.json | 1 | 1 (100%) | none | none |" in twice
    assert nucleate_of_toys("scorecards").returncode == 2
    assert "is not a replication" in nucleate_of_toys("scorecards", "nowhere").stderr
