"""Nothing is lost: a run that is killed, interrupted or damaged ends with the record of one that was not."""

import _thread
import errno
import functools
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from small_fleets import Sums, all_sorts, small_chunks

from nucleate.fleet import Interruption, Silent, replay, train
from nucleate.fleet.program import Program
from nucleate.record import Outcome, Run, RunError, verify

PROCESS = Path(__file__).parent / "train_all_sorts.py"
pytestmark = pytest.mark.usefixtures("compiled_once")


@pytest.fixture(scope="module")
def whole(tmp_path_factory, compiled_once):
    """The run that nobody disturbed."""
    with small_chunks():
        return train(all_sorts(), tmp_path_factory.mktemp("whole") / "run")


def finish(folder: Path) -> Run:
    with small_chunks():
        return train(all_sorts(), folder)


class Process:
    """One that trains, made by a process that has imported all that it needs."""

    def __init__(self, maker: subprocess.Popen, folder: Path, *options: str):
        assert maker.stdin
        assert maker.stdout
        self._answers, self._errors = maker.stdout, folder.with_name("errors")
        maker.stdin.write(json.dumps([str(folder), "--errors", str(self._errors), *options]) + "\n")
        maker.stdin.flush()
        self._number = int(self._answers.readline())

    def is_running(self) -> bool:
        return not select.select([self._answers], [], [], 0)[0]

    def send(self, number: signal.Signals) -> None:
        os.kill(self._number, number)

    def wait(self) -> tuple[int, str]:
        """Its exit code, and what it said of errors."""
        assert select.select([self._answers], [], [], 240)[0], "no end in four minutes"
        return int(self._answers.readline()), self._errors.read_text()


@pytest.fixture(scope="module")
def start(compiled_once):
    """`start(folder, *options)`: a process that trains."""
    with subprocess.Popen([sys.executable, PROCESS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as maker:
        yield functools.partial(Process, maker)
        maker.communicate()


def files(run: Run) -> dict[str, bytes]:
    """Every file of a record: metadata and chunks."""
    return {
        file.relative_to(run.path).as_posix(): file.read_bytes()
        for file in run.record_path.rglob("*")
        if file.is_file()
    }


def assert_same(run: Run, whole: Run, *, same_files: bool = True) -> None:
    assert run.status == "complete"
    verify(run.record_path)
    record, expected = run.record().load(), whole.record().load()
    assert set(record.variables) == set(expected.variables)
    for name in expected.variables:
        assert record[name].dtype == expected[name].dtype
        exact = expected[name].dtype.kind == "f"
        assert np.array_equal(record[name], expected[name], equal_nan=exact), name
    if same_files:
        assert files(run) == files(whole)
    assert not list(run.path.glob(".*"))
    assert not list(run.checkpoints.glob("*.checkpoint*"))


def assert_unfinished(run: Run) -> None:
    assert run.status != "complete"
    assert len(list(run.checkpoints.glob("*.done"))) < 3


def test_the_fleet_has_every_kind_of_member_and_many_chunks(whole):
    record = whole.record().load()
    assert set(record.outcome.values.tolist()) == {Outcome.OK, Outcome.STOPPED, Outcome.DIVERGED}
    assert whole.about.groups == 2
    assert len(list(whole.record_path.glob("embedding/c/*/*"))) > 50


@pytest.mark.parametrize("member", [0, 1, 2])
def test_replay_in_a_fleet_of_several_programs(whole, member):
    record, again = whole.record().load(), replay(all_sorts(), whole, member)
    for name in record.data_vars:
        exact = record[name].dtype.kind == "f"
        assert np.array_equal(again[name].values[0], record[name].values[member], equal_nan=exact), name


# --- SIGKILL ----------------------------------------------------------------------------------------------------


def wait_for_progress(folder: Path, process: Process) -> None:
    """Until this process, and none before it, has written a checkpoint."""
    began, deadline = time.time_ns(), time.monotonic() + 120
    while not any(file.stat().st_mtime_ns > began for file in folder.glob("checkpoints/[0-9]*")):
        assert process.is_running(), process.wait()
        assert time.monotonic() < deadline, "no checkpoint in two minutes"
        time.sleep(0.01)


def test_killed_at_random_times(tmp_path, whole, start):
    """Twice in a row, each time in the midst of training."""
    folder, rng = tmp_path / "run", np.random.default_rng(2)
    for _ in range(2):
        process = start(folder, "--pause", "0.2")
        wait_for_progress(folder, process)
        time.sleep(rng.uniform(0, 0.8))
        process.send(signal.SIGKILL)
        assert process.wait()[0] == -signal.SIGKILL
        assert Run.open(folder).status == "running"
        assert_unfinished(Run.open(folder))
    assert_same(finish(folder), whole)


def test_killed_at_random_changes_of_the_disk(tmp_path, whole, start):
    """While run.json is written, while the record is laid out, and twice between two writes of the training.

    To lay out the record takes some 450 changes.
    """
    folder, rng = tmp_path / "run", np.random.default_rng(3)
    for number in [6, rng.integers(20, 300), rng.integers(550, 800), rng.integers(10, 250)]:
        assert start(folder, "--die-at", str(number)).wait()[0] == -signal.SIGKILL
        if (folder / "run.json").exists():
            assert_unfinished(Run.open(folder))
    assert_same(finish(folder), whole)


# --- SIGINT -----------------------------------------------------------------------------------------------------


def test_ctrl_c_leaves_a_resumable_run(tmp_path, whole, start):
    folder = tmp_path / "run"
    process = start(folder, "--pause", "0.2")
    wait_for_progress(folder, process)
    process.send(signal.SIGINT)
    code, errors = process.wait()
    assert code != 0
    assert f"interrupted; resume {folder}" in errors
    assert Run.open(folder).status == "interrupted"
    assert_unfinished(Run.open(folder))
    assert list(folder.glob("checkpoints/*.checkpoint"))
    assert_same(finish(folder), whole)


class CtrlC(Silent):
    """Presses Ctrl-C once the workers have come so far."""

    def __init__(self, after: int):
        self.left = after

    def advance(self, count: int) -> None:
        self.left -= 1
        if self.left == 0:
            _thread.interrupt_main()
        time.sleep(0.02)


class Count(Silent):
    """Adds up what it is told."""

    total = seen = 0

    def begin(self, name: str, total: int, *, unit: str = "steps", detail: str = "") -> None:
        self.total = total

    def advance(self, count: int) -> None:
        self.seen += count


@pytest.fixture
def interrupted(tmp_path, whole):
    """A run that was interrupted in the midst of training, in this process."""
    with small_chunks(), pytest.raises(Interruption) as caught:
        train(all_sorts(), tmp_path / "run", watch=CtrlC(after=30))
    run = Run.open(caught.value.path)
    assert_unfinished(run)
    assert run.status == "interrupted"
    return run


def test_progress_after_resuming_ends_at_all_steps(interrupted, whole):
    count = Count()
    with small_chunks():
        train(all_sorts(), interrupted.path, watch=count)
    assert count.seen == count.total == 6 * 3000
    assert_same(interrupted, whole)
    assert interrupted.about.seconds > 0


def test_a_run_that_was_cut_up_otherwise_starts_again(interrupted, whole, monkeypatch):
    """As by another version, which looks for divergence at other steps."""
    monkeypatch.setattr(Sums, "max_gap", 20)
    with small_chunks():
        train(all_sorts(), interrupted.path)
    assert_same(interrupted, whole)


def test_interrupted_before_the_first_step(tmp_path, whole, monkeypatch):
    started = Program.start

    def start_slowly(self, *inputs):
        _thread.interrupt_main()
        time.sleep(0.5)
        return started(self, *inputs)

    monkeypatch.setattr(Program, "start", start_slowly)
    with small_chunks(), pytest.raises(Interruption):
        train(all_sorts(), tmp_path / "run")
    monkeypatch.undo()
    count = Count()
    with small_chunks():
        run = train(all_sorts(), tmp_path / "run", watch=count)
    assert count.seen == count.total
    assert_same(run, whole)


def test_a_complete_run_is_left_alone(whole):
    before = {file: file.stat().st_mtime_ns for file in whole.path.rglob("*") if file.name != "lock"}
    assert finish(whole.path).status == "complete"
    assert {file: file.stat().st_mtime_ns for file in before} == before


# --- damage -----------------------------------------------------------------------------------------------------


def test_a_damaged_checkpoint_costs_time_only(interrupted, whole):
    """Truncated, garbage, empty: `test_checkpoint` has many more kinds."""
    checkpoints = sorted(interrupted.checkpoints.glob("*.checkpoint"))
    assert checkpoints
    for file, content in zip(checkpoints, [checkpoints[0].read_bytes()[:-99], b"PK" * 999, b""], strict=False):
        file.write_bytes(content)
    assert_same(finish(interrupted.path), whole)


def test_a_worker_that_fails_stops_the_run_where_it_can_be_resumed(tmp_path, whole):
    class Failing(CtrlC):
        def advance(self, count: int) -> None:
            self.left -= 1
            if self.left == 0:
                raise ZeroDivisionError("a worker fails")

    with small_chunks(), pytest.raises(ZeroDivisionError, match="a worker fails"):
        train(all_sorts(), tmp_path / "run", watch=Failing(after=30))
    assert_unfinished(Run.open(tmp_path / "run"))
    assert_same(finish(tmp_path / "run"), whole)


# --- a full disk ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [("--largest-file", "12000"), ("--largest-file", "60000", "--usual-chunks")],
    ids=["laying out", "training"],
)
def test_a_full_disk_is_one_line_and_the_run_resumes(tmp_path, whole, start, options):
    """No file may grow past a size that the record's metadata, or a chunk of it, exceeds."""
    folder = tmp_path / "run"
    code, errors = start(folder, *options).wait()
    assert code == 1
    assert errors.splitlines()[-1] == (
        f"nucleate.record.schema.RunError: The disk is full while writing {folder}; "
        f"free some space, then `nucleate resume {folder}`."
    )
    assert_unfinished(Run.open(folder))
    usual = "--usual-chunks" in options
    assert usual == (folder / "checkpoints").exists()
    run = train(all_sorts(), folder) if usual else finish(folder)
    assert_same(run, whole, same_files=not usual)


def test_a_disk_that_is_full_from_the_start(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match=r"The disk is full while writing .*run; free some space"):
        train(all_sorts(), tmp_path / "run")


def test_a_full_disk_when_the_cost_is_noted_down_stops_nobody(tmp_path, whole, monkeypatch):
    updated = Run.update

    def full(self, **changes):
        if set(changes) == {"seconds"}:
            raise OSError(errno.ENOSPC, "No space left on device")
        updated(self, **changes)

    monkeypatch.setattr(Run, "update", full)
    monkeypatch.setattr("nucleate.fleet.executor._TELL_SECONDS", 0.0)
    assert_same(finish(tmp_path / "run"), whole)


def test_other_errors_of_the_system_stay_what_they_are(tmp_path, monkeypatch):
    def denied(descriptor):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "fsync", denied)
    with pytest.raises(PermissionError):
        train(all_sorts(), tmp_path / "run")
