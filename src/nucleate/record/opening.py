"""A record opened for reading, and checked as it is read.

What a record must hold is said twice: in the zarr.json of each variable, and in that of the record, which repeats all
of them and is written last. Each chunk ends with its checksum. So a variable or a chunk that is lost, a bit that has
flipped and a record that was never finished are errors that name what is wrong, and never numbers.
"""

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import google_crc32c
import numpy as np
import xarray as xr
from zarr.abc.store import ByteRequest
from zarr.core.buffer import Buffer, BufferPrototype
from zarr.storage import LocalStore, WrapperStore

from nucleate.record.columns import told_apart
from nucleate.record.document import read, read_as, read_tree
from nucleate.record.schema import NEVER, SCHEMA_VERSION, RunError
from nucleate.record.store import CHECKSUM, LOGGED, as_attr, checksum, chunk_file

_CHUNK = re.compile(r"([^/]+)/c(/\d+)*")


@dataclass(frozen=True)
class _Chunks:
    chunk_shape: tuple[int, ...]


@dataclass(frozen=True)
class _Grid:
    configuration: _Chunks


@dataclass(frozen=True)
class _Codec:
    name: str


@dataclass(frozen=True)
class _Array:
    """What the zarr.json of a variable says of its chunks."""

    shape: tuple[int, ...]
    chunk_grid: _Grid
    codecs: tuple[_Codec, ...]
    dimension_names: tuple[str, ...] | None = None

    @property
    def has_checksums(self) -> bool:
        return any(codec.name == "crc32c" for codec in self.codecs[-1:])

    def places(self) -> Iterator[tuple[int, ...]]:
        """Of all its chunks, along each dimension."""
        sizes = zip(self.shape, self.chunk_grid.configuration.chunk_shape, strict=True)
        return itertools.product(*(range(0 if size == 0 else -(-size // chunk)) for size, chunk in sizes))


@dataclass(frozen=True)
class _Contents:
    metadata: Mapping[str, Any]


@dataclass(frozen=True)
class _Group:
    """What the zarr.json of a record says."""

    attributes: Mapping[str, Any]
    consolidated_metadata: _Contents | None = None


def open_record(path: Path | str, *, complete: bool = True) -> xr.Dataset:
    """Open a record lazily, as `xarray.open_zarr` would, but whatever is wrong with it is a `RunError`, and a column
    that an older record calls like an axis has the name that it has now (see `told_apart`).

    `complete=False` lets chunks be missing, for a run that is still being written; of a record that grows, it opens
    what was committed last.
    """
    path = Path(path)
    grows, arrays = _arrays(path, complete=complete)
    if not grows:
        # Those that number members and steps are written before anything is trained.
        needed = {name: each for name, each in arrays.items() if complete or each.dimension_names == (name,)}
        for name, missing in _missing(path, needed).items():
            raise RunError(
                f"{path}: variable '{name}' misses {len(missing)} of {len(list(arrays[name].places()))} chunks. "
                "Resume the run if it is unfinished; otherwise make it again."
            )
    try:
        store = _Checked(LocalStore(path, read_only=True), path, arrays)
        record = told_apart(xr.open_zarr(store, consolidated=grows, chunks=None))
        return _as_it_counts(record) if grows else record
    except RunError:
        raise
    except Exception as error:
        raise RunError(f"{path} cannot be opened: {_first_line(error)}") from error


def _as_it_counts(record: xr.Dataset) -> xr.Dataset:
    """With the ends of the members as they were committed: the arrays of them are replaced a little later."""
    counts, members = json.loads(record.attrs[LOGGED]), record.sizes["member"]
    outcome = np.broadcast_to(counts["outcome"], members)
    last = np.max([np.full(members, NEVER), *(np.broadcast_to(last, members) for _, last, _ in counts["variables"])], 0)
    ends = {"outcome": outcome, "last_step": last}
    return record.assign({name: record[name].copy(data=v.astype(record[name].dtype)) for name, v in ends.items()})


def verify(path: Path) -> None:
    """Read every chunk of a complete record once; a damaged or missing one raises `RunError` with its name."""
    open_record(path)
    for name, array in _arrays(path)[1].items():
        for place in array.places():
            file = chunk_file(path / name, place)
            _refuse_damage(path, file.relative_to(path).as_posix(), array, file.read_bytes())


def missing_chunks(path: Path) -> dict[str, list[tuple[int, ...]]]:
    """The places of chunks that are not there, by variable; of variables that have them all, nothing."""
    return _missing(path, _arrays(path)[1])


def _missing(path: Path, arrays: Mapping[str, _Array]) -> dict[str, list[tuple[int, ...]]]:
    missing = {
        name: [place for place in array.places() if not chunk_file(path / name, place).is_file()]
        for name, array in arrays.items()
    }
    return {name: places for name, places in missing.items() if places}


def _arrays(path: Path, complete: bool = True) -> tuple[bool, dict[str, _Array]]:
    """Whether a record may be growing, and the variables that it must hold, which must be there as the record says."""
    file = path / "zarr.json"
    if not file.exists():
        raise RunError(f"{path} is not a record: it has no zarr.json.")
    record: _Group = read(_Group, file)
    version = record.attributes.get("schema_version")
    if version != SCHEMA_VERSION:
        raise RunError(
            f"{path} has schema version {version}; this nucleate reads version {SCHEMA_VERSION}. "
            "Make the run again, or install the nucleate that wrote it (see its run.json)."
        )
    if record.consolidated_metadata is None:
        raise RunError(f"{path} was never finished being laid out; resume its run, which makes it again.")
    attrs = dict(record.attributes)
    if attrs.pop(CHECKSUM, None) not in (None, checksum(attrs)):
        raise RunError(f"{file}: the attributes have changed since the record was made; make the run again.")
    grows = not complete and LOGGED in attrs
    contents = record.consolidated_metadata.metadata
    return grows, {name: _array(path / name, tree, grows) for name, tree in contents.items()}


def _array(folder: Path, tree: Any, grows: bool) -> _Array:
    file = folder / "zarr.json"
    if not file.exists():
        raise RunError(f"{folder.parent}: variable '{folder.name}' has lost its zarr.json; make the run again.")
    if not grows and as_attr(read_tree(file)) != as_attr(tree):  # else it may be ahead of what was committed
        raise RunError(f"{file} has changed since the record was made; make the run again.")
    return read_as(_Array, tree, file)


@final
class _Checked(WrapperStore[LocalStore]):
    """The files of a record, in which a damaged chunk is a `RunError`."""

    def __init__(self, store: LocalStore, path: Path, arrays: Mapping[str, _Array]):
        super().__init__(store)
        self._path, self._variables = path, arrays

    def _with_store(self, store: LocalStore) -> "_Checked":
        return _Checked(store, self._path, self._variables)

    async def get(self, key: str, prototype: BufferPrototype, byte_range: ByteRequest | None = None) -> Buffer | None:
        value = await self._store.get(key, prototype, byte_range)
        chunk = _CHUNK.fullmatch(key)
        if value is not None and chunk and (array := self._variables.get(chunk[1])):
            _refuse_damage(self._path, key, array, value.to_bytes())
        return value


def _refuse_damage(path: Path, key: str, array: _Array, content: bytes) -> None:
    """Compare a chunk with the checksum at its end."""
    stored = int.from_bytes(content[-4:], "little")
    if array.has_checksums and (len(content) < 4 or google_crc32c.value(content[:-4]) != stored):
        variable, _, place = key.partition("/")
        raise RunError(f"{path}: variable '{variable}' has a corrupt chunk, {place}; make the run again.")


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
