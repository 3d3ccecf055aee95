"""Work of any kind spread over a cluster, item by item, such as the chains of learning coefficients.

It needs nothing of what training does: an errand writes nowhere and brings back what it found, so one whose worker dies
is simply run by another, which Dask sees to by itself.
"""

import contextlib
import functools
import pickle
import queue
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from nucleate import machine
from nucleate.fleet.clusters.line import Line
from nucleate.fleet.clusters.parcel import packed, unpacked
from nucleate.fleet.clusters.roster import wrong_nucleate
from nucleate.record import RunError

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Errand:
    """A function on its way to workers, each of which unpacks it once."""

    function: bytes

    def __call__(self, item: bytes) -> bytes:
        import jax

        machine.keep_freed_memory()
        machine.use_compile_cache()
        devices = machine.workers()
        with jax.default_device(devices[threading.get_ident() % len(devices)]):
            return pickle.dumps(_function(self.function)(unpacked(item)))


@dataclass(frozen=True)
class Errands:
    """`map_over_workers` over those of a cluster."""

    line: Line

    def __post_init__(self) -> None:
        versions = self.line.nucleates()
        if not versions:
            raise RunError(f"the cluster at {self.line.address} has no workers; start some, then try again.")
        for address, version in sorted(versions.items()):
            if refusal := wrong_nucleate(address, version):
                raise RunError(refusal)

    def __call__(self, work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        errand = self.line.share("nucleate-errand", Errand(packed(work)))
        answers = [self.line.ask_anyone("nucleate-item", errand, packed(item)) for item in items]
        try:
            with machine.undisturbed(), self.line.answering():
                self._await(answers)
                return [pickle.loads(result) for result in self.line.gather(answers)]
        finally:
            for answer in answers:
                answer.cancel()

    def _await(self, answers: list[Any]) -> None:
        """Return when all have ended; the first failure, or Ctrl-C, ends the waiting."""
        ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        for answer in answers:
            answer.add_done_callback(ended.put)
        left = len(answers)
        while left:
            machine.stop_if_asked()
            with contextlib.suppress(queue.Empty):
                answer = ended.get(timeout=0.1)
                left -= 1
                if answer.status == "error":
                    raise answer.exception()
                if answer.status != "finished":
                    raise RunError(f"the cluster at {self.line.address} lost what it was asked for: {answer.status}.")


@functools.lru_cache(maxsize=2)
def _function(parcel: bytes) -> Callable[[Any], Any]:
    return unpacked(parcel)
