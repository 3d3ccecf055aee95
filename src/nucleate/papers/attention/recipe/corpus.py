"""Text as recipes learn it: a file or the bundled text, in windows of bytes."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from jaxtyping import Array, Int, PyTree, UInt8

from nucleate.fleet import Batching, Recipe, Stream, pieces
from nucleate.tasks import TextTask, bundled_text, read_text, windows


def text_of(path: str) -> UInt8[np.ndarray, " byte"]:
    """The bytes of a file; the bundled text if no file is named."""
    if not path:
        return bundled_text()
    try:
        changed = Path(path).stat().st_mtime_ns
    except OSError:
        changed = 0  # reading it says what is wrong
    return _read(path, changed)


@lru_cache(maxsize=2)
def _read(path: str, changed: int) -> UInt8[np.ndarray, " byte"]:
    return read_text(path)


@dataclass(frozen=True)
class OnText(Recipe):
    """A recipe whose step learns `batch` windows of `context` bytes and the byte after each, drawn afresh from `text`
    (a file's path; empty for the bundled text)."""

    text: str = ""
    context: int = 64
    batch: int = 8

    @property
    def task(self) -> TextTask:
        return TextTask(text_of(self.text), self.context)

    @property
    def microbatches(self) -> tuple[int, ...]:  # type: ignore[override]
        return pieces(self.batch, self.context)

    @property
    def batching(self) -> Batching:  # type: ignore[override]
        return Stream(self._draw)

    def _draw(self, data: PyTree, key: Array, step: Int[Array, ""]) -> Int[Array, "window place"]:
        return windows(data["train"], key, self.batch, self.context + 1)
