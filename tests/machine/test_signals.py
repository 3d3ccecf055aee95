"""A signal is noted and obeyed, wherever it comes, and none is lost."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from nucleate.machine import asked_to_stop, map_over_workers, signals, stop_if_asked, stoppable, undisturbed

BOTH = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(signals, "GRACE", 0.1)
    before = [signal.getsignal(number) for number in BOTH]
    yield
    assert [signal.getsignal(number) for number in BOTH] == before
    assert not [thread for thread in threading.enumerate() if thread.name == "signals"]


def press(number: int = signal.SIGINT) -> None:
    os.kill(os.getpid(), number)


def idle(until=lambda: False) -> None:
    """Python code that asks nobody, for a minute at most."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not until():
        time.sleep(0.01)


@contextmanager
def interrupted(**options):
    """A block that listens, and that must not come to its end."""
    try:
        with stoppable(**options):
            yield
    except KeyboardInterrupt:
        return
    pytest.fail("nobody obeyed")


@pytest.mark.parametrize("number", BOTH)
def test_a_loop_that_asks_stops_there(number):
    rounds = 0
    with interrupted(numbers=BOTH):
        while True:
            stop_if_asked()
            assert rounds == 0
            rounds += 1
            press(number)
            assert asked_to_stop() == number
    assert asked_to_stop() == 0


def test_code_that_asks_nobody_is_stopped_after_a_while():
    with interrupted():
        press()
        idle()


def test_an_exception_that_gets_lost_is_raised_again():
    lost = []
    with interrupted():
        press()
        try:
            idle()
        except:  # noqa: E722
            lost.append(1)
        idle()
    assert lost


def test_the_second_is_obeyed_at_once(monkeypatch):
    monkeypatch.setattr(signals, "GRACE", 1000)
    with interrupted():
        press()
        press()
        idle()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the first one is lost: the point
def test_one_that_comes_while_rubbish_is_collected_is_not_lost():
    """An exception in a callback of the collector is swallowed by Python; pytest would tell, by a warning."""

    def pressing(phase, info):
        gc.callbacks.remove(pressing)
        gc.callbacks.append(slowly)
        press()
        slowly(phase, info)

    def slowly(phase, info):
        until = time.monotonic() + 5 * signals.GRACE
        idle(lambda: time.monotonic() > until)
        gc.callbacks.remove(slowly)

    with interrupted():
        gc.callbacks.append(pressing)
        gc.collect()
        idle()


def test_undisturbed_code_comes_to_its_end():
    done = False
    with interrupted():
        with undisturbed():
            for _ in range(3):
                press()
            until = time.monotonic() + 5 * signals.GRACE
            idle(lambda: time.monotonic() > until)
            assert asked_to_stop() == signal.SIGINT
            done = True
        idle()
    assert done


def test_a_wait_for_another_thread_is_ended():
    with interrupted():
        press()
        threading.Event().wait(60)


def test_work_on_all_workers_stops_between_two_items():
    done = []

    def work(item):
        done.append(item)
        if item == 1:
            press()
            idle(asked_to_stop)
        return item

    with interrupted():
        map_over_workers(work, range(10_000))
    assert len(done) < 10_000


def test_blocks_within_a_block_share_its_ears():
    with interrupted():
        handler = signal.getsignal(signal.SIGINT)
        with stoppable(Path("run")):
            assert signal.getsignal(signal.SIGINT) is handler
            press()
            stop_if_asked()


def test_only_the_main_thread_listens():
    seen = []

    def elsewhere():
        with stoppable(), undisturbed():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


def test_what_is_ignored_stays_ignored():
    """As for the background jobs of a shell."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stoppable():
            press()
            assert asked_to_stop() == 0
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


# --- a process of one's own ---------------------------------------------------------------------------------------

PROCESS = """
import atexit, hashlib, os, signal, sys, time
from pathlib import Path
from nucleate.machine import signals

signals.GRACE, signals.PATIENCE = 0.1, {patience}
atexit.register(lambda: print("at the end", flush=True))

def leave(number, folder):
    os.write(1, f"left at {{number}}, resume {{folder}}\\n".encode())
    os._exit(128 + number)

with signals.stoppable(numbers=(signal.SIGINT, signal.SIGTERM), leave=leave), signals.stoppable(Path("outer")):
    with signals.stoppable(Path("inner")), signals.undisturbed():
        os.write(1, b"ready\\n")
        {work}
"""
NATIVE = "hashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1)"  # hours in which no Python is run
PYTHON = "time.sleep(1000)"


def started(work: str, patience: float) -> subprocess.Popen:
    process = subprocess.Popen(
        [sys.executable, "-c", PROCESS.format(work=work, patience=patience)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("work", [NATIVE, PYTHON], ids=["native", "python"])
@pytest.mark.parametrize("number", BOTH)
def test_what_cannot_be_interrupted_is_left(work, number):
    process = started(work, patience=0.5)
    process.send_signal(number)
    assert process.communicate(timeout=60) == (f"left at {int(number)}, resume outer\n", "")
    assert process.returncode == 128 + number


def test_the_second_leaves_at_once():
    process = started(NATIVE, patience=1e6)
    process.send_signal(signal.SIGTERM)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=0.5)  # the first is patient
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60) == (f"left at {int(signal.SIGTERM)}, resume outer\n", "")
