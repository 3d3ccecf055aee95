"""This computer: its cores and accelerators, what it has room for, its caches of what need not be computed twice, and
its signals.

Importing this room needs no JAX; functions that use JAX import it when called.
"""

from nucleate.machine.allocation import keep_freed_memory
from nucleate.machine.caches import cache_folder, use_compile_cache
from nucleate.machine.instructions import instruction_set
from nucleate.machine.room import TooLarge, free_memory, in_bytes, require_disk, require_memory
from nucleate.machine.signals import asked_to_stop, stop_if_asked, stoppable, undisturbed
from nucleate.machine.threads import (
    PlatformError,
    compute_with,
    cores,
    map_over_workers,
    mapped_by,
    one_thread_each,
    workers,
)

__all__ = [
    "PlatformError",
    "TooLarge",
    "asked_to_stop",
    "cache_folder",
    "compute_with",
    "cores",
    "free_memory",
    "in_bytes",
    "instruction_set",
    "keep_freed_memory",
    "map_over_workers",
    "mapped_by",
    "one_thread_each",
    "require_disk",
    "require_memory",
    "stop_if_asked",
    "stoppable",
    "undisturbed",
    "use_compile_cache",
    "workers",
]
