"""Standard streams that take whatever is written to them."""

import codecs
import io
import os
import sys
import unicodedata
from typing import TextIO

_ERRORS = "nucleate.spell"
_SPELLINGS = {"–": "-", "—": "-", "−": "-", "×": "x", "·": ".", "≤": "<=", "≥": ">=", "≈": "~", "…": "...", "→": "->"}
_SPELLINGS |= {"“": '"', "”": '"', "‘": "'", "’": "'", "∞": "inf"}


def steady() -> None:
    """Make standard output and error streams that do not fail if they are closed, if their reader has left
    (`nucleate list | head`), or if their encoding lacks a letter."""
    codecs.register_error(_ERRORS, _spelled)
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # closed: the next file that is opened would be written to by whoever means this stream
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    sys.stdout = _steady(sys.stdout, 1)
    sys.stderr = _steady(sys.stderr, 2)


def _steady(stream: TextIO | None, number: int) -> TextIO:
    if isinstance(stream, io.TextIOWrapper) and stream.isatty():
        stream.reconfigure(errors=_ERRORS)
        return stream
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return io.TextIOWrapper(io.BufferedWriter(_Deaf(number)), encoding, _ERRORS, line_buffering=number == 2)


class _Deaf(io.RawIOBase):
    """A file that goes on as the null device where it can no longer be written."""

    def __init__(self, number: int):
        self._number = number

    def fileno(self) -> int:
        return self._number

    def writable(self) -> bool:
        return True

    def write(self, content) -> int:
        try:
            return os.write(self._number, content)
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._number)
            if not isinstance(error, BrokenPipeError):
                raise OSError(error.errno, error.strerror, "standard output or error") from None
            return len(content)


def _spelled(error: UnicodeError) -> tuple[str, int]:
    """Letters that an encoding lacks, in those of ASCII.

    >>> codecs.register_error(_ERRORS, _spelled)
    >>> "R² ≥ 0.9, λ".encode("ascii", _ERRORS)
    b'R2 >= 0.9, \\\\u03bb'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    spelled = ""
    for letter in error.object[error.start : error.end]:
        plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
        spelled += _SPELLINGS.get(letter) or plain or letter.encode("ascii", "backslashreplace").decode()
    return spelled, error.end
