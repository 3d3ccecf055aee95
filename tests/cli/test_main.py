"""The command line as a user meets it: where a process matters, in one of its own."""

import contextlib
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nucleate.cli import main

TINY = ["--train-size", "45", "--seeds", "2", "--steps", "40", "--width", "8", "--block", "1"]


@pytest.fixture
def here(capsys, monkeypatch):
    """`nucleate` without a process of its own, which would load JAX and all papers anew."""

    def call(*args: str, cwd: Path) -> subprocess.CompletedProcess:
        monkeypatch.chdir(cwd)
        monkeypatch.setenv("COLUMNS", "200")
        try:
            code = main(list(args))
        except SystemExit as left:
            code = left.code
        return subprocess.CompletedProcess(args, int(code or 0), *capsys.readouterr())

    return call


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """A folder with one finished run in it."""
    folder = tmp_path_factory.mktemp("user")
    with contextlib.chdir(folder):
        assert main(["run", "grokking/data-size", *TINY, "--out", "runs/mine"]) == 0
    return folder


MISTAKES = {
    "unknown command": (["frobnicate"], "no command 'frobnicate'"),
    "unknown experiment": (["run", "grokking/phase-rate"], "Did you mean grokking/phase-rates?"),
    "no experiment": (["run"], "which experiment?"),
    "misspelt override": (["run", "grokking/data-size", "--seedz", "3"], "Did you mean --seeds?"),
    "not a number": (["run", "grokking/data-size", "--seeds", "x"], "--seeds"),
    "p < 2": (["run", "grokking/data-size", "--p", "1"], "AdditionTask.p must be >= 2; got 1."),
    "negative learning rate": (["run", "grokking/data-size", "--eta-repr", "-1"], "eta_repr must be > 0; got -1.0."),
    "negative decay": (["run", "grokking/data-size", "--wd-dec", "-1"], "must be >= 0; got -1.0."),
    "empty split": (["run", "grokking/data-size", "--train-size", "0"], "train_size must be between 1 and 55"),
    "no values": (["run", "grokking/data-size", "--train-size"], "train_size"),
    "a size that is not there": (["run", "grokking/digits", "--budget", "quick"], "grokking/digits has no quick size"),
    "a budget that is not there": (["run", "grokking/data-size", "--budget=huge"], "huge"),
    "not a run": (["show", "."], "is not a run directory"),
    "no such folder": (["resume", "nowhere"], "there is no such folder"),
    "a cluster that is none": (["run", "grokking/data-size", "--cluster", "mine"], "must be local:N, tcp://HOST:PORT"),
    "a cluster of nobody": (["run", "grokking/data-size", "--cluster", "local:0"], "needs a number of processes"),
    "no scheduler's file": (["run", "grokking/data-size", "--cluster", "notes.json"], "address is missing"),
    "unknown paper": (["replicate", "alchemy"], "no paper 'alchemy'"),
    "unknown paper to list": (["list", "alchemy"], "no paper 'alchemy'; there are: grokking, circles, repons"),
    "unknown claim": (["replicate", "grokking/99"], "no claim 'grokking/99'"),
    "unknown budget": (["replicate", "grokking", "--budget", "huge"], "huge"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_answered_in_one_line(mistake, tmp_path, here):
    args, expected = MISTAKES[mistake]
    (tmp_path / "notes.json").write_text("{}")
    answer = here(*args, cwd=tmp_path)
    assert answer.returncode == 2
    assert expected in answer.stderr
    assert len(answer.stderr.strip().splitlines()) == 1
    assert "Traceback" not in answer.stderr


def test_help_teaches_without_loading_jax(tmp_path):
    code = "import sys; from nucleate.cli import main; main(['--help']); assert 'jax' not in sys.modules"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "Examples:" in shown.stdout


@pytest.mark.parametrize("command", ["tour", "list", "run", "replicate", "resume", "report", "runs", "show", "export"])
def test_every_command_has_examples(command, tmp_path, here):
    shown = here(command, "--help", cwd=tmp_path)
    assert shown.returncode == 0
    assert f"nucleate {command}" in shown.stdout
    assert "Example" in shown.stdout


def test_show_and_runs_describe_a_run(finished, here):
    shown = here("show", "runs/mine", cwd=finished)
    assert shown.returncode == 0, shown.stderr
    assert "2 ok" in shown.stdout
    assert "embedding" in shown.stdout
    listed = here("runs", cwd=finished)
    assert "runs/mine" in listed.stdout
    assert "complete" in listed.stdout


def test_report_of_a_single_run(finished, here):
    made = here("report", "runs/mine", cwd=finished)
    assert made.returncode == 0, made.stderr
    page = (finished / "runs/mine/report.html").read_text()
    assert "data:image/png;base64" in page
    assert "train_size" in page


def test_a_finished_run_is_not_trained_again(finished, here):
    before = (finished / "runs/mine/run.json").read_text()
    again = here("run", "grokking/data-size", *TINY, "--out", "runs/mine", cwd=finished)
    assert again.returncode == 0
    assert (finished / "runs/mine/run.json").read_text() == before


def test_another_plan_is_refused(finished, here):
    other = here(
        "run", "grokking/data-size", *TINY, "--p", "9", "--train-size", "20", "--out", "runs/mine", cwd=finished
    )
    assert other.returncode == 2
    assert "holds another plan" in other.stderr


def test_a_corrupt_chunk_is_named(finished, tmp_path, here):
    shutil.copytree(finished / "runs/mine", tmp_path / "bad")
    chunk = next(file for file in (tmp_path / "bad/record.zarr/train_loss/c").rglob("*") if file.is_file())
    content = bytearray(chunk.read_bytes())
    content[len(content) // 2] ^= 0xFF
    chunk.write_bytes(bytes(content))
    shown = here("show", "bad", cwd=tmp_path)
    assert shown.returncode == 2
    assert "train_loss" in shown.stderr
    assert "corrupt" in shown.stderr
    chunk.unlink()
    shown = here("show", "bad", cwd=tmp_path)
    assert shown.returncode == 2
    assert "misses 1 of" in shown.stderr


def test_an_older_schema_is_named(finished, tmp_path, here):
    shutil.copytree(finished / "runs/mine", tmp_path / "old")
    about = json.loads((tmp_path / "old/run.json").read_text())
    (tmp_path / "old/run.json").write_text(json.dumps(about | {"schema_version": 0}))
    shown = here("show", "old", cwd=tmp_path)
    assert shown.returncode == 2
    assert "schema version 0" in shown.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["SIGINT", "SIGTERM"])
def test_interrupt_says_how_to_resume_and_resume_does(tmp_path, here, number, code):
    long = [*TINY, "--steps", "4000", "--width", "64", "--out", "runs/long"]
    process = subprocess.Popen(
        [sys.executable, "-m", "nucleate.cli", "run", "grokking/data-size", *long],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    about, deadline = tmp_path / "runs/long/run.json", time.monotonic() + 120
    while not (about.exists() and '"running"' in about.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == code
    assert said.endswith("\nInterrupted. Continue with: nucleate resume runs/long\n")
    # "running" if compilation was not over in ten seconds: as after SIGKILL, there is nothing to save.
    assert json.loads(about.read_text())["status"] in ("interrupted", "running")
    resumed = here("resume", "runs/long", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert json.loads(about.read_text())["status"] == "complete"


def test_one_claim_as_json(tmp_path, here):
    done = here("replicate", "grokking/2", "--budget", "quick", "--json", "card.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads((tmp_path / "card.json").read_text())
    assert set(row) == {
        "claim", "paper", "statement", "verdict", "expected", "measured", "interval", "members", "steps", "seconds",
    }  # fmt: skip
    assert row["claim"] == "grokking/2"
    assert row["verdict"] == "replicated"
    assert (tmp_path / "runs/grokking-2-quick/report.html").exists()


def test_a_folder_holds_one_replication(tmp_path, here):
    first = ["replicate", "grokking/2", "--budget", "quick", "--out", "mine"]
    assert here(*first, cwd=tmp_path).returncode == 0
    (tmp_path / "mine/notes.txt").write_text("not ours to delete")
    other = here("replicate", "grokking/8", "--budget", "quick", "--out", "mine", cwd=tmp_path)
    assert other.returncode == 2
    assert "holds the replication of grokking/2" in other.stderr
    assert json.loads((tmp_path / "mine/scorecard.json").read_text())[0]["claim"] == "grokking/2"
    fresh = here("replicate", "grokking/8", "--budget", "quick", "--out", "mine", "--fresh", cwd=tmp_path)
    assert fresh.returncode == 2  # notes.txt makes it a folder of someone else's
    assert (tmp_path / "mine/notes.txt").exists()
    (tmp_path / "mine/notes.txt").unlink()
    assert here("replicate", "grokking/8", "--budget", "quick", "--out", "mine", cwd=tmp_path).returncode == 0


def test_a_place_that_cannot_be_written_is_named_in_one_line(tmp_path, here):
    answer = here("replicate", "grokking/2", "--budget", "quick", "--out", "/proc/nowhere", cwd=tmp_path)
    assert answer.returncode == 2
    assert "/proc/nowhere" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_killed_run_is_listed_as_interrupted(finished, tmp_path, here):
    shutil.copytree(finished / "runs/mine", tmp_path / "runs/killed")
    about = json.loads((tmp_path / "runs/killed/run.json").read_text())
    (tmp_path / "runs/killed/run.json").write_text(json.dumps(about | {"status": "running"}))
    listed = here("runs", cwd=tmp_path)
    assert "interrupted" in listed.stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["algebra/c71"], "algebra/c71 has no standard size, which would cost too much; use --budget paper."),
        (["algebra/paths", "--budget", "quick"], "has no quick size, which would show nothing; use --budget standard."),
        (["algebra/c7", "--group", "S3"], "GroupFleet.group must be abelian"),
    ],
    ids=["no standard size", "no quick size", "not abelian"],
)
def test_what_cannot_be_run_is_answered_with_what_can(here, tmp_path, args, said):
    refused = here("run", *args, cwd=tmp_path)
    assert refused.returncode == 2
    assert said in refused.stderr
