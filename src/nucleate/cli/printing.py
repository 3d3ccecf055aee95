"""The one way to print. What comes from a path, a config, a file or an error is text: no markup, no control code."""

import contextlib
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

NARROWEST = 40
"""Columns below which neither tables nor the parser's help can be laid out."""
_LOG = 140  # a log has no width of its own

# As pictures, one column wide each: the escape of a terminal's commands is ␛.
_CONTROLS = {code: 0x2400 + code for code in range(32) if code != ord("\n")} | {0x7F: 0x2421}
_CONTROLS |= dict.fromkeys(range(0x80, 0xA0), 0xFFFD)


def width() -> int:
    """Columns of the terminal, or of a log."""
    return max(NARROWEST, shutil.get_terminal_size((_LOG, 24)).columns)


def say(*parts: object, style: str = "") -> None:
    """Parts with spaces between them, on one line, however long, so that a path can be copied. `Text` has a style."""
    texts = [part if isinstance(part, Text) else Text(str(part)) for part in parts]
    _console().print(_Harmless(Text(" ").join(texts)), style=style, soft_wrap=True)


def show(what: RenderableType) -> None:
    """A table, or anything else that fills the width."""
    _console().print(_Harmless(what))


def shout(line: str) -> None:
    """One line on standard error."""
    print(harmless(line), file=sys.stderr)


def harmless(text: str) -> str:
    """Text on one line, with pictures for control codes.

    >>> harmless("a\\nb\\x1b[31m")
    'a b␛[31m'
    """
    return " ".join(text.splitlines()).translate(_CONTROLS)


@contextlib.contextmanager
def busy(with_what: str) -> Iterator[Callable[[str], None]]:
    """Show, in a terminal, that something takes a while; what is called with a message shows that beside it."""
    console = Console(stderr=True, markup=False, emoji=False, highlight=False)
    with console.status(Text(with_what)) as status:
        yield lambda message: status.update(Text(f"{with_what} ({message})" if message else with_what))


def command(*words: str | Path) -> Text:
    """A command to copy, quoted as a shell needs it."""
    return Text(shlex.join(map(str, words)), style="bold")


def aligned(rows: Iterable[Iterable[object]]) -> list[str]:
    """Rows of cells as lines of columns; the last one as long as it is.

    >>> aligned([("status", "run"), ("complete", "runs/mine")])
    ['status    run', 'complete  runs/mine']
    """
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join([*map(str.ljust, row[:-1], widths), row[-1]]) for row in cells]


class _Harmless:
    """Something to print, without the control codes in its text."""

    def __init__(self, what: RenderableType):
        self.what = what

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for segment in console.render(self.what, options):
            yield segment if segment.control else Segment(segment.text.translate(_CONTROLS), segment.style)


def _console() -> Console:
    return Console(markup=False, emoji=False, highlight=False, width=width())
