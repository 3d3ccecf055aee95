"""A recorded run that has lost something, or whose loop failed: what is lost is named, what is half is left out."""

import gc
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import xarray as xr

from nucleate.record import Outcome, Recorder, Run, RunError, verify


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "run"


def log_both(recorder: Recorder, steps) -> None:
    """In two calls, as loops do that measure only now and then."""
    for step in steps:
        recorder.log(step, loss=[step, step + 0.5])
        recorder.log(step, embedding=np.full((2, 4, 3), float(step)))


# --- lost -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", ["loss/c/0/0", "step/c/0", "embedding/c/0/0/0/0", "eta/c/0", "label/c/0"])
def test_a_lost_chunk_is_named_when_the_record_is_continued(folder, lost):
    with Recorder(folder, {"eta": [0.1, 0.2]}, facts={"label": [3, 4]}) as recorder:
        log_both(recorder, range(4))
    shutil.move(folder / "record.zarr" / lost, folder / "away")
    with pytest.raises(RunError, match=rf"{lost} is lost; put it back from a copy, or record into another folder"):
        Recorder(folder)
    assert Run(folder).status == "complete"
    shutil.move(folder / "away", folder / "record.zarr" / lost)
    with Recorder(folder) as recorder:
        log_both(recorder, range(4, 6))
    verify(folder / "record.zarr")
    assert Run(folder).record().loss.values[0].tolist() == list(range(6))


def test_chunks_that_no_member_was_logged_in_are_not_lost(folder, monkeypatch):
    monkeypatch.setattr("nucleate.record.series._MOST_ROWS", 2)
    for member, steps in ((0, range(7)), (1, (0, 6))):
        with pytest.raises(KeyboardInterrupt), Recorder(folder, 2, flush_seconds=0.0) as recorder:  # noqa: PT012
            for step in steps:
                recorder.log(step, member=member, loss=float(step))
            raise KeyboardInterrupt
    with Recorder(folder):
        pass
    verify(folder / "record.zarr")
    assert np.isfinite(Run(folder).record().loss.values).sum(1).tolist() == [6, 1]


def test_where_members_ended_counts_with_what_was_logged(folder, monkeypatch):
    """The writer stops before each of its changes of the disk in turn; the last row is one that diverged."""
    from nucleate.record import disk

    replacing, left, counted = os.replace, [10**9], set()

    def replace(source, target):
        left[0] -= 1
        if left[0] < 0:
            raise BrokenPipeError
        replacing(source, target)

    monkeypatch.setattr(disk.os, "replace", replace)
    recorder = Recorder(folder, 2)
    log_both(recorder, range(3))
    recorder.flush()
    recorder.log(3, loss=[1.0, np.nan], embedding=np.zeros((2, 4, 3)))
    for allowed in range(40):
        left[0] = allowed
        try:
            recorder.flush()
        except BrokenPipeError:
            left[0] = 10**9
            shutil.copytree(folder, folder.with_name(f"killed-{allowed}"))
        else:
            break
    left[0] = 10**9
    recorder.close()
    for killed in folder.parent.glob("killed-*"):
        record = Run(killed).record().load()
        last = int(record.step[-1])
        counted.add(last)
        Recorder(killed)._release()
        for seen in (record, xr.open_zarr(killed / "record.zarr").load()):
            assert seen.last_step.values.tolist() == [last, last]
            assert (seen.outcome.values == Outcome.DIVERGED).tolist() == [False, last == 3]
    assert counted == {2, 3}


# --- half -------------------------------------------------------------------------------------------------------------


def interrupted(folder, *calls, before=0, flush_seconds=20.0) -> Recorder:
    """A loop that is interrupted after `calls` of `log`, when it has logged some whole steps."""
    with pytest.raises(KeyboardInterrupt), Recorder(folder, 2, flush_seconds=flush_seconds) as recorder:  # noqa: PT012
        log_both(recorder, range(before))
        for step, values in calls:
            recorder.log(step, **values)
        raise KeyboardInterrupt
    return recorder


@pytest.mark.parametrize("flush_seconds", [0.0, 20.0])
@pytest.mark.parametrize("before", [0, 1, 4])
def test_a_step_that_was_interrupted_is_logged_again(folder, before, flush_seconds):
    half = {"loss": [np.nan, 1.0]}
    recorder = interrupted(folder, (before, half), before=before, flush_seconds=flush_seconds)
    assert (Run(folder).status, recorder.last_step) == ("interrupted", before - 1)
    assert xr.open_zarr(folder / "record.zarr").load().sizes.get("step", 0) == before
    with Recorder(folder) as recorder:
        log_both(recorder, range(recorder.last_step + 1, 6))
    record = Run(folder).record().load()
    assert record.loss.dims[1] == record.embedding.dims[1] == "step"
    assert record.loss.values[0].tolist() == record.embedding.values[1, :, 0, 0].tolist() == list(range(6))
    assert record.outcome.values.tolist() == [Outcome.OK] * 2
    verify(folder / "record.zarr")


def test_members_in_turn_are_interrupted_between(folder):
    one = {"loss": 1.0, "embedding": np.ones((4, 3))}
    interrupted(folder, (3, {"member": 0, **one}), before=3)
    with Recorder(folder) as recorder:
        assert recorder.last_steps.tolist() == [2, 2]


def test_a_call_that_is_interrupted_between_two_variables_leaves_neither(folder, monkeypatch):
    from nucleate.record.logbook import Logbook

    put = Logbook.put

    def put_loss(self, name, array, members, step):
        if step == 3 and name == "embedding":
            raise KeyboardInterrupt
        put(self, name, array, members, step)

    monkeypatch.setattr(Logbook, "put", put_loss)
    interrupted(folder, (3, {"loss": [1.0, 2.0], "embedding": np.ones((2, 4, 3))}), before=3)
    assert Run(folder).record().step.values.tolist() == [0, 1, 2]


def test_a_whole_step_is_kept_whatever_comes_after(folder):
    recorder = interrupted(folder, (4, {"loss": [1.0, 2.0], "embedding": np.ones((2, 4, 3))}), before=4)
    assert recorder.last_step == 4


# --- never closed -----------------------------------------------------------------------------------------------------

LOOP = """
import sys
from nucleate.record import Recorder
recorder = Recorder(sys.argv[1], 2)
for step in range(4):
    recorder.log(step, loss=[1.0, 2.0], angle=[0.5, 0.5])
    if step % 2:
        recorder.log(step, count=[1, 2])
"""


def test_a_recorder_that_nothing_refers_to_any_more_is_written(folder):
    log_both(Recorder(folder, 2), range(4))
    gc.collect()
    assert Run(folder).status == "interrupted"
    assert Run(folder).record().step.values.tolist() == [0, 1, 2, 3]
    with Recorder(folder) as recorder:
        log_both(recorder, [4])


def test_a_recorder_that_was_not_closed_when_python_exits_is_written(folder):
    done = subprocess.run([sys.executable, "-c", LOOP, folder], capture_output=True, text=True, check=True)
    assert not done.stderr
    record = Run(folder).record().load()
    assert record.step.values.tolist() == [0, 1, 2, 3]
    assert record.step_count.values.tolist() == [1, 3]


def test_a_forked_process_leaves_the_recorder_to_the_one_that_made_it(folder, monkeypatch):
    recorder = Recorder(folder, 2)
    log_both(recorder, range(2))
    with monkeypatch.context() as forked:  # not by `os.fork`, which JAX warns of
        forked.setattr(os, "getpid", lambda: -1)
        recorder._unless_closed()
    assert Run(folder).status == "running"
    assert Run(folder).is_held()
    recorder.close()
    assert Run(folder).status == "complete"
