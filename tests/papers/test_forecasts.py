"""What training would take, as the command line tells it: nothing is trained for that."""

import subprocess
import sys
from pathlib import Path

import pytest
from toy_paper import FIRST, PAPER, SECOND

import nucleate.papers
from nucleate.cli import main
from nucleate.fleet import speeds
from nucleate.papers.describe import describe
from nucleate.record import Run


@pytest.fixture
def ask(capsys, monkeypatch, tmp_path):
    """The command line, in a folder of its own, on a machine that takes 100 steps of anything a second."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(speeds, "_speed", lambda plan, members, cut, abreast: 100.0)
    monkeypatch.setattr(sys.modules["nucleate.fleet.forecast"], "_seconds_of_data", lambda plan, kind: 0.0)
    monkeypatch.setattr(nucleate.papers, "PAPERS", ("toy",))
    monkeypatch.setattr(nucleate.papers, "paper", {"toy": PAPER}.__getitem__)
    monkeypatch.setattr(nucleate.papers, "description", {"toy": describe(PAPER)}.__getitem__)
    monkeypatch.setattr("nucleate.machine.workers", lambda: [None] * 4)

    def call(*args: str) -> subprocess.CompletedProcess:
        code = main(list(args))
        return subprocess.CompletedProcess(args, code, *capsys.readouterr())

    return call


def test_a_run_is_foretold(ask):
    told = ask("run", FIRST, "--seeds", "40", "--dry-run").stdout
    assert "toy/first 40 networks × 20 steps = 800 network-steps" in told
    assert "2 s with 4 workers; one takes 100 steps a second in blocks of 1, measured just now" in told
    assert "remembered from" in ask("run", FIRST, "--seeds", "40", "--dry-run", "--cluster", "local:4").stdout
    assert not Path("runs").exists()


def test_a_cluster_is_foretold_with_what_limits_it(ask):
    told = ask("plan", FIRST, "--seeds", "4000", "--steps", "500", "--workers", "100").stdout
    assert "3.3 min with 100 workers" in told
    assert "shards    800 of up to 5 networks, 25 s each" in told
    assert "limit     4,000 workers, which take 5 s" in told
    assert "a scheduler passed on" not in told
    crowded = ask("plan", FIRST, "--seeds", "4000", "--steps", "5", "--workers", "4000").stdout
    assert "1,333 shards a second, which is what a scheduler passed on" in crowded
    absurd = ask("plan", FIRST, "--seeds", "4", "--steps", "500", "--workers", "1000000").stdout
    assert "5 s with 4 of 1,000,000 workers" in absurd
    assert "shards    4 of one network, 5 s each" in absurd
    assert "a scheduler passed on" not in absurd
    refused = ask("plan", FIRST, "--workers", "0")
    assert (refused.returncode, "--workers must be >= 1; got 0." in refused.stderr) == (2, True)
    assert "--workers must be >= 1 and < 2**31; got" in ask("plan", FIRST, "--workers", str(10**12)).stderr


def test_a_replication_is_foretold_with_what_is_there_already(ask, toy):
    fresh = ask("replicate", "toy", "--budget", "quick", "--dry-run").stdout
    (second,) = [line for line in fresh.splitlines() if SECOND in line]
    assert f"depends on what {FIRST} finds" in second
    assert not Path("runs").exists()
    trained = ask("replicate", "toy", "--budget", "quick", "--dry-run", "--out", str(toy)).stdout
    assert trained.count("complete") == 2
    assert "0 s of training" in trained


def test_a_run_made_from_another_needs_that_one(ask):
    refused = ask("run", SECOND, "--dry-run")
    assert refused.returncode == 2
    assert f"depends on what {FIRST} finds" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_run_that_has_been_begun_is_foretold_as_it_is_cut_up(ask):
    run = Run.create(Path("begun"), {"members": 40, "steps": 20, "block": 4, "shard_size": 4})
    run.update(microbatches=2)
    told = ask("run", FIRST, "--seeds", "40", "--dry-run", "--out", "begun").stdout
    assert "in blocks of 4, batches in 2 pieces, measured just now" in told
