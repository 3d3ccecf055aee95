import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
import xarray as xr

from nucleate.record import RunError, Store, Variable, as_attr, create_store, load, open_record, verify

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
    assert record.attrs == {"steps": 7, "schema_version": 1}


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


def test_what_is_no_record_is_refused(tmp_path):
    with pytest.raises(RunError, match=r"nowhere is not a record: it has no zarr\.json\."):
        open_record(tmp_path / "nowhere")


def test_damaged_metadata_is_named(run):
    (run.record_path / "loss/zarr.json").write_text("{")
    with pytest.raises(RunError, match=r"record\.zarr cannot be opened: ") as caught:
        run.record()
    assert "\n" not in str(caught.value)


def test_another_schema_version_is_refused(run):
    metadata = run.record_path / "zarr.json"
    content = json.loads(metadata.read_text())
    content["attributes"]["schema_version"] = 0
    metadata.write_text(json.dumps(content))
    with pytest.raises(RunError, match=r"record\.zarr has schema version 0; this nucleate reads version 1\. Train"):
        run.record()


# A streamed chunk, a streamed scalar, an all-zero coordinate, a dimension and a fixed variable.
CHUNKS = ["loss/c/1/0", "outcome/c/0", "eta/c/0", "member/c/0", "in_train/c/0/0"]


@pytest.mark.parametrize("chunk", CHUNKS)
def test_a_missing_chunk_is_named(run, chunk):
    (run.record_path / chunk).unlink()
    name = chunk.split("/")[0]
    with pytest.raises(RunError, match=rf"record\.zarr: variable '{name}' misses 1 of \d chunks\. Resume"):
        run.record()


def test_a_missing_variable_of_an_unfinished_run_is_no_error(run):
    run.update(status="running")
    shutil.rmtree(run.record_path / "loss/c")
    assert np.isnan(run.record().loss).all()


@pytest.mark.parametrize("chunk", CHUNKS)
@pytest.mark.parametrize("damage", ["flipped", "truncated", "empty"])
def test_verify_finds_a_corrupt_chunk(run, chunk, damage):
    file = run.record_path / chunk
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0x10
    file.write_bytes({"flipped": content, "truncated": content[:-3], "empty": b""}[damage])
    # Dimensions are read on opening, all else on demand; either way one line names the record.
    with pytest.raises(
        RunError, match=r"record\.zarr(: variable '.*' has a corrupt chunk| cannot be opened)"
    ) as caught:
        verify(run.record_path)
    assert "\n" not in str(caught.value)
    assert chunk.split("/")[0] in str(caught.value) or chunk.startswith("member")


def test_any_flipped_bit_of_a_chunk_is_found(run):
    file = run.record_path / "loss/c/0/0"
    content = file.read_bytes()
    for position in range(len(content)):
        flipped = bytearray(content)
        flipped[position] ^= 1 << position % 8
        file.write_bytes(flipped)
        with pytest.raises(RunError, match="'loss' has a corrupt chunk"):
            verify(run.record_path)


def test_a_whole_record_passes(run):
    verify(run.record_path)
    record = load(run.record(), run.record_path)
    assert all(variable._in_memory for variable in record.variables.values())


def test_a_config_is_kept_as_sorted_json():
    assert (
        as_attr({"b": (1, 2), "a": None, "where": object}) == '{"a": null, "b": [1, 2], "where": "<class \'object\'>"}'
    )


def test_a_record_can_be_saved_as_netcdf(run, loss, tmp_path):
    run.record().to_netcdf(tmp_path / "record.nc", engine="scipy")
    assert np.array_equal(xr.load_dataset(tmp_path / "record.nc", engine="scipy").loss, loss)
