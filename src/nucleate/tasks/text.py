"""Text at byte level: a file of the user's, or the reference of Python's language that every Python brings along."""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, final

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, UInt8

from nucleate.checking import Above, Below, Checked, Count
from nucleate.machine import require_memory

BYTES = 256
"""How many symbols there are."""

_BUNDLED = "pydoc_data.topics"


@final
@dataclass(frozen=True, eq=False)
class TextTask(Checked):
    """Say the next byte of a text from those before it.

    `text`: all bytes; `context`: how many a network sees; `held_out`: the share at the end of the text that is kept
    to validate on. No window of one part reaches into the other, so that no byte is both trained on and validated.

    >>> task = TextTask(np.arange(200, dtype=np.uint8), context=8, held_out=0.25)
    >>> task.train.size, task.valid.size, task.spread(3).shape
    (150, 50, (3, 9))
    >>> TextTask(np.arange(5, dtype=np.uint8), context=8)
    Traceback (most recent call last):
    ValueError: TextTask.text must be longer than context = 8 in both parts; got 4 bytes to train and 1 to validate on.
    """

    text: UInt8[np.ndarray, " byte"]
    context: Count = 64
    held_out: Annotated[float, Above(0), Below(1)] = 0.1

    def check(self) -> None:
        if self.text.dtype != np.uint8 or self.text.ndim != 1:
            self.refuse("text", f"must be a row of bytes (uint8); got {self.text.dtype} of shape {self.text.shape}")
        if not self.text.size:
            self.refuse("text", "is empty; give a text with at least one window of bytes in each part")
        if min(self.train.size, self.valid.size) <= self.context:
            parts = f"{self.train.size} bytes to train and {self.valid.size} to validate on"
            self.refuse("text", f"must be longer than context = {self.context} in both parts; got {parts}")

    @property
    def _cut(self) -> int:
        return round(self.text.size * (1 - self.held_out))

    @property
    def train(self) -> UInt8[np.ndarray, " train"]:
        """The bytes that are trained on."""
        return self.text[: self._cut]

    @property
    def valid(self) -> UInt8[np.ndarray, " valid"]:
        """The bytes that are validated on."""
        return self.text[self._cut :]

    @property
    def checksum(self) -> int:
        """The first 32 bits of the text's SHA-256: a record keeps it, so that a run goes on with the same text.

        >>> TextTask(np.frombuffer(b"abc" * 50, np.uint8), context=8).checksum
        2546618741
        """
        return int.from_bytes(hashlib.sha256(self.text.tobytes()).digest()[:4], "big")

    def spread(self, count: int) -> Int[np.ndarray, "window place"]:
        """`count` validation windows of context + 1 bytes, evenly spread over the part that is held out."""
        starts = np.linspace(0, self.valid.size - self.context - 1, count).astype(np.int64)
        return self.valid[starts[:, None] + np.arange(self.context + 1)].astype(np.int32)


def windows(text: UInt8[Array, " byte"], key: Array, count: int, length: int) -> Int[Array, "window place"]:
    """`count` windows of `length` bytes, each starting at a uniformly random place: a batch for a `Stream`.

    >>> drawn = windows(jnp.arange(100, dtype=jnp.uint8), jax.random.key(0), count=2, length=5)
    >>> (drawn - drawn[:, :1]).tolist()
    [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]
    """
    start = jax.random.randint(key, (count, 1), 0, text.shape[0] - length + 1)
    return text[start + jnp.arange(length)].astype(jnp.int32)


@cache
def bundled_text() -> UInt8[np.ndarray, " byte"]:
    """The reference of Python's language, as `help()` shows it: some 370 kB of English with code.

    It is in the module pydoc_data of Python itself, under the PSF License 2.0 [python2023reference], and is the same
    wherever the version of Python is. Topics repeat one another's paragraphs, so each paragraph is kept where it first
    occurs: else what is validated on would have been trained on.

    >>> text = bundled_text()
    >>> text.size > 300_000, b"The \\"assert\\" statement" in text.tobytes()
    (True, True)
    """
    try:
        topics: dict[str, str] = import_module(_BUNDLED).topics
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"This Python was installed without its module {_BUNDLED}, which has the text: give a file of your own.",
            name=_BUNDLED,
        ) from None
    kept: dict[str, str] = {}
    for name in sorted(topics):
        for paragraph in _paragraphs(topics[name]):
            kept.setdefault(" ".join(paragraph.split()), paragraph)
    return np.frombuffer("\n\n".join(kept.values()).encode(), np.uint8)


def _paragraphs(text: str) -> list[str]:
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return [paragraph.strip("\n") for paragraph in lines.split("\n\n") if paragraph.strip()]


def read_text(path: Path | str) -> UInt8[np.ndarray, " byte"]:
    """The bytes of a file, whatever they are.

    Raises `ValueError`, with the file and what is wrong, if it cannot be read or is empty.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "mine.txt").write_text("Call me Ishmael.")
    ...     read_text(f"{folder}/mine.txt")[:4].tolist()
    [67, 97, 108, 108]
    """
    try:
        # Every network has the text in memory, as the training part and as a whole.
        require_memory(2 * Path(path).stat().st_size, f"the text in {path}", "Give a smaller file.")
        text = np.frombuffer(Path(path).read_bytes(), np.uint8)
    except FileNotFoundError:
        raise ValueError(f"{path}: there is no such file.") from None
    except OSError as error:
        raise ValueError(f"{path}: cannot be read ({error}).") from None
    if not text.size:
        raise ValueError(f"{path}: is empty; give a file with text.")
    return text
