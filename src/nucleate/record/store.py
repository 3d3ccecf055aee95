"""The Zarr side of a record: made once, filled region by region, opened by anyone."""

import json
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
import zarr
from zarr.codecs import Crc32cCodec, ZstdCodec

from nucleate.record.schema import SCHEMA_VERSION, RunError, Variable

# zstd for size, crc32c so that a flipped bit is an error and never a number.
_COMPRESSORS = (ZstdCodec(level=1), Crc32cCodec())


def create_store(path: Path, frame: xr.Dataset, variables: Iterable[Variable]) -> None:
    """Lay out an empty record: `frame` holds coordinates, small variables and attrs; `variables` will be streamed.

    Every chunk of a streamed variable is a file of its own, written whole, so two writers of different regions never
    meet. No chunk is ever left out because it is all zeros, so in a complete record a missing file is a lost one.
    """
    frame = frame.assign_attrs(schema_version=SCHEMA_VERSION)
    encoding = {name: {"compressors": _COMPRESSORS} for name in frame.variables}
    frame.to_zarr(path, mode="w-", zarr_format=3, consolidated=False, encoding=encoding, write_empty_chunks=True)
    group = zarr.open_group(path, mode="r+")
    for variable in variables:
        group.create_array(
            variable.name,
            shape=variable.shape,
            dtype=variable.dtype,
            chunks=variable.chunks,
            dimension_names=variable.dims,
            fill_value=variable.fill,
            attributes=variable.attrs,
            compressors=_COMPRESSORS,
            config={"write_empty_chunks": True},
        )
    with warnings.catch_warnings():
        # Consolidated, a plain `xarray.open_zarr` is quick and silent. Not in the Zarr 3 specification yet, hence the
        # warning; a reader that does not know it passes over it.
        warnings.simplefilter("ignore")
        zarr.consolidate_metadata(path)


class Store:
    """A record open for writing.

    `write` places a block of rows; the caller keeps regions aligned with chunks (see `Variable.chunks`).
    """

    def __init__(self, path: Path):
        self._group = zarr.open_group(path, mode="r+")
        self._arrays: dict[str, zarr.Array] = {}

    def write(self, name: str, region: tuple[slice, ...], values: np.ndarray) -> None:
        """Write `values` to the leading `region` of a variable; trailing dimensions smaller than the store's are
        left at the fill value."""
        if name not in self._arrays:
            # Opened from the group each time, Zarr would read the metadata file again.
            self._arrays[name] = self._group[name].with_config({"write_empty_chunks": True})  # type: ignore
        array = self._arrays[name]
        inner = tuple(slice(0, size) for size in values.shape[len(region) :])
        if any(size < full for size, full in zip(values.shape[len(region) :], array.shape[len(region) :], strict=True)):
            whole = np.full(values.shape[: len(region)] + array.shape[len(region) :], array.fill_value, array.dtype)
            whole[(..., *inner)] = values
            values = whole
        array[region] = values


def open_record(path: Path | str, *, complete: bool = True) -> xr.Dataset:
    """Open a record lazily, exactly as `xarray.open_zarr` would, after checking that it is whole.

    `complete=False` skips the search for missing chunks, for a run that is still being written.
    """
    path = Path(path)
    if not (path / "zarr.json").exists():
        raise RunError(f"{path} is not a record: it has no zarr.json.")
    try:
        dataset = xr.open_zarr(path, consolidated=False, chunks=None)
    except Exception as error:
        raise RunError(f"{path} cannot be opened: {_first_line(error)}") from error
    version = dataset.attrs.get("schema_version")
    if version != SCHEMA_VERSION:
        raise RunError(
            f"{path} has schema version {version}; this nucleate reads version {SCHEMA_VERSION}. "
            "Train the run again, or install the nucleate that wrote it (see its run.json)."
        )
    if complete:
        _refuse_missing_chunks(path)
    return dataset


def verify(path: Path) -> None:
    """Read every chunk of a record once; a damaged or missing one raises `RunError` with its name."""
    load(open_record(path), path)


def load(record: xr.Dataset, path: Path) -> xr.Dataset:
    """Read all of a record into memory, turning a decoder's traceback into one line that names record and variable."""
    for name, variable in record.variables.items():
        try:
            variable.load()
        except Exception as error:
            raise RunError(f"{path}: variable '{name}' has a corrupt chunk ({_first_line(error)}).") from error
    return record


def _refuse_missing_chunks(path: Path) -> None:
    group = zarr.open_group(path, mode="r")
    for name, array in group.arrays():
        missing = array.nchunks - array.nchunks_initialized
        if missing:
            raise RunError(
                f"{path}: variable '{name}' misses {missing} of {array.nchunks} chunks. "
                "Resume the run if it is unfinished; otherwise train it again."
            )


def as_attr(value: Any) -> str:
    """A nested config as a JSON string, so that the record can also be saved as netCDF."""
    return json.dumps(value, sort_keys=True, default=str)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
