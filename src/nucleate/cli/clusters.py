"""`--cluster`: the Dask cluster that a command trains on."""

import asyncio
import contextlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from nucleate.cli.parsing import UsageError

HELP = "Train on a Dask cluster: local:4 (processes), tcp://HOST:PORT or a scheduler's file; else on the cores here."
ClusterName = Annotated[str | None, tyro.conf.arg(metavar="CLUSTER", help=HELP)]

_SECONDS = 10  # for a scheduler to answer
_PROCESS = 3e8  # bytes of a worker that has imported and compiled
# Ctrl-C in a terminal reaches all processes started from it; this one tells the others.
_DEAF = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"


@contextlib.contextmanager
def connected(where: str | None) -> Iterator[Any]:
    """A client of the cluster that is named; None if none is."""
    if where is None:
        yield None
        return
    from nucleate import machine

    try:
        import distributed
        from distributed.versions import VersionMismatchWarning
    except ImportError:
        raise UsageError(f"--cluster {where} needs Dask: pip install 'nucleate[cluster]'.") from None
    with _closed_in_peace() as stack:
        at = stack.enter_context(_local(where, distributed)) if _is_local(where) else _there(where, distributed)
        machine.stop_if_asked()
        with warnings.catch_warnings():
            # Which versions matter, and of what, is for the run to say.
            warnings.simplefilter("ignore", VersionMismatchWarning)
            client = distributed.Client(at, timeout=_SECONDS, set_as_default=False)
        yield stack.enter_context(client)


@contextlib.contextmanager
def _closed_in_peace() -> Iterator[contextlib.ExitStack]:
    """What is entered is left undisturbed: another Ctrl-C on the way out would hide what is to be resumed."""
    from nucleate import machine

    stack = contextlib.ExitStack()
    try:
        yield stack
    finally:
        with machine.undisturbed():
            stack.close()


def threads_of(where: str | None) -> int | None:
    """How many shards the cluster that is named trains at once; a local one is not started for that."""
    if where is not None and _is_local(where):
        return _processes(where)
    with connected(where) as client:
        threads = None if client is None else sum(client.nthreads().values())
    if threads == 0:
        raise UsageError(f"--cluster {where}: it has no workers; start some, then try again.")
    return threads


def _is_local(where: str) -> bool:
    return where.split(":")[0] == "local"


def _processes(where: str) -> int:
    from nucleate import machine

    _, _, count = where.partition(":")
    if count and not (count.isdecimal() and int(count) > 0):
        raise UsageError(f"--cluster {where}: local:N needs a number of processes, such as local:4.")
    return int(count or machine.cores())


def _local(where: str, distributed: Any) -> Any:
    from nucleate import machine

    processes = _processes(where)
    machine.require_memory(processes * _PROCESS, f"--cluster {where}", "Ask for fewer processes.")
    with machine.undisturbed():  # cut short, it leaves things behind
        return distributed.LocalCluster(
            n_workers=processes, threads_per_worker=1, dashboard_address=":0", silence_logs=50, preload=[_DEAF]
        )


@dataclass(frozen=True)
class _SchedulerFile:
    """What `dask scheduler --scheduler-file` writes, as far as it is needed."""

    address: str


def _there(where: str, distributed: Any) -> str:
    """The address of a scheduler, which answers there."""
    address = where if "://" in where else _written_in(where)
    try:
        kind = asyncio.run(_kind(address, distributed))
    except Exception as problem:  # whatever answers may say anything, such as that 3 EB follow
        why = "what answers is something else" if isinstance(problem, MemoryError) else str(problem)
        raise UsageError(
            f"--cluster {where}: no scheduler answers there ({why or f'not in {_SECONDS} s'}). Is it running, and can "
            "this machine reach it?"
        ) from None
    if kind != "Scheduler":
        raise UsageError(f"--cluster {where}: a {kind.lower()} answers there; name the scheduler.")
    return address


async def _kind(address: str, distributed: Any) -> str:
    """What answers at an address. A client would wait long for what is not Dask's, and then as long to be closed."""
    how = distributed.Security().get_connection_args("client")
    async with distributed.rpc(address, connection_args=how, timeout=_SECONDS) as there:
        return (await asyncio.wait_for(there.identity(), _SECONDS))["type"]


def _written_in(where: str) -> str:
    if not Path(where).is_file():
        raise UsageError(f"--cluster must be local:N, tcp://HOST:PORT or the file of a scheduler; got {where!r}.")
    from nucleate.record import document

    return document.read(_SchedulerFile, Path(where)).address
