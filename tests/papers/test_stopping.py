"""Ctrl-C and SIGTERM in every phase of a replication: an exit code, how to resume, and nothing lost."""

import gc
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from toy_paper import PAPER, raising

import nucleate.papers
from nucleate.cli import main
from nucleate.fleet import Interruption, train
from nucleate.machine import signals
from nucleate.papers import Budget
from nucleate.record import Run

PROCESS = Path(__file__).parent / "toy_process.py"
BOTH = {signal.SIGINT: 130, signal.SIGTERM: 143}


@pytest.fixture(scope="module", autouse=True)
def programs():
    """Compiled for every run, as for users: Ctrl-C is pressed meanwhile."""


@pytest.fixture
def toys(capsys, monkeypatch, tmp_path):
    """The command line in a folder of its own, with the toy paper: its exit code and what it says on standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(nucleate.papers, "PAPERS", ("toy",))
    monkeypatch.setattr(nucleate.papers, "paper", {"toy": PAPER}.__getitem__)
    monkeypatch.setattr(signals, "GRACE", 0.1)

    def call(*args: str, **instead) -> tuple[int, str]:
        with raising(**instead):
            code = main(list(args))
        return code, capsys.readouterr().err

    return call


def stalled_by(number: int):
    """Instead of its work, a part is stopped by a signal, and asks nobody whether it should."""

    def stall():
        os.kill(os.getpid(), number)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            time.sleep(0.01)
        raise AssertionError("nobody obeyed")

    return stall


@pytest.mark.parametrize(("number", "code"), BOTH.items(), ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("part", ["late", "figure_2"], ids=["measuring", "drawing"])
def test_while_measuring_and_drawing(toy, toys, part, number, code):
    assert toys("resume", "toy", **{part: stalled_by(number)}) == (
        code,
        "Interrupted. Continue with: nucleate resume toy\n",
    )
    assert toys("resume", "toy") == (0, "")


def test_while_the_page_is_written(toy, toys, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(nucleate.papers, "write_replication_report", lambda _: stalled_by(signal.SIGTERM)())
        assert toys("resume", "toy") == (143, "Interrupted. Continue with: nucleate resume toy\n")
    assert toys("resume", "toy") == (0, "")


def test_while_data_are_made(toys):
    stopped = toys("replicate", "toy", "--budget", "quick", "--out", "new", data=stalled_by(signal.SIGTERM))
    assert stopped == (143, "Interrupted. Continue with: nucleate resume new\n")
    assert Run.open("new/first").status == "interrupted"


def test_one_that_comes_while_rubbish_is_collected(tmp_path, monkeypatch):
    """JAX has a callback of the collector, in which Python swallows exceptions; pytest would tell, by a warning."""
    updated, pressed = Run.update, []

    def pressing(phase, info):
        if threading.current_thread() is threading.main_thread() and not pressed:
            pressed.append(os.kill(os.getpid(), signal.SIGINT))

    def update(self, **changes):
        if set(changes) == {"seconds"} and not pressed:
            gc.callbacks.append(pressing)
            gc.collect()
            gc.callbacks.remove(pressing)
        updated(self, **changes)

    monkeypatch.setattr(Run, "update", update)
    monkeypatch.setattr("nucleate.fleet.executor._TELL_SECONDS", 0.0)
    with raising(loss=lambda: time.sleep(0.2)), pytest.raises(Interruption):
        train(PAPER.at(Budget.QUICK)["toy/first"].plan("toy/first"), tmp_path / "run")
    assert pressed


# --- as a process of its own --------------------------------------------------------------------------------------


@contextmanager
def stalled(folder: Path, part: str, *args: str) -> Iterator[subprocess.Popen]:
    """`nucleate ARGS`, writing to a terminal, that has stalled in a part, where Python cannot interrupt it."""
    marker, (ours, theirs) = folder / f"{part}.stalled", pty.openpty()
    environment = os.environ | {"STALL": part, "MARKER": str(marker), "TERM": "xterm"}
    command = [sys.executable, PROCESS, *args]
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    try:
        deadline = time.monotonic() + 240
        while not marker.exists():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield process
        shown = _all_of(ours).decode()
        assert shown.endswith("\x1b[?25h\r\nInterrupted. Continue with: nucleate resume toy\r\n")
        assert shown.count("Interrupted") == 1
        assert "Traceback" not in shown
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _all_of(terminal: int) -> bytes:
    """What was written to a terminal whose other side is closed by now; one reading gives 4 kB of it at most."""
    shown = b""
    with suppress(OSError):  # how Linux says that this was all
        while part := os.read(terminal, 4096):
            shown += part
    return shown


def test_a_long_computation_is_left_and_resumed(toy, tmp_path, toys):
    with stalled(tmp_path, "late", "resume", "toy") as process:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 143
    assert toys("resume", "toy")[0] == 0


def test_a_long_compilation_is_left_and_resumed(toy, tmp_path, toys):
    """By a worker, for which the main thread waits. The second signal leaves at once, and further ones add nothing."""
    shutil.rmtree(toy / "second")
    with stalled(tmp_path, "loss", "resume", "toy") as process:
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.01)
        assert process.wait() == 130
    assert json.loads((toy / "second/run.json").read_text())["status"] == "running"
    assert toys("resume", "toy")[0] == 0
