"""Who trains the shards of a run: the protocol, and the threads of this process, which do it unless told otherwise."""

import abc
import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, final

from nucleate import machine
from nucleate.fleet.allow import Allow
from nucleate.fleet.plan import Plan
from nucleate.fleet.progress import Watcher
from nucleate.fleet.sessions import begin_session
from nucleate.fleet.shard import StopRequested, Work, train_shard
from nucleate.record import Run, RunError

_TELL_SECONDS = 20.0  # how often the cost so far is saved
_ALONE = (
    "one core trains this run: a call in it decomposes several matrices (singular values or the like), and two workers "
    "in such calls at once can wait for one another for ever; block=1 avoids it, unless one network has several"
)


class Executor(abc.ABC):
    """Trains the shards of one run: `prepare`, `work_through` the shards, and always `finish`.

    Prepared, it knows its `workers`, the number of shards that can be trained at once, and whether they are `here`, in
    this process, which then holds what they need.
    """

    workers: int
    here: bool

    @abc.abstractmethod
    def prepare(self, plan: Plan, run: Run, watch: Watcher, allow: Allow) -> None:
        """Make ready, and note in run.json who trains; refuse who would change bits, unless `Allow.OTHER_VERSIONS`."""

    @abc.abstractmethod
    def work_through(self, work: Work, shards: Sequence[int], tick: Callable[[], None]) -> None:
        """Train these shards, calling `tick` every now and then, until none is left.

        The first failure, and Ctrl-C, stop all workers at a checkpoint; `StopRequested` if that leaves shards.
        """

    @abc.abstractmethod
    def finish(self) -> None:
        """Let go of what was prepared, however far that came: no worker writes from here on."""


@final
class Threads(Executor):
    """A thread of this process for every core, or for every accelerator."""

    here = True

    def prepare(self, plan: Plan, run: Run, watch: Watcher, allow: Allow) -> None:
        begin_session(plan, run, watch, allow)
        run.lease.unlink(missing_ok=True)  # workers of a cluster whose client has died write no more
        machine.use_compile_cache()
        self._devices = machine.workers()
        self.workers = len(self._devices)

    def work_through(self, work: Work, shards: Sequence[int], tick: Callable[[], None]) -> None:
        devices = self._devices
        if len(devices) > 1 and work.alone:
            devices = devices[:1]
            work.tell(_ALONE)
        todo: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in shards:
            todo.put(number)
        failures: list[BaseException] = []

        def labour(device: Any) -> None:
            try:
                while not work.stop.is_set():
                    train_shard(work, todo.get_nowait(), device)
            except queue.Empty:
                pass
            except BaseException as failure:
                failures.append(failure)
                work.stop.set()

        threads = [threading.Thread(target=labour, args=(device,), daemon=True) for device in devices]
        _start_and_wait(threads, work.stop, tick)
        for failure in sorted(failures, key=lambda failure: isinstance(failure, StopRequested)):
            raise failure
        if not todo.empty():
            raise StopRequested

    def finish(self) -> None:
        pass


def executor_on(client: Any, run: Run) -> Executor:
    """The workers of a Dask cluster, of which `client` is a `distributed.Client`; without one, threads."""
    if client is None:
        return Threads()
    from nucleate.fleet.clusters.cluster import Cluster  # nothing else needs Dask

    return Cluster(client, run)


def spread_over(client: Any) -> contextlib.AbstractContextManager[None]:
    """In this block, what would take all cores of this machine is done by the workers of a Dask cluster.

    That is the sampling of learning coefficients: the numbers are the same, to the last bit on processors of one kind.
    Without a client it is done here.
    """
    if client is None:
        return contextlib.nullcontext()
    from nucleate.fleet.clusters.errands import Errands
    from nucleate.fleet.clusters.line import Line

    return machine.mapped_by(Errands(Line(client, "it can be done again")))


def _start_and_wait(threads: list[threading.Thread], stop: threading.Event, tick: Callable[[], None]) -> None:
    """Run threads to their end, which Ctrl-C, however often it is pressed, only brings nearer: no thread may still be
    writing when the lock is released."""
    told, started = time.monotonic(), []
    with machine.undisturbed():
        try:
            for thread in threads:
                thread.start()
                started.append(thread)
            while alive := [thread for thread in threads if thread.is_alive()]:
                if machine.asked_to_stop():
                    stop.set()
                alive[0].join(timeout=0.1)
                if time.monotonic() - told > _TELL_SECONDS:
                    told = time.monotonic()
                    with contextlib.suppress(OSError, RunError):  # a full disk is reported by the workers
                        tick()
        finally:
            stop.set()
            for thread in started:
                thread.join()
