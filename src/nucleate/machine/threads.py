"""All cores, or all accelerators, at work."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from nucleate.machine.signals import stop_if_asked, undisturbed

Item = TypeVar("Item")
Result = TypeVar("Result")


class PlatformError(RuntimeError):
    """JAX has been told to use a platform that is not there."""


def cores() -> int:
    """The number of cores this process may use: those it is bound to, where the platform can tell, and at least one."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    count = getattr(os, "process_cpu_count", os.cpu_count)  # the former since Python 3.13
    return count() or 1


def workers() -> list[Any]:
    """A JAX device for each thread that computes: the CPU once per core, or every accelerator.

    Threads share the one CPU device that JAX presents: executions on it run side by side, and a program is compiled
    once for all cores.
    """
    import jax

    try:
        devices = jax.local_devices()
    except (RuntimeError, AssertionError) as problem:  # the latter for CUDA without a GPU
        asked = jax.config.values["jax_platforms"]
        reason = str(problem).split(" (set JAX_PLATFORMS")[0] or "there is no such device"
        raise PlatformError(f"JAX cannot run on JAX_PLATFORMS={asked}: {reason}. Set JAX_PLATFORMS=cpu.") from problem
    return devices[:1] * cores() if devices[0].platform == "cpu" else devices


def compute_with(threads: int) -> None:
    """Let XLA compute with N threads in this process, unless it has begun or the user says otherwise.

    By itself it takes as many as there are cores and splits what one network does among them, so that processes side by
    side get in each other's way: two of them on two cores took 1.4 times the processor time of one with two threads.
    """
    os.environ.setdefault("PJRT_NPROC", str(threads))


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Keep LAPACK, which JAX calls for singular values and the like, from threads of its own: workers fill all cores.

    Its threads wait for one another by spinning. On two busy cores the singular vectors of a 64 × 172 matrix took
    200 ms of their time instead of 0.6.
    """
    import scipy.linalg  # noqa: F401 - the library whose threads are limited must have been loaded
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        yield


@contextmanager
def mapped_by(mapper: Callable[[Callable, Sequence], list]) -> Iterator[None]:
    """In this block, `map_over_workers` leaves work and items to someone else: to the workers of a cluster."""
    before = _mapper.set(mapper)
    try:
        yield
    finally:
        _mapper.reset(before)


_mapper: ContextVar[Callable[[Callable, Sequence], list] | None] = ContextVar("mapper", default=None)


def map_over_workers(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """`[work(item) for item in items]`, spread over all workers: the cores or accelerators here, see also `mapped_by`.

    The first item is done alone, so that a program that all of them run is compiled once, not by every thread at once.
    Ctrl-C stops it between two items.

    >>> map_over_workers(lambda item: item**2, [1, 2, 3])
    [1, 4, 9]
    """
    import jax

    if mapper := _mapper.get():
        return mapper(work, items)
    devices = workers()

    def on_device(number: int) -> Result:
        stop_if_asked()
        with jax.default_device(devices[number % len(devices)]):
            return work(items[number])

    results = [on_device(number) for number in range(min(1, len(items)))]
    # A KeyboardInterrupt between a pool's locks would leave its threads waiting for ever.
    with undisturbed(), ThreadPoolExecutor(len(devices)) as pool:
        results += pool.map(on_device, range(1, len(items)))
    return results
