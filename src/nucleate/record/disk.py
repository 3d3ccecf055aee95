"""Folders that survive their process: what is on the disk, who may write it, and what a killed process left."""

import contextlib
import errno
import glob
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TypeVar, final

from filelock import FileLock, Timeout

from nucleate.record.schema import RunError

T = TypeVar("T")

_LOCK = "lock"
_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_PATIENCE = (0.01, 0.03, 0.1, 0.3, 0.6) if os.name == "nt" else ()  # seconds
_SYNCS = 16  # at once: a file system commits them together, in about the time of one


def write_atomically(path: Path, content: bytes) -> None:
    """Replace a file so that a reader, or a crash, sees the old content or the new one and nothing between.

    When this returns the file is on the disk.
    """
    with replacing(path) as temporary:
        temporary.write_bytes(content)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A place to write what shall replace `path`, atomically, once all of it is there; nothing is left of a failure."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_name(path)
    try:
        yield temporary
        _sync_one(temporary)
        _replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_one(path.parent)


def _replace(source: Path, target: Path) -> None:
    """`os.replace`, tried again for a second on Windows, where a file that someone reads cannot be replaced."""
    for seconds in _PATIENCE:
        try:
            os.replace(source, target)
        except PermissionError:
            time.sleep(seconds)
        else:
            return
    os.replace(source, target)


@contextlib.contextmanager
def telling_full_disk(path: Path, way_on: str) -> Iterator[None]:
    """A disk that is full in this block, which writes `path`, is a `RunError` that says the way on."""
    try:
        yield
    except OSError as error:
        if error.errno not in _NO_SPACE:
            raise
        raise RunError(f"The disk is full while writing {path}; free some space, then {way_on}.") from error


def temporary_name(path: Path) -> Path:
    """Where to make what will be renamed to `path`; `Folder.sweep` finds it by the pattern `.NAME.*`."""
    # Not from `tempfile`, whose files are private: results are to be shared, as far as the user's umask says.
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}")


def sync(paths: Iterable[Path]) -> None:
    """Return when files are on the disk; of a folder, the names in it."""
    at_once(_sync_one, paths, _SYNCS)


def at_once(do: Callable[[T], None], items: Iterable[T], most: int) -> None:
    """Call a function, which may be called twice, for each item; for `most` of them at once."""
    items = list(items)
    with ThreadPoolExecutor(most) as pool:
        try:
            list(pool.map(do, items))
            return
        except RuntimeError as error:
            if "after interpreter shutdown" not in str(error):  # when Python exits there are no more threads
                raise
    for item in items:
        do(item)


def _sync_one(path: Path) -> None:
    folder = path.is_dir()
    if folder and os.name == "nt":
        return  # Windows keeps the names in a folder by itself
    descriptor = os.open(path, os.O_RDONLY if folder else os.O_RDWR)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if not folder or error.errno != errno.EINVAL:  # some network file systems have nothing to flush in a folder
            raise
    finally:
        os.close(descriptor)


def is_inner(name: str) -> bool:
    """Whether a path, relative to a folder, stays inside it, on any platform.

    >>> [is_inner(name) for name in ("data-size", "figures/a.png", "", ".", "../a", "a/../..", "/a", "C:a")]
    [True, True, False, False, False, False, False, False]
    """
    path = PureWindowsPath(name)  # knows every separator and every kind of root
    return bool(path.parts) and not path.anchor and ".." not in path.parts and "\0" not in name


def inside(folder: Path, name: str) -> Path:
    """The path of that name in a folder; a `RunError` if a symbolic link leads elsewhere on the way, or below it."""
    path = folder / name
    if os.path.realpath(path) != str(Path(os.path.realpath(folder)) / name):
        raise RunError(f"{path} is, or is behind, a symbolic link; put what it leads to in its place.")
    for parent, folders, files in os.walk(path):
        for entry in (*folders, *files):
            if os.path.islink(os.path.join(parent, entry)):
                raise RunError(f"{os.path.join(parent, entry)} is a symbolic link; put what it leads to in its place.")
    return path


@final
@dataclass(frozen=True)
class Folder:
    """A folder of results. `made`: the names of what is made in it, in the order in which it is discarded.

    A killed process leaves `.NAME.*` beside each of them (see `temporary_name`), and in them what matches `unfinished`.
    """

    path: Path
    made: tuple[str, ...]
    unfinished: tuple[str, ...] = ()

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for writing. The operating system lets go when the process dies, however it dies."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise RunError(f"{self.path} cannot be a folder of results: there is a file in its place.") from None
        lock = FileLock(self.path / _LOCK)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            raise RunError(
                f"{self.path} is being written by another process; wait for it, or choose another folder with --out."
            ) from None
        try:
            yield
        finally:
            lock.release()

    def is_locked(self) -> bool:
        """Whether some process holds the folder now.

        Nothing is written to find out, and a folder that cannot be written is not held.
        """
        if not (self.path / _LOCK).exists():
            return False
        try:
            with FileLock(self.path / _LOCK, blocking=False):
                return False
        except Timeout:
            return True
        except OSError as error:
            if error.errno in _READ_ONLY:
                return False
            raise

    def is_fresh(self) -> bool:
        """Whether nothing was begun in the folder, if it is there: a process may have been killed before."""
        return not (self.foreign() or any((self.path / name).exists() for name in self.made))

    def foreign(self) -> list[Path]:
        """What is in the folder and was not made there."""
        if not self.path.is_dir():
            return []
        ours, left = {_LOCK, *self.made}, self._left
        return [entry for entry in self.path.iterdir() if entry.name not in ours and not any(map(entry.match, left))]

    def sweep(self) -> None:
        """Remove what a killed process was in the middle of writing, unless links lead to what is not ours."""
        self.refuse_links()
        for pattern in (*self._left, *self.unfinished):
            for path in list(self.path.glob(pattern)):
                _remove(path)

    def sweep_if_free(self) -> None:
        """The same, unless a process holds the folder, which may be in the middle of writing."""
        self.refuse_links()
        with contextlib.suppress(RunError), self.lock():
            self.sweep()

    def refuse_links(self) -> None:
        """Refuse symbolic links among what was made: what they lead to is neither to be written nor deleted."""
        for name in self.made:
            inside(self.path, name)

    def discard(self) -> None:
        """Delete what was made in the folder, each part at once, and the folder if there is nothing else in it."""
        self.sweep()
        for path in (self.path / name for name in self.made):
            if path.exists():
                going = temporary_name(path)
                os.rename(path, going)
                _remove(going)
        with contextlib.suppress(OSError):  # where a file in use cannot be deleted
            (self.path / _LOCK).unlink(missing_ok=True)
            self.path.rmdir()

    @property
    def _left(self) -> list[str]:
        paths = [PurePosixPath(glob.escape(name)) for name in self.made]
        return [str(path.with_name(f".{path.name}.*")) for path in paths]


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
