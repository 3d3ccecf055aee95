"""The Zarr side of a record: made once, filled chunk by chunk, opened by anyone (see `opening`)."""

import hashlib
import itertools
import json
import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
import zarr
from zarr.codecs import Crc32cCodec, ZstdCodec

from nucleate.record import disk
from nucleate.record.columns import told_apart
from nucleate.record.descriptions import described, description
from nucleate.record.schema import SCHEMA_VERSION, Variable

# zstd for size, crc32c so that a flipped bit is an error and never a number.
COMPRESSORS = (ZstdCodec(level=1), Crc32cCodec())
CHECKSUM = "sha256"
"""The attribute of a record that is a checksum of all others."""
LOGGED = "logged"
"""The attribute of a record that grows, in JSON: `outcome` of each member; and of each of the `variables` its name, the
step at which each member was logged last, and the chunks that are not there since no member was logged in them."""
NOTHING = '{"outcome": 0, "variables": []}'
"""What it says at first."""


def create_store(path: Path, frame: xr.Dataset, variables: Iterable[Variable]) -> None:
    """Lay out an empty record: `frame` holds coordinates, small variables and attrs; `variables` will be streamed.

    Every chunk of a streamed variable is a file of its own, written whole, so two writers of different regions never
    meet. No chunk is ever left out because it is all zeros, so in a complete record a missing file is a lost one. The
    record is made beside `path`, and renamed when it is whole and on the disk.
    """
    if path.exists():
        raise FileExistsError(f"{path} is there already.")
    making = disk.temporary_name(path)
    variables = list(variables)
    frame = described(told_apart(frame, variables).assign_attrs(schema_version=SCHEMA_VERSION))
    encoding = {name: {"compressors": COMPRESSORS} for name in frame.variables}
    frame.to_zarr(making, mode="w-", zarr_format=3, consolidated=False, encoding=encoding, write_empty_chunks=True)
    group = zarr.open_group(making, mode="r+")
    group.update_attributes({CHECKSUM: checksum(dict(group.attrs))})
    for variable in variables:
        group.create_array(
            variable.name,
            shape=variable.shape,
            dtype=variable.dtype,
            chunks=variable.chunks,
            dimension_names=variable.dims,
            fill_value=variable.fill,
            attributes=description(variable.name, variable.attrs),
            compressors=COMPRESSORS,
            config={"write_empty_chunks": True},
        )
    with warnings.catch_warnings():
        # Consolidated, a plain `xarray.open_zarr` is quick and silent. Not in the Zarr 3 specification yet, hence the
        # warning; a reader that does not know it passes over it.
        warnings.simplefilter("ignore")
        zarr.consolidate_metadata(making)
    disk.sync([making, *making.rglob("*")])
    os.rename(making, path)
    disk.sync([path.parent])


class Store:
    """A record open for writing."""

    def __init__(self, path: Path):
        self._path = path
        self._group = zarr.open_group(path, mode="r+")
        self._arrays: dict[str, zarr.Array] = {}

    def write(self, name: str, region: tuple[slice, ...], values: np.ndarray) -> None:
        """Write `values` to the leading `region` of a variable; trailing dimensions smaller than the store's are left
        at the fill value. The caller keeps regions aligned with chunks (see `Variable.chunks`)."""
        array = self._array(name)
        inner = tuple(slice(0, size) for size in values.shape[len(region) :])
        if any(size < full for size, full in zip(values.shape[len(region) :], array.shape[len(region) :], strict=True)):
            whole = np.full(values.shape[: len(region)] + array.shape[len(region) :], array.fill_value, array.dtype)
            whole[(..., *inner)] = values
            values = whole
        array[region] = values

    def holds(self, name: str, region: tuple[slice, ...]) -> bool:
        """Whether every chunk of a region has been written."""
        return all(file.is_file() for file in self._files(name, region))

    def sync(self, regions: Iterable[tuple[str, tuple[slice, ...]]]) -> None:
        """Return when regions that were written, each with the name of its variable, are on the disk."""
        files = {file for name, region in regions for file in self._files(name, region)}
        folders = {folder for file in files for folder in file.parents if folder.is_relative_to(self._path)}
        disk.sync(files | folders)

    def _array(self, name: str) -> zarr.Array:
        if name not in self._arrays:
            # Opened from the group each time, Zarr would read the metadata file again.
            self._arrays[name] = self._group[name].with_config({"write_empty_chunks": True})  # type: ignore
        return self._arrays[name]

    def _files(self, name: str, region: tuple[slice, ...]) -> list[Path]:
        array = self._array(name)
        region = (*region, *(slice(0, size) for size in array.shape[len(region) :]))
        places = [
            range(part.start // size, -(-part.stop // size)) for part, size in zip(region, array.chunks, strict=True)
        ]
        return [chunk_file(self._path / name, place) for place in itertools.product(*places)]


def chunk_file(variable: Path, place: tuple[int, ...]) -> Path:
    """The file of a chunk of the variable that is in a folder."""
    return variable.joinpath("c", *map(str, place))


def checksum(attrs: dict[str, Any]) -> str:
    """A digest of a record's attributes."""
    return hashlib.sha256(as_attr(attrs).encode()).hexdigest()


def as_attr(value: Any) -> str:
    """A nested config as a JSON string, so that the record can also be saved as netCDF."""
    return json.dumps(value, sort_keys=True, default=str)
