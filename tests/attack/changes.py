"""Every change of a folder, counted as the process makes it; at the chosen one, the process dies or the disk fails.

Python announces most changes to its audit hooks: a file opened for writing, `mkdir`, `rename`, `remove`, `rmdir` and
`link`. Writes and `fsync` are not announced, so files that are opened meanwhile are of a class of ours.
"""

import abc
import builtins
import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_ANNOUNCED = {"os.mkdir": 2, "os.rename": 2, "os.remove": 1, "os.rmdir": 1, "os.link": 2}
"""Changes of folders, and where among their arguments the folder is that the path may be relative to."""
_FREEING = {"os.rename", "os.remove", "os.rmdir"}


class Killed(BaseException):
    """The process is dead: what it does after this does not happen. No handler of the code may stop it."""


class Fault(abc.ABC):
    """What happens at the chosen change, and after it."""

    @abc.abstractmethod
    def strikes(self, change: str, *, first: bool) -> BaseException | None:
        """What a change raises: the chosen one, which is the `first`, or one that follows."""


@final
@dataclass(frozen=True)
class Kill(Fault):
    """The process dies. A write that it dies in is half done."""

    def strikes(self, change: str, *, first: bool) -> BaseException:
        return Killed()


@final
@dataclass(frozen=True)
class RealKill(Fault):
    """The same, by the operating system; for a process of its own."""

    def strikes(self, change: str, *, first: bool) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


@final
@dataclass(frozen=True)
class FullDisk(Fault):
    """From here on nothing can be added; files can still be renamed and removed."""

    def strikes(self, change: str, *, first: bool) -> BaseException | None:
        return None if change in _FREEING else OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@final
@dataclass(frozen=True)
class BadBlock(Fault):
    """This change fails, and no other."""

    def strikes(self, change: str, *, first: bool) -> BaseException | None:
        return OSError(errno.EIO, os.strerror(errno.EIO)) if first else None


@dataclass
class Changes:
    """The changes of `folder` so far; the fault comes with the one of number `at`, counted from 1."""

    folder: str
    fault: Fault | None = None
    at: int = 0
    count: int = 0
    struck: str = ""

    def __post_init__(self):
        self._lock = threading.Lock()

    def happens(self, change: str, path: str, half: Callable[[], Any] = lambda: None) -> None:
        """To be called before each change; `half` does a part of it."""
        if not os.path.abspath(path).startswith(self.folder):
            return
        with self._lock:
            self.count += 1
            first = self.count == self.at
            if self.fault is None or self.count < self.at:
                return
            if first:
                self.struck = f"{change} {os.path.relpath(path, self.folder)}"
                half()
            error = self.fault.strikes(change, first=first)
        if error is not None:
            raise error


_watching: list[Changes] = []


@contextmanager
def changes(folder: Path, fault: Fault | None = None, at: int = 0) -> Iterator[Changes]:
    """Count the changes below `folder`, and let one of them fail."""
    _install()
    noted = Changes(os.path.abspath(folder), fault, at)
    usual = builtins.open, io.open, os.fsync
    _watching.append(noted)
    builtins.open = io.open = _open  # type: ignore[assignment]
    os.fsync = _fsync
    try:
        yield noted
    finally:
        builtins.open, io.open, os.fsync = usual  # type: ignore[assignment]
        _watching.remove(noted)


class _File(io.FileIO):
    """A file whose writes are changes: these are the system's calls, below any buffer."""

    def write(self, data: Any) -> int:
        size = memoryview(data).nbytes
        for noted in list(_watching):
            noted.happens("write", os.fsdecode(self.name), lambda: super(_File, self).write(bytes(data)[: size // 2]))
        return super().write(data)


_usual_open, _usual_fsync = io.open, os.fsync


def _open(file: Any, mode: str = "r", buffering: int = -1, *args: Any, **options: Any) -> Any:
    raw = mode.replace("b", "").replace("t", "")
    if raw == "r" or buffering != -1 or isinstance(file, int) or options.get("opener"):
        return _usual_open(file, mode, buffering, *args, **options)
    opened = _File(os.fspath(file), raw)
    buffered = io.BufferedRandom(opened) if "+" in raw else io.BufferedWriter(opened)
    return buffered if "b" in mode else io.TextIOWrapper(buffered, *args, **options)


def _fsync(descriptor: Any) -> None:
    number = descriptor if isinstance(descriptor, int) else descriptor.fileno()
    for noted in list(_watching):
        noted.happens("fsync", _path_of(number))
    _usual_fsync(descriptor)


def _path_of(descriptor: int) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:  # there is no /proc here: no way to tell, so no change to count
        return os.devnull


def _notice(event: str, arguments: tuple) -> None:
    if not _watching or (event != "open" and event not in _ANNOUNCED):
        return
    path = arguments[0]
    if isinstance(path, int) or (event == "open" and not (arguments[2] or 0) & _WRITING):
        return
    folder = -1 if event == "open" else arguments[_ANNOUNCED[event]]
    if folder >= 0:  # an open one, as in `shutil.rmtree`
        path = os.path.join(_path_of(folder), os.fsdecode(path))
    for noted in list(_watching):
        noted.happens(event, os.fsdecode(path))


def _install(installed: list[bool] = []) -> None:  # noqa: B006 - once in a process: a hook cannot be taken away
    if not installed:
        sys.addaudithook(_notice)
        installed.append(True)
