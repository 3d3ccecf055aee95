"""The ground of an attack: the command line called within the process, and a neighbour who must not be touched."""

import io
import os
import re
import shutil
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from tests.attack.changes import Killed

from nucleate.cli import main

EXIT_CODES = {0, 1, 2, 130, 143}
NEIGHBOUR = "neighbour"
loud = False
"""Whether everything that commands say is shown."""


@dataclass(frozen=True)
class Answer:
    """What a command said. `code` is None if it ended in a traceback, which is then the end of `err`."""

    code: int | None
    out: str
    err: str

    @property
    def wrong(self) -> str:
        """A traceback, or an exit code that means nothing."""
        said = self.out + self.err
        if self.code is None or "Traceback" in said:
            return f"a traceback: {place(said)}"
        return "" if self.code in EXIT_CODES else f"exit code {self.code}: {self.err.strip()[-300:]}"


def call(*args: str) -> Answer:
    """Call the command line, as a user would but for the process. Only a kill is let through."""
    # As Python makes them, with the same way of treating what is not Unicode.
    out, err = (
        io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=errors, write_through=True)
        for errors in ("strict", "backslashreplace")
    )
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(list(args))
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else int(bool(leaving.code))
        except Killed:
            raise
        except BaseException:
            code = None
            traceback.print_exc()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    answer = Answer(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))  # type: ignore[attr-defined]
    if loud:
        print(f"$ nucleate {' '.join(args)}\n{answer.out}{answer.err}exit code {answer.code}\n")
    return answer


def place(said: str) -> str:
    """The end of a traceback in a line: the error, and the last line of ours that it passed through.

    >>> place('Traceback:\\n  File "/x/src/nucleate/a.py", line 3, in f\\n    1/0\\nZeroDivisionError: no')
    'ZeroDivisionError: no (nucleate/a.py:3)'
    """
    files = re.findall(r'File "[^"]*?(nucleate/[^"]+)", line (\d+)', said)
    error = next((line for line in reversed(said.strip().splitlines()) if line and not line.startswith(" ")), "")
    return f"{error[:300]} ({':'.join(files[-1])})" if files else error[:300]


@contextmanager
def place_to_work(name: str) -> Iterator[Path]:
    """A fresh folder below the current one, as the current one; beside it lives a neighbour."""
    usual, root = Path.cwd(), Path(name).absolute()
    if root.exists():
        shutil.rmtree(root)
    (root / "work").mkdir(parents=True)
    settle(root / NEIGHBOUR)
    os.chdir(root / "work")
    try:
        yield root / "work"
    finally:
        os.chdir(usual)
        shutil.rmtree(root, ignore_errors=True)


def settle(folder: Path) -> None:
    """The neighbour's files: some of them look like ours."""
    (folder / "record.zarr/loss/c").mkdir(parents=True)
    (folder / "checkpoints").mkdir()
    for name in ("run.json", "replication.json", "lock", "notes.txt", "picture.png", "record.zarr/loss/c/0"):
        (folder / name).write_text(f"the neighbour's {name}")


def touched(folder: Path) -> str:
    """What happened to the neighbour, or ""."""
    found = {
        file.relative_to(folder).as_posix(): file.read_text(errors="replace")
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
    names = ("run.json", "replication.json", "lock", "notes.txt", "picture.png", "record.zarr/loss/c/0")
    expected = {name: f"the neighbour's {name}" for name in names}
    wrong = [name for name in sorted(found.keys() | expected.keys()) if found.get(name) != expected.get(name)]
    return f"the neighbour's files were touched: {', '.join(wrong)}" if wrong else ""
