import errno
import json
import os
import signal
import subprocess
import sys
from datetime import datetime

import pytest

from nucleate.record import SCHEMA_VERSION, Run, RunError, list_runs, provenance

HOLD = """
import sys, time
from pathlib import Path
from nucleate.record import Run
with Run(Path(sys.argv[1])).lock():
    print("locked", flush=True)
    time.sleep(60)
"""


SIZE = {"members": 3, "steps": 7}


def rewrite(run: Run, **changes) -> None:
    """Change run.json by hand; `...` takes a field out."""
    about = json.loads((run.path / "run.json").read_text()) | changes
    (run.path / "run.json").write_text(json.dumps({key: value for key, value in about.items() if value is not ...}))


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


def test_a_folder_may_be_named_by_a_string(run):
    assert Run(str(run.path)) == run
    assert Run(str(run.path)).about == run.about


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
    with pytest.raises(RunError, match=r"cannot be a folder of results: there is a file in its place"), run.lock():
        pass


def test_create_writes_who_where_when_and_with_what(tmp_path):
    run = Run.create(tmp_path / "a/b", SIZE | {"experiment": "x", "config": {"p": 10}})
    about = Run.open(run.path).about
    assert about.schema_version == SCHEMA_VERSION
    assert about.status == run.status == "created"
    assert about.config == {"p": 10}
    assert about.versions["numpy"]
    assert about.git
    assert about.platform["python"] == sys.version.split()[0]
    assert datetime.fromisoformat(about.created).tzinfo is not None


def test_update_changes_some_fields_and_keeps_the_others(tmp_path):
    run = Run.create(tmp_path, SIZE | {"experiment": "x", "mood": {"of": ["the", None, "day"]}})
    before = json.loads((run.path / "run.json").read_text())
    run.update(status="running", seconds=1.5)
    assert json.loads((run.path / "run.json").read_text()) == before | {"status": "running", "seconds": 1.5}
    assert (run.about.status, run.about.seconds, run.about.experiment) == ("running", 1.5, "x")
    assert run.about.rest == {"mood": {"of": ["the", None, "day"]}}


def test_what_could_not_be_read_is_not_written(run):
    before = (run.path / "run.json").read_bytes()
    with pytest.raises(RunError, match=r"run\.json: status must be one of created, .*; got 'done'\."):
        run.update(status="done")
    with pytest.raises(RunError, match=r"run\.json: members is missing\."):
        Run.create(run.path.parent / "other", {"steps": 3})
    assert (run.path / "run.json").read_bytes() == before
    assert list(run.path.parent.glob("other/*")) == []


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
    rewrite(run, schema_version=version)
    with pytest.raises(RunError, match=rf"written with schema version {version}; this nucleate reads version 1\."):
        Run.open(run.path)


@pytest.mark.parametrize("content", ["{", "", "[1]", "\x00", "[" * 100_000, '{"git": "\\ud800"}', "9" * 5000])
def test_a_damaged_run_json_is_named(run, content):
    (run.path / "run.json").write_text(content)
    with pytest.raises(RunError, match=r"run\.json(:| cannot be read:) ") as caught:
        Run.open(run.path)
    assert "\n" not in str(caught.value)


def test_runs_are_listed_oldest_first_and_those_that_cannot_be_read_last(tmp_path):
    for name, created in [("b", "2024-01-02"), ("deep/er/a", "2024-01-01"), ("c", "2024-01-03")]:
        Run.create(tmp_path / name, SIZE).update(created=created)
    rewrite(Run.create(tmp_path / "a-old", SIZE), schema_version=0)
    for name, content in [("a-broken", "{"), ("a-foreign", "[1, 2]")]:
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text(content)
    listed = [run.path.relative_to(tmp_path).as_posix() for run in list_runs(tmp_path)]
    assert listed == ["deep/er/a", "b", "c", "a-broken", "a-foreign", "a-old"]
    assert list_runs(tmp_path / "nowhere") == []


def test_run_json_is_for_people_too(run):
    text = (run.path / "run.json").read_text()
    assert text == json.dumps(json.loads(text), indent=2) + "\n"


BAD = {
    "status": [..., None, 3, "finished", ["complete"]],
    "created": [..., None, 20240101],
    "versions": [..., None, "1.0", ["numpy"], {"numpy": 2}],
    "git": [..., None, 7],
    "platform": [..., None, "linux"],
    "members": [..., None, 0, -1, 2.5, "3", True],
    "steps": [..., None, 0, "7", 1e9],
    "experiment": [3, ["a"]],
    "config": [None, 3, "p = 4"],
    "fingerprint": [3],
    "block": [-3, 0, "1", 1.5],
    "shard_size": [-1, "2"],
    "groups": [0],
    "seconds": ["1", -1, float("nan"), float("inf"), 10**400],
}


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in BAD.items() for value in values])
def test_a_bad_field_of_run_json_is_named_with_its_value(run, field, value):
    rewrite(run, block=1, shard_size=1)
    rewrite(run, **{field: value})
    with pytest.raises(RunError) as caught:
        Run.open(run.path)
    said = str(caught.value)
    path = f"{field}.numpy" if value == {"numpy": 2} else field
    assert said.startswith(f"{run.path / 'run.json'}: {path} {'is missing.' if value is ... else 'must be '}")
    assert "\n" not in said
    assert len(said) < 300


def test_block_and_shard_size_come_together(run):
    for one, other in (("block", "shard_size"), ("shard_size", "block")):
        rewrite(run, **{one: 1, other: ...})
        with pytest.raises(RunError, match=rf"run\.json: {other} is missing\."):
            Run.open(run.path)


def test_what_an_earlier_or_later_version_wrote_is_kept(run):
    rewrite(run, fingerprint=..., seconds=..., mood="good", weather={"rain": [1]})
    run.update(status="running")
    assert run.about.rest == {"mood": "good", "weather": {"rain": [1]}}
    assert json.loads((run.path / "run.json").read_text())["mood"] == "good"


@pytest.mark.parametrize(("field", "value"), [("members", 4), ("steps", 8)])
def test_a_run_json_that_contradicts_the_record_is_named(run, field, value):
    rewrite(run, **{field: value})
    right = {"members": 3, "steps": 7}[field]
    with pytest.raises(RunError, match=rf"run\.json: {field} must be {right}, as in the record; got {value}\."):
        run.record()


def test_a_run_without_a_record_says_how_to_get_one(tmp_path):
    run = Run.create(tmp_path, SIZE)
    with pytest.raises(RunError, match=r"has no record yet; `nucleate resume .*` makes it\."):
        run.record()


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "run.json")
    with pytest.raises(RunError, match=r"has no run\.json"):
        Run.open(tmp_path)
    assert list_runs(tmp_path) == []
