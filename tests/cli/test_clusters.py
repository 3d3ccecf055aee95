"""The cluster of a command: how it is left."""

import contextlib
import signal
import time
from pathlib import Path

import pytest

from nucleate.cli.clusters import _closed_in_peace
from nucleate.fleet import Interruption, resumable
from nucleate.machine import signals


def test_what_is_to_be_resumed_is_known_however_long_a_cluster_takes_to_close(monkeypatch):
    """Whoever does not stop in time is nudged, again and again, but not here."""
    monkeypatch.setattr(signals, "GRACE", 0.05)

    @contextlib.contextmanager
    def cluster():
        try:
            yield
        finally:
            time.sleep(0.5)

    def stop(number, folder):
        raise AssertionError

    def command():
        with _closed_in_peace() as stack:
            stack.enter_context(cluster())
            with resumable(Path("runs/mine")), signals.undisturbed():
                signal.raise_signal(signal.SIGINT)

    with signals.stoppable(numbers=(signal.SIGINT,), leave=stop), pytest.raises(Interruption) as stopped:
        command()
    assert stopped.value.path == Path("runs/mine")
