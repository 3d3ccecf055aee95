"""Ctrl-C and SIGTERM: noted down when they come, obeyed where it is safe.

An exception that a signal handler raises can get lost: in a callback of the garbage collector (JAX has one), in a
destructor, in a library's bare `except`. So handlers here only note the signal. What follows the first one:

- Whoever asks (`stop_if_asked`, `asked_to_stop`) stops where everything is saved: training between two chunks, with a
  checkpoint; the making of data, measurements and figures between two of them.
- What does not ask within `GRACE` seconds gets a `KeyboardInterrupt` in the main thread, again and again until one is
  not lost. Code that must come to its end (`undisturbed`) gets none.
- Where `leave` is given, as by the command line, the process is over after `PATIENCE` seconds, also in the midst of a
  computation that Python cannot interrupt, and at once at the second signal. A run's folder survives that as it
  survives SIGKILL. Only native code that keeps Python's global lock would hold it up; XLA does not.
- Without `leave`, as in a notebook, the second signal is a `KeyboardInterrupt` at once, and a computation that Python
  cannot interrupt is waited for.
"""

import contextlib
import gc
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

GRACE = 1.0
PATIENCE = 10.0
_OVER = 0  # the number of no signal


def asked_to_stop() -> int:
    """The number of the signal that asked this process to stop; 0 if none did."""
    return _listener.number if _listener else 0


def stop_if_asked() -> None:
    """`KeyboardInterrupt` if Ctrl-C was pressed: for loops whose steps take long, between two of them."""
    if asked_to_stop():
        raise KeyboardInterrupt


@contextlib.contextmanager
def stoppable(
    folder: Path | None = None,
    *,
    numbers: tuple[int, ...] = (signal.SIGINT,),
    leave: Callable[[int, Path | None], None] | None = None,
) -> Iterator[None]:
    """Signals are noted in this block, where it is in the main thread and they are not ignored; see this module.

    `folder` is what to resume if the block is stopped. `leave(number, folder)` must end the process; it may be called
    from another thread. A block within another one listens with the outer's ears.
    """
    global _listener
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    outermost = _listener is None
    listener = _listener = _listener or _Listener(numbers, leave)
    listener.folders.append(folder)
    try:
        yield
    except KeyboardInterrupt:
        raise  # the folder stays known, should the process be left on its way out
    except BaseException:
        listener.folders.pop()
        raise
    else:
        listener.folders.pop()
    finally:
        if outermost:
            _listener = None
            listener.close()


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """No `KeyboardInterrupt` in this block of the main thread, which asks by itself if it is to stop, or is short."""
    listener = _listener
    if listener is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    listener.undisturbed += 1
    try:
        yield
    finally:
        listener.undisturbed -= 1


class _Listener:
    """Handlers that note a signal, and a thread that sees to it that the signal is obeyed."""

    def __init__(self, numbers: tuple[int, ...], leave: Callable[[int, Path | None], None] | None):
        self.number = 0
        self.folders: list[Path | None] = []
        self.undisturbed = 0
        self._leave = leave
        self._nudged = self._closed = False
        self._numbers = [number for number in numbers if signal.getsignal(number) not in (signal.SIG_IGN, None)]
        self._here, self._there = socket.socketpair()
        self._there.setblocking(False)
        self._thread = threading.Thread(target=self._listen, name="signals", daemon=True)
        self._thread.start()
        # What the system itself writes arrives also while the main thread is not in Python.
        self._wakeup = signal.set_wakeup_fd(self._there.fileno(), warn_on_full_buffer=False) if leave else None
        self._previous = {number: signal.signal(number, self._note) for number in self._numbers}

    def close(self) -> None:
        """As it was before."""
        self._closed = True
        self._there.send(bytes([_OVER]))
        self._thread.join()  # before the handlers change: it calls them
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        if self._wakeup is not None:
            signal.set_wakeup_fd(self._wakeup)
        self._here.close()
        self._there.close()

    def _note(self, number: int, frame: FrameType | None) -> None:
        # Called in the midst of anything, which may hold any lock: nothing here waits for one.
        again, nudged = self.number != 0, self._nudged
        self._nudged = False
        self.number = self.number or number
        if self._leave is None and not nudged:
            self._there.send(bytes([number]))
        insists = nudged or (again and self._leave is None)
        if insists and not self.undisturbed and not self._closed and not _collects(frame):
            raise KeyboardInterrupt

    def _listen(self) -> None:
        echoes, came, due = 0, 0.0, 0.0
        while (heard := self._heard()) != _OVER:
            now = time.monotonic()
            if heard in self._numbers and echoes:
                echoes -= 1  # of our own nudge
            elif heard in self._numbers:
                if came and self._leave:
                    self._leave(self.number, self._folder())
                self.number = self.number or heard
                came, due = came or now, due or now + GRACE
            elif came and self._leave and now > came + PATIENCE:
                self._leave(self.number, self._folder())
            if came and now > due and not self.undisturbed and not self._nudged:
                due = now + 2 * GRACE
                echoes += self._leave is not None
                self._nudged = True
                _interrupt_main_thread(self.number)

    def _heard(self) -> int | None:
        """The next signal's number; None after a while without one."""
        self._here.settimeout(GRACE / 10 if self.number else None)
        try:
            return self._here.recv(1)[0]
        except TimeoutError:
            return None

    def _folder(self) -> Path | None:
        """The outermost: a replication, not the run that it trains."""
        return next((folder for folder in self.folders if folder), None)


def _collects(frame: FrameType | None) -> bool:
    """Whether a callback of the garbage collector is being run: an exception would be printed, and lost."""
    callbacks = [getattr(callback, "__code__", None) for callback in gc.callbacks]
    while frame and frame.f_code not in callbacks:
        frame = frame.f_back
    return frame is not None


def _interrupt_main_thread(number: int) -> None:
    """Have the handler called in the main thread, also where it waits for another thread."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:  # Windows
        import _thread

        _thread.interrupt_main(signal.Signals(number))


_listener: _Listener | None = None
