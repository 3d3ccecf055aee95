"""What is wrong with a record is an error that names it, never a number."""

import contextlib
import json
import shutil
import warnings

import numpy as np
import pytest
import xarray as xr

from nucleate.record import RunError, missing_chunks, open_record, verify


def test_what_is_no_record_is_refused(tmp_path):
    with pytest.raises(RunError, match=r"nowhere is not a record: it has no zarr\.json\."):
        open_record(tmp_path / "nowhere")


def test_damaged_metadata_is_named(run):
    (run.record_path / "loss/zarr.json").write_text("{")
    with pytest.raises(RunError, match=r"record\.zarr/loss/zarr\.json cannot be read: ") as caught:
        run.record()
    assert "\n" not in str(caught.value)


def test_another_schema_version_is_refused(run):
    metadata = run.record_path / "zarr.json"
    content = json.loads(metadata.read_text())
    content["attributes"]["schema_version"] = 0
    metadata.write_text(json.dumps(content))
    with pytest.raises(RunError, match=r"record\.zarr has schema version 0; this nucleate reads version 1\. Make"):
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
    name, _, place = chunk.partition("/")
    # Dimensions are read on opening, all else on demand.
    for read in (lambda: verify(run.record_path), lambda: run.record().load()):
        with pytest.raises(RunError) as caught:
            read()
        expected = f"{run.record_path}: variable '{name}' has a corrupt chunk, {place}; make the run again."
        assert str(caught.value) == expected


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
    assert missing_chunks(run.record_path) == {}


def test_any_damaged_byte_of_metadata_is_found(run):
    """In whichever of the two places, unless it changes nothing that is read: a space, or the name of the checksum."""
    before = run.record().load()
    del before.attrs["sha256"]
    for file in (run.record_path / "zarr.json", run.record_path / "loss/zarr.json"):
        content = file.read_bytes()
        for position in range(0, len(content), 7):
            damaged = bytearray(content)
            damaged[position] ^= 1 << position % 7
            file.write_bytes(damaged)
            with contextlib.suppress(RunError):
                record = run.record().load()
                assert before.attrs.items() <= record.attrs.items()
                assert record.drop_attrs(deep=False).identical(before.drop_attrs(deep=False))
        file.write_bytes(content)


@pytest.mark.parametrize("name", ["loss", "outcome", "eta", "member", "in_train"])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("complete", [False, True])
def test_a_lost_variable_is_named(run, name, whole, complete):
    if whole:
        shutil.rmtree(run.record_path / name)
    else:
        (run.record_path / name / "zarr.json").unlink()
    with pytest.raises(RunError, match=rf"record\.zarr: variable '{name}' has lost its zarr\.json; make"):
        open_record(run.record_path, complete=complete)


def test_a_record_that_was_never_laid_out_to_its_end_is_named(run):
    metadata = json.loads((run.record_path / "zarr.json").read_text())
    del metadata["consolidated_metadata"]
    (run.record_path / "zarr.json").write_text(json.dumps(metadata))
    with pytest.raises(RunError, match=r"record\.zarr was never finished being laid out; resume its run"):
        open_record(run.record_path, complete=False)


def test_missing_chunks_are_told_by_their_place(run):
    for chunk in ("loss/c/1/0", "loss/c/0/1", "eta/c/0"):
        (run.record_path / chunk).unlink()
    assert missing_chunks(run.record_path) == {"eta": [(0,)], "loss": [(0, 1), (1, 0)]}


def test_a_variable_that_someone_added_is_read_like_any_other(run, loss):
    added = xr.Dataset({"norm": ("member", [1.0, 2.0, 3.0])}, attrs=run.record().attrs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Zarr, about consolidated metadata
        added.to_zarr(run.record_path, mode="a")
    verify(run.record_path)
    record = run.record()
    assert record.norm.values.tolist() == [1, 2, 3]
    assert np.array_equal(record.loss, loss)
