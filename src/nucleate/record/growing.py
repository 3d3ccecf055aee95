"""The Zarr side of a record that grows: arrays without an end, of which a reader sees what was committed.

The record's zarr.json repeats the metadata of all arrays. It is replaced, atomically, when everything that it speaks of
is on the disk; so whoever opens the record by it, as `xarray.open_zarr` does, sees all of a commit or nothing. Where
members ended is there, too: the arrays `outcome` and `last_step` repeat it a moment later.
"""

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from shutil import rmtree
from typing import Any

import google_crc32c
import numpy as np
import zarr
from numcodecs.zstd import Zstd
from zarr.core.buffer import default_buffer_prototype
from zarr.storage import MemoryStore

from nucleate.record.descriptions import description
from nucleate.record.disk import sync, write_atomically
from nucleate.record.document import read_tree
from nucleate.record.schema import RunError, Variable, fill_value
from nucleate.record.store import CHECKSUM, COMPRESSORS, checksum, chunk_file

_CONTENTS = "consolidated_metadata"
_CODECS = ["bytes", "zstd", "crc32c"]  # of every array that `create_store` and this module make
_ZSTD = Zstd(level=1)


class GrowingArray:
    """An array of a record, which is read and written chunk by chunk, also where no row was committed yet.

    Chunks are encoded here, not by Zarr: a chunk must be on the disk before it takes the place of the one before.
    """

    def __init__(self, record: Path, name: str, tree: Mapping[str, Any]):
        self.name, self._folder, self.tree = name, record / name, json.loads(json.dumps(tree))
        self.chunks: tuple[int, ...] = tuple(tree["chunk_grid"]["configuration"]["chunk_shape"])
        self.dtype = np.dtype(tree["data_type"])
        if [codec["name"] for codec in tree["codecs"]] != _CODECS:
            raise RunError(f"{self._folder} was not written by nucleate, which cannot continue it.")

    @classmethod
    def new(cls, record: Path, variable: Variable) -> "GrowingArray":
        """An array that is not there yet."""
        made = zarr.create_array(
            MemoryStore(),
            shape=variable.shape,
            dtype=variable.dtype,
            chunks=variable.chunks,
            dimension_names=variable.dims,
            fill_value=variable.fill,
            attributes=description(variable.name, variable.attrs),
            compressors=COMPRESSORS,
        )
        content = made.metadata.to_buffer_dict(default_buffer_prototype())["zarr.json"]
        return cls(record, variable.name, json.loads(content.to_bytes()))

    @property
    def dims(self) -> tuple[str, ...]:
        return tuple(self.tree["dimension_names"])

    @property
    def shape(self) -> tuple[int, ...]:
        """As it was committed last."""
        return tuple(self.tree["shape"])

    def empty(self) -> np.ndarray:
        """A chunk in which nothing is noted."""
        return np.full(self.chunks, fill_value(self.dtype), self.dtype)

    def read(self, place: tuple[int, ...]) -> np.ndarray:
        """The chunk at a place along the leading dimensions."""
        self.refuse_lost([place])
        file = self._file(place)
        content = file.read_bytes()
        if google_crc32c.value(content[:-4]) != int.from_bytes(content[-4:], "little"):
            raise RunError(f"{file} is corrupt; put it back from a copy, or record into another folder.")
        values = np.frombuffer(_ZSTD.decode(content[:-4]), self.dtype.newbyteorder("<"))
        return values.astype(self.dtype).reshape(self.chunks)

    def write(self, place: tuple[int, ...], chunk: np.ndarray) -> None:
        """Replace a chunk. When this returns it is on the disk."""
        content = bytes(_ZSTD.encode(np.ascontiguousarray(chunk, self.dtype.newbyteorder("<")).tobytes()))
        file = self._file(place)
        made = [folder for folder in file.parents if not folder.exists()]
        write_atomically(file, content + google_crc32c.value(content).to_bytes(4, "little"))
        sync(folder.parent for folder in made)

    def remove(self, place: tuple[int, ...]) -> None:
        self._file(place).unlink(missing_ok=True)

    def refuse_lost(self, places: Iterable[tuple[int, ...]]) -> None:
        """Refuse a record that has lost one of the chunks at these places along the leading dimensions."""
        for file in map(self._file, places):
            if not file.is_file():
                raise RunError(f"{file} is lost; put it back from a copy, or record into another folder.")

    def whole(self) -> Iterator[tuple[int, ...]]:
        """The places of all chunks of an array that does not grow."""
        sizes = zip(self.shape, self.chunks, strict=True)
        return itertools.product(*(range(-(-size // max(chunk, 1))) for size, chunk in sizes))

    def places(self) -> Iterator[tuple[int, ...]]:
        """Of the chunks that are there, along all dimensions."""
        for file in (self._folder / "c").rglob("*"):
            parts = file.relative_to(self._folder / "c").parts
            if len(parts) == len(self.chunks) and all(part.isdigit() for part in parts):
                yield tuple(map(int, parts))

    def grow(self, rows: int, axis: str) -> dict[str, Any]:
        """Write what the array is with `rows` rows, along an axis of that name; and return it."""
        grows = next(i for i, dim in enumerate(self.dims) if dim.startswith("step"))
        self.tree["shape"][grows], self.tree["dimension_names"][grows] = rows, axis
        content = json.dumps(self.tree, indent=2).encode()
        file = self._folder / "zarr.json"
        if not file.is_file() or file.read_bytes() != content:
            write_atomically(file, content)
        return json.loads(content)

    def _file(self, place: tuple[int, ...]) -> Path:
        return chunk_file(self._folder, place + (0,) * (len(self.chunks) - len(place)))


class GrowingRecord:
    """A record that was laid out (see `create_store`), to which arrays and rows are added."""

    def __init__(self, path: Path):
        self.path = path
        tree = read_tree(path / "zarr.json")
        self.attrs: dict[str, Any] = {key: value for key, value in tree["attributes"].items() if key != CHECKSUM}
        self.contents: dict[str, Any] = tree[_CONTENTS]["metadata"]

    def array(self, name: str) -> GrowingArray:
        """One that was committed before."""
        return GrowingArray(self.path, name, self.contents[name])

    def write_small(self, name: str, values: np.ndarray) -> None:
        """Replace all of an array over members, which does not grow."""
        array = self.array(name)
        size = array.chunks[0]
        for number, start in enumerate(range(0, len(values), size)):
            chunk = array.empty()
            chunk[: len(values) - start] = values[start : start + size]
            array.write((number,), chunk)

    def sweep(self) -> None:
        """Remove arrays that were begun and never committed."""
        for folder in self.path.iterdir():
            if folder.is_dir() and folder.name not in self.contents:
                rmtree(folder)

    def commit(self, grown: Iterable[tuple[GrowingArray, int, str]]) -> None:
        """Make everything count that was written: of each array its rows, along the axis of that name."""
        for array, rows, axis in grown:
            self.contents[array.name] = array.grow(rows, axis)
        sync([self.path])
        tree = read_tree(self.path / "zarr.json")
        tree["attributes"] = self.attrs | {CHECKSUM: checksum(self.attrs)}
        tree[_CONTENTS]["metadata"] = self.contents
        write_atomically(self.path / "zarr.json", json.dumps(tree, indent=2).encode())
