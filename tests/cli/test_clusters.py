"""The cluster of a command: how it is found, and how it is left."""

import contextlib
import signal
import socket
import threading
import time
from pathlib import Path

import pytest

from nucleate.cli import clusters
from nucleate.cli.clusters import _closed_in_peace
from nucleate.cli.parsing import UsageError
from nucleate.fleet import Interruption, resumable
from nucleate.machine import TooLarge, signals


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


@pytest.mark.parametrize(
    ("said", "seconds", "why"),
    [(None, 0.5, "no scheduler answers there"), (b"HTTP/1.1 400 Bad Request\r\n\r\n" * 99, 60, "is something else")],
)
def test_what_answers_and_is_no_scheduler_is_one_line(said, seconds, why, monkeypatch):
    monkeypatch.setattr(clusters, "_SECONDS", seconds)
    with answering(said) as address, pytest.raises(UsageError, match=why):
        clusters._there(address, pytest.importorskip("distributed"))


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("tcp://127.0.0.1:1", "(Timed out|not in 0.2 s)"),
        ("tcp://127.0.0.1", "missing port number"),
        ("http://127.0.0.1:8786", "unknown address scheme 'http'"),
        ("tls://127.0.0.1:1", "TLS expects"),
    ],
)
def test_an_address_where_nothing_answers_is_one_line(where, why, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(clusters, "_SECONDS", 0.2)
    with (
        pytest.raises(UsageError, match=rf"--cluster {where}: no scheduler answers there \(.*{why}"),
        clusters.connected(where),
    ):
        pass


@pytest.mark.parametrize("where", ["local:0", "local:-1", "local:x", "localhost:8786", "nowhere.json"])
def test_a_name_of_no_cluster_is_one_line(where):
    with pytest.raises(UsageError, match=rf"--cluster.*{where}"), clusters.connected(where):
        pass


@contextlib.contextmanager
def answering(said):
    """The address of a server that says something, or nothing, to whoever comes."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            with contextlib.suppress(OSError):
                connection, _ = server.accept()
                with connection:
                    connection.sendall(said or b"")
                    connection.recv(2**20)
                    time.sleep(3)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


def test_more_processes_than_fit_are_refused():
    pytest.importorskip("distributed")
    with (
        pytest.raises(TooLarge, match=r"--cluster local:99999 needs about 30 TB"),
        clusters.connected("local:99999"),
    ):
        pass
