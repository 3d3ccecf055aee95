"""The line to a Dask cluster: who is there, work for one of them, and what they report. This module alone imports Dask.

A scheduler passes on bytes here, which it need not understand: only workers need nucleate.
"""

import contextlib
import itertools
import math
import operator
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import Any

from distributed import Client, Future, get_worker

from nucleate.fleet.clusters import crew
from nucleate.fleet.clusters.parcel import packed, unpacked
from nucleate.record import RunError


class Line:
    """A `distributed.Client`, as far as runs need it. `patience`: seconds in which an answer that was given comes."""

    patience = 10.0

    def __init__(self, client: Any, way_on: str):
        if not isinstance(client, Client) or client.asynchronous:
            raise ValueError(f"train: on must be a distributed.Client that is not asynchronous; got {client!r}.")
        self._client: Any = client
        self._way_on = way_on

    @property
    def address(self) -> str:
        """Of the scheduler."""
        return self._client.scheduler.address if self._client.scheduler else "an address that is gone"

    @property
    def dashboard(self) -> str:
        """The page on which Dask shows the cluster, if it has one."""
        return self._client.dashboard_link or ""

    def threads(self) -> dict[str, int]:
        """The workers that are there, each with its number of threads."""
        return dict(self._client.nthreads())

    def nucleates(self) -> dict[str, str | None]:
        """The version of nucleate that each worker has, if any."""
        found = self._client.get_versions(packages=["nucleate"])["workers"]
        return {address: versions["packages"].get("nucleate") for address, versions in found.items()}

    def ask(self, address: str, what: str, function: Callable, *args: Any) -> Future:
        """Have a worker, and no other, call a function; `what`: a name for the dashboard."""
        call = packed(_Call(function, args))
        return self._client.submit(unpacked, call, key=_key(what), workers=[address], pure=False, retries=0)

    def share(self, what: str, function: Callable) -> Future:
        """Have a worker keep a function for all of them, which fetch it from one another."""
        return self._client.submit(unpacked, packed(function), key=_key(what), pure=False)

    def ask_anyone(self, what: str, function: Future, item: bytes) -> Future:
        """Have any worker, and another if that one dies, call a function that they share."""
        return self._client.submit(operator.call, function, item, key=_key(what), pure=False)

    def gather(self, futures: list[Future]) -> list[Any]:
        """The answers of anyone, found once more where a worker died with its answer."""
        return self._client.gather(futures)

    def answers(self, futures: list[Future]) -> dict[Future, Any]:
        """What was answered, asked for all at once; nothing of calls that failed, or whose worker died."""
        finished = [future for future in futures if future.status == "finished"]
        try:
            found = self._client.sync(self._gather, finished, callback_timeout=self.patience)
        except (CancelledError, KeyError, TimeoutError):  # a worker died after it answered, and nobody else may answer
            left = [future for future in finished if future.status == "finished"]
            return self.answers(left) if len(left) < len(finished) else {}
        return dict(zip(finished, found, strict=True))

    async def _gather(self, futures: list[Future]) -> list[Any]:
        return await self._client.gather(futures, asynchronous=True)

    def listen(self, topic: str, hear: Callable[[Any], Any]) -> None:
        """Call a function with whatever workers report under a topic."""
        self._client.subscribe_topic(topic, lambda event: hear(event[1]))

    def deafen(self, topic: str) -> None:
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self._client.unsubscribe_topic(topic)

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """A scheduler that is lost in this block is a `RunError` that says the way on."""
        address = self.address
        try:
            yield
        except OSError as problem:
            if problem.errno is not None and not isinstance(problem, TimeoutError | ConnectionError):
                raise
            raise RunError(
                f"the scheduler at {address} does not answer any more ({problem}); once it does, or without it, "
                f"{self._way_on}."
            ) from problem


def arrive(*question: Any) -> crew.Arrival:
    """`crew.arrive` in a worker, which must not pause when memory gets short: it would keep a shard and say nothing."""
    get_worker().memory_manager.memory_pause_fraction = math.inf
    return crew.arrive(*question)


def labour(topic: str, *task: Any) -> str:
    """`crew.labour` in a worker, which reports under a topic."""
    worker = get_worker()
    return crew.labour(*task, report=lambda steps: worker.log_event(topic, steps))


def _key(what: str) -> str:
    return f"{what}-{next(_numbers)}-{time.monotonic_ns()}"


_numbers = itertools.count()


@dataclass(frozen=True)
class _Call:
    """A call that is made where it is unpickled: all that a scheduler is given is bytes, and a function of Python's."""

    function: Callable
    args: tuple

    def __reduce__(self) -> tuple[Callable, tuple]:
        return self.function, self.args
