import errno
import json
import os
import signal
import subprocess
import sys
from datetime import datetime

import pytest

from nucleate.record import SCHEMA_VERSION, Run, RunError, list_runs, provenance, write_atomically

HOLD = """
import sys, time
from pathlib import Path
from nucleate.record import Run
with Run(Path(sys.argv[1])).lock():
    print("locked", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    """A process that holds the lock of `tmp_path`."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, tmp_path], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "locked\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_two_processes_cannot_write_one_run(tmp_path, holder):
    message = rf"{tmp_path} is being written by another process; wait for it, or .* --out"
    with pytest.raises(RunError, match=message), Run(tmp_path).lock():
        pass


def test_a_killed_process_lets_go_of_its_lock(tmp_path, holder):
    assert Run(tmp_path).is_held()
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    assert not Run(tmp_path).is_held()
    with Run(tmp_path).lock():
        pass


def test_asking_whether_a_run_is_held_leaves_no_trace(run):
    assert not run.is_held()
    assert not (run.path / "lock").exists()


@pytest.mark.parametrize("reason", [errno.EACCES, errno.EPERM, errno.EROFS])
def test_a_run_that_cannot_be_written_is_not_held(run, monkeypatch, reason):
    with run.lock():
        pass
    opened = os.open

    def read_only(path, flags, *args, **kwargs):  # not by permissions, which do not bind a superuser
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(reason, os.strerror(reason), path)
        return opened(path, flags, *args, **kwargs)

    (run.path / "lock").touch()  # some platforms remove it after use
    monkeypatch.setattr(os, "open", read_only)
    assert not run.is_held()
    with pytest.raises(OSError, match=os.strerror(reason)), run.lock():
        pass


def test_other_trouble_with_the_lock_is_not_hidden(run, monkeypatch):
    def broken(*args, **kwargs):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    (run.path / "lock").touch()
    monkeypatch.setattr(os, "open", broken)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        run.is_held()


def test_a_lock_is_free_again_after_use_and_after_an_error(tmp_path):
    with pytest.raises(ZeroDivisionError), Run(tmp_path).lock():
        raise ZeroDivisionError
    with Run(tmp_path).lock(), pytest.raises(RunError), Run(tmp_path).lock():
        pass


@pytest.mark.parametrize("below", ["", "deeper/"])
def test_a_file_where_the_folder_should_be_is_named(tmp_path, below):
    (tmp_path / "file").touch()
    run = Run(tmp_path / "file" / below)
    with pytest.raises(RunError, match=r"cannot be a run directory: there is a file in its place"), run.lock():
        pass


def test_create_writes_who_where_when_and_with_what(tmp_path):
    run = Run.create(tmp_path / "a/b", {"experiment": "x", "config": {"p": 10}})
    about = Run.open(run.path).about
    assert about["schema_version"] == SCHEMA_VERSION
    assert about["status"] == run.status == "created"
    assert about["config"] == {"p": 10}
    assert about["versions"]["numpy"]
    assert about["git"]
    assert about["platform"]["python"] == sys.version.split()[0]
    assert datetime.fromisoformat(about["created"]).tzinfo is not None


def test_update_changes_some_fields_and_keeps_the_others(tmp_path):
    run = Run.create(tmp_path, {"experiment": "x"})
    run.update(status="running", seconds=1.5)
    assert run.about | {"status": "running", "seconds": 1.5, "experiment": "x"} == run.about


def test_git_state_is_unknown_outside_a_repository(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert provenance()["git"] == "unknown"
    monkeypatch.setenv("PATH", "")  # no git at all
    assert provenance()["git"] == "unknown"


def test_what_is_no_folder_is_refused(tmp_path):
    with pytest.raises(RunError, match=r"nowhere is not a run directory: there is no such folder\."):
        Run.open(tmp_path / "nowhere")


def test_a_folder_without_run_json_is_refused(tmp_path):
    with pytest.raises(RunError, match=r"is not a run directory: it has no run\.json\.") as caught:
        Run.open(tmp_path)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize("version", [0, None, "1"])
def test_another_schema_version_is_refused(run, version):
    run.update(schema_version=version)
    with pytest.raises(RunError, match=rf"written with schema version {version}; this nucleate reads version 1\."):
        Run.open(run.path)


@pytest.mark.parametrize("content", ["{", "", "[1]", "\x00"])
def test_a_damaged_run_json_is_named(run, content):
    (run.path / "run.json").write_text(content)
    with pytest.raises(RunError, match=r"run\.json (cannot be read|is not a valid run)") as caught:
        Run.open(run.path)
    assert "\n" not in str(caught.value)


def test_runs_are_listed_oldest_first_and_what_is_no_run_is_passed_over(tmp_path):
    for name, created in [("b", "2024-01-02"), ("deep/er/a", "2024-01-01"), ("c", "2024-01-03")]:
        Run.create(tmp_path / name, {}).update(created=created)
    Run.create(tmp_path / "old", {}).update(schema_version=0)
    for name, content in [("broken", "{"), ("foreign", "[1, 2]")]:
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text(content)
    assert [run.path.relative_to(tmp_path).as_posix() for run in list_runs(tmp_path)] == ["deep/er/a", "b", "c"]
    assert list_runs(tmp_path / "nowhere") == []


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    file = tmp_path / "new" / "file.json"
    write_atomically(file, b"old")

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(file, b"new")
    assert file.read_bytes() == b"old"
    assert [entry.name for entry in file.parent.iterdir()] == ["file.json"]
    monkeypatch.undo()
    write_atomically(file, b"new")
    assert file.read_bytes() == b"new"


@pytest.mark.skipif(os.name != "posix", reason="needs Unix permissions")
def test_a_file_is_as_public_as_the_user_wants(tmp_path):
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "file", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


def test_run_json_is_for_people_too(run):
    text = (run.path / "run.json").read_text()
    assert text == json.dumps(json.loads(text), indent=2) + "\n"
