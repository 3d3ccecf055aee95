"""For tests of what happens at its own time: on a busy machine, late."""

import time
from collections.abc import Callable


def wait_until(so: Callable[[], object]) -> None:
    deadline = time.monotonic() + 120
    while not so():
        assert time.monotonic() < deadline, "not in two minutes"
        time.sleep(0.01)
