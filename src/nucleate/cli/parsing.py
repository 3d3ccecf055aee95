"""From arguments to a command object, with errors of one line."""

import contextlib
import io
import math
import os
import re
import shutil
from collections.abc import Iterator
from typing import TypeVar

from nucleate.cli.printing import NARROWEST

Command = TypeVar("Command")
_DURATION = re.compile(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?")


class UsageError(Exception):
    """The user's mistake, in one line."""


def seconds(text: str, option: str) -> float:
    """A duration in seconds.

    >>> [seconds(text, "--within") for text in ("90m", "2h", "1h30m", "45s", "1.5h")]
    [5400.0, 7200.0, 5400.0, 45.0, 5400.0]
    """
    found = _DURATION.fullmatch(text.strip().lower())
    total = (
        sum(float(part or 0) * unit for part, unit in zip(found.groups(), (3600, 60, 1), strict=True)) if found else 0
    )
    if not 0 < total < math.inf:
        raise UsageError(f"{option} must be a duration, such as 45s, 90m, 2h or 1h30m; got '{text}'.")
    return total


def parse(command: type[Command], args: list[str], prog: str, description: str) -> Command:
    """The command that `args` ask for. `--help` prints and exits; anything wrong raises `UsageError`."""
    import tyro

    if any("\0" in arg for arg in args):  # no shell can send one, but a program can, and no file system takes it
        raise UsageError(f"{prog}: an argument holds a null character.")
    # Read from what is printed: tyro raises no exception of its own, and its hook for errors is private and unstable.
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), _wide_enough():
            return tyro.cli(command, args=args, prog=prog, description=description)
    except SystemExit as leaving:
        if not leaving.code:
            raise
        raise UsageError(_one_line(said.getvalue(), prog)) from None


def _one_line(box: str, prog: str) -> str:
    """The parser's box of advice, cut down to what is wrong and what would be right.

    >>> _one_line("╭─ Value error ─╮\\n│ Error parsing config: p must be │\\n│ >= 2; got 1. │\\n│ ─── │", "x")
    'x: p must be >= 2; got 1. See x --help.'
    >>> _one_line(" Value error \\n ---- \\n  p must be >= 2; got 1. \\n  ---- \\n", "x")  # a terminal without boxes
    'x: p must be >= 2; got 1. See x --help.'
    """
    inside = [line.strip().strip("│").strip() for line in box.splitlines() if "╭" not in line and "╰" not in line]
    paragraphs: list[list[str]] = [[]]
    for line in inside:
        if line and set(line) in ({"─"}, {"-"}):
            paragraphs.append([])
        elif line:
            paragraphs[-1].append(line)
    title = int("╭" not in box)  # without a frame it is a paragraph
    said = " ".join(line for lines in paragraphs[title : title + 1] for line in lines)
    wrong = re.sub(r"^Error parsing (config: )?", "", said) or "cannot be understood"
    meant = next((lines[1].split()[0].rstrip(",") for lines in paragraphs if lines[:1] == ["Perhaps you meant:"]), "")
    hint = f" Did you mean {meant}?" if meant else ""
    return f"{prog}: {wrong.rstrip('.')}.{hint} See {prog} --help."


@contextlib.contextmanager
def _wide_enough() -> Iterator[None]:
    """A terminal that the parser can write on: a very narrow one keeps it busy for ever."""
    before = os.environ.get("COLUMNS")
    if shutil.get_terminal_size().columns < NARROWEST:
        os.environ["COLUMNS"] = str(NARROWEST)
    try:
        yield
    finally:
        os.environ.pop("COLUMNS", None)
        os.environ |= {"COLUMNS": before} if before is not None else {}
