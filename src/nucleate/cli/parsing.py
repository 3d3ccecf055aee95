"""From arguments to a command object, with errors of one line."""

import contextlib
import io
import re
import sys
from typing import Any, TypeVar

import tyro

Command = TypeVar("Command")

_FRAME = re.compile(r"^[╭╰│─╮╯┤├\s]+|[│╮╯\s]+$")


class UsageError(Exception):
    """The user's mistake, in one line."""


def parse(command: type[Command], args: list[str], prog: str, description: str, default: Any = None) -> Command:
    """The command that `args` ask for. `--help` prints and exits; anything wrong raises `UsageError`."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            return tyro.cli(
                command,
                args=args,
                prog=prog,
                description=description,
                default=tyro.MISSING if default is None else default,
            )
    except SystemExit as leaving:
        if not leaving.code:
            raise
        raise UsageError(_one_line(said.getvalue(), prog)) from None


def _one_line(box: str, prog: str) -> str:
    """The parser's box of advice, cut down to what is wrong and what would be right.

    >>> _one_line("╭─ Value error ─╮\\n│ Error parsing config: p must be >= 2; got 1. │\\n│ ─── │", "nucleate run x")
    'nucleate run x: p must be >= 2; got 1. See nucleate run x --help.'
    """
    lines = [line for line in (_FRAME.sub("", line) for line in box.splitlines()) if line]
    if lines and box.lstrip().startswith("╭"):
        lines = lines[1:]  # the box's title
    wrong = re.sub(r"^Error parsing config: |^Error parsing ", "", lines[0]) if lines else "cannot be understood"
    advice = [i for i, line in enumerate(lines) if line.startswith("Perhaps you meant")]
    meant = ""
    if advice and advice[0] + 1 < len(lines):
        meant = f" Did you mean {lines[advice[0] + 1].split()[0].rstrip(',')}?"
    return f"{prog}: {wrong.rstrip('.')}.{meant} See {prog} --help."


def fail(message: str) -> int:
    """Say what went wrong, on standard error; the exit code."""
    print(f"error: {message}", file=sys.stderr)
    return 2
