import os
import subprocess
import sys

import numpy as np
import pytest
import xarray as xr
from zarr.storage import MemoryStore

from nucleate.record import Store, Variable, as_attr, create_store, disk, open_record

WITHOUT_NUCLEATE = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "nucleate":
            raise ImportError("nucleate is not installed")
sys.meta_path.insert(0, Absent())
try:
    import nucleate
except ImportError:
    pass
else:
    raise SystemExit("nucleate could be imported")
import xarray
record = xarray.open_zarr(sys.argv[1])
print(record.load().to_dict())
assert not any(name.split(".")[0] in ("nucleate", "jax") for name in sys.modules)
"""


def test_a_record_opens_where_nucleate_is_not_installed(run, loss):
    result = subprocess.run(
        [sys.executable, "-I", "-W", "error", "-c", WITHOUT_NUCLEATE, run.record_path], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    seen = xr.Dataset.from_dict(eval(result.stdout, {"nan": np.nan}))
    assert np.array_equal(seen.loss, loss)
    assert set(seen.coords) == {"member", "step", "seed", "eta"}
    assert seen.loss.attrs["long_name"] == "training loss"
    assert seen.attrs["schema_version"] == 1


def test_rows_are_read_back_with_their_coordinates_and_attributes(run, loss):
    record = run.record().load()
    assert np.array_equal(record.loss, loss)
    assert record.loss.dtype == np.float32
    assert record.loss.dims == ("member", "step")
    assert record.in_train.dtype == bool
    assert record.eta.values.tolist() == [0, 0, 0]
    assert record.outcome.values.tolist() == [1, 1, 1]
    assert (record.attrs["steps"], record.attrs["schema_version"]) == (7, 1)


def test_what_was_not_written_reads_as_nothing(tmp_path):
    variables = [
        Variable("loss", ("member", "step"), (2, 3), np.dtype("float32"), (1, 3)),
        Variable("count", ("member",), (2,), np.dtype("int32"), (1,)),
    ]
    create_store(tmp_path / "record.zarr", xr.Dataset(coords={"member": [0, 1]}), variables)
    Store(tmp_path / "record.zarr").write("loss", (slice(0, 1), slice(0, 3)), np.ones((1, 3), np.float32))
    record = open_record(tmp_path / "record.zarr", complete=False).load()
    assert record.loss[0].values.tolist() == [1, 1, 1]
    assert np.isnan(record.loss[1]).all()
    assert record["count"].values.tolist() == [-1, -1]


def test_values_smaller_than_the_variable_are_padded_with_nothing(tmp_path):
    variable = Variable("weight", ("member", "unit", "input"), (2, 4, 3), np.dtype("float32"), (1, 4, 3))
    create_store(tmp_path / "record.zarr", xr.Dataset(coords={"member": [0, 1]}), [variable])
    store = Store(tmp_path / "record.zarr")
    small, full = np.ones((1, 2, 3), np.float32), np.full((1, 4, 3), 2, np.float32)
    store.write("weight", (slice(0, 1),), small)
    store.write("weight", (slice(1, 2),), full)
    weight = open_record(tmp_path / "record.zarr").weight.values
    assert np.array_equal(weight[0, :2], small[0])
    assert np.isnan(weight[0, 2:]).all()
    assert np.array_equal(weight[1], full[0])


def test_a_record_is_never_laid_out_over_another(run):
    with pytest.raises(FileExistsError):
        create_store(run.record_path, xr.Dataset(), [])


def test_a_config_is_kept_as_sorted_json():
    assert (
        as_attr({"b": (1, 2), "a": None, "where": object}) == '{"a": null, "b": [1, 2], "where": "<class \'object\'>"}'
    )


def test_a_record_can_be_saved_as_netcdf(run, loss, tmp_path):
    run.record().to_netcdf(tmp_path / "record.nc", engine="scipy")
    assert np.array_equal(xr.load_dataset(tmp_path / "record.nc", engine="scipy").loss, loss)


def test_a_record_goes_into_any_store_of_zarr(run):
    """An object store, such as S3's, is one (docs/clusters.md)."""
    record, there = xr.open_zarr(run.record_path), MemoryStore()
    record.to_zarr(there, consolidated=False)
    xr.testing.assert_identical(xr.open_zarr(there, consolidated=False).load(), record.load())


def test_a_record_that_could_not_be_finished_is_not_there(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", full)
    with pytest.raises(OSError, match="No space left"):
        create_store(tmp_path / "record.zarr", xr.Dataset(coords={"member": [0, 1]}), [])
    assert not (tmp_path / "record.zarr").exists()


def test_a_record_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    seen, sync = [], disk.sync

    def note(paths):
        paths = list(paths)
        seen.append(((tmp_path / "record.zarr").exists(), {path.name for path in paths}))
        sync(paths)

    monkeypatch.setattr(disk, "sync", note)
    create_store(tmp_path / "record.zarr", xr.Dataset(coords={"member": [0, 1]}), [])
    (before, content), (after, folder) = seen
    assert (before, after) == (False, True)
    assert content >= {"zarr.json", "member", "c", "0"}
    assert folder == {tmp_path.name}


def test_written_chunks_are_synced_with_their_folders(run, monkeypatch):
    seen = []
    monkeypatch.setattr(disk, "sync", lambda paths: seen.extend(paths))
    store = Store(run.record_path)
    region = (slice(2, 3), slice(5, 8))
    store.sync([("loss", region), ("outcome", region[:1])])
    names = {path.relative_to(run.record_path).as_posix() for path in seen}
    assert names == {"loss/c/1/1", "loss/c/1", "loss/c", "loss", "outcome/c/1", "outcome/c", "outcome", "."}


def test_a_store_knows_which_chunks_it_holds(run):
    store = Store(run.record_path)
    assert store.holds("loss", (slice(0, 2), slice(0, 8)))
    assert store.holds("loss", (slice(0, 2), slice(0, 0)))
    (run.record_path / "loss/c/0/1").unlink()
    assert not store.holds("loss", (slice(0, 2), slice(0, 8)))
    assert store.holds("loss", (slice(0, 2), slice(0, 5)))
