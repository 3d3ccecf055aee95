"""Ctrl-C as a user of fleets meets it: an exception that says what to resume."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from nucleate import machine


class Interruption(KeyboardInterrupt):
    """Raised on Ctrl-C, with the folder to resume."""

    def __init__(self, path: Path):
        super().__init__(f"interrupted; resume {path}")
        self.path = path


@contextlib.contextmanager
def resumable(path: Path) -> Iterator[None]:
    """Ctrl-C in this block, which works on a folder that can be resumed, raises `Interruption`."""
    try:
        with machine.stoppable(path):
            yield
            machine.stop_if_asked()  # in a loop over several folders, it is the loop that is to be stopped
    except KeyboardInterrupt:
        raise Interruption(path) from None
