"""Whenever a recorder's process is killed: what was flushed is readable, and the loop continues where it was."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from log_until_killed import LAST, MEMBERS, values

from nucleate.record import Run, open_record, verify

PROCESS = Path(__file__).with_name("log_until_killed.py")


@pytest.fixture
def killed(tmp_path):
    """`killed(changes)`: log on, until so many files have been put in place; whether that was before the end."""
    with subprocess.Popen(
        [sys.executable, PROCESS, tmp_path / "run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as maker:

        def log(changes: int) -> bool:
            maker.stdin.write(f"{changes}\n")
            maker.stdin.flush()
            return int(maker.stdout.readline()) != 0

        yield log
        maker.communicate()


def assert_holds_what_was_logged(record: xr.Dataset) -> None:
    for name, axis in (("loss", "step_loss"), ("embedding", "step")):
        if name in record:
            axis = record[name].dims[1]
            expected = [values(int(step))[name] for step in record[axis].values]
            assert np.array_equal(record[name].values, np.stack(expected, axis=1))


def test_killed_at_random_changes_of_the_disk(tmp_path, killed):
    """First while the run is begun, then again and again, soon after it was continued; it never falls back."""
    folder, rng, seen = tmp_path / "run", np.random.default_rng(5), -1
    for changes in [1, 3, 5, 8, *rng.integers(3, 90, 8)]:
        assert killed(changes)
        if not (folder / "record.zarr").exists():
            continue
        for record in (
            xr.open_zarr(folder / "record.zarr").load(),
            open_record(folder / "record.zarr", complete=False).load(),
        ):
            assert_holds_what_was_logged(record)
            last = (
                int(record.step_loss[-1]) if "step_loss" in record else int(record.step[-1]) if "step" in record else -1
            )
            assert last >= seen
        seen = last
    assert seen > 10
    assert not killed(10**6)
    run = Run.open(folder)
    assert run.status == "complete"
    verify(run.record_path)
    record = run.record().load()
    assert_holds_what_was_logged(record)
    assert record.step_loss.values.tolist() == list(range(LAST + 1))
    assert record.step.values.tolist() == list(range(0, LAST + 1, 3))
    assert record.last_step.values.tolist() == [LAST] * MEMBERS
    assert not list(folder.rglob(".*"))
