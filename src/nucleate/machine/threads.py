"""All cores, or all accelerators, at work."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


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

    devices = jax.local_devices()
    return devices[:1] * cores() if devices[0].platform == "cpu" else devices


def map_over_workers(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """`[work(item) for item in items]`, spread over all workers.

    The first item is done alone, so that a program that all of them run is compiled once, not by every thread at once.

    >>> map_over_workers(lambda item: item**2, [1, 2, 3])
    [1, 4, 9]
    """
    import jax

    devices = workers()

    def on_device(number: int) -> Result:
        with jax.default_device(devices[number % len(devices)]):
            return work(items[number])

    results = [on_device(number) for number in range(min(1, len(items)))]
    with ThreadPoolExecutor(len(devices)) as pool:
        results += pool.map(on_device, range(1, len(items)))
    return results
