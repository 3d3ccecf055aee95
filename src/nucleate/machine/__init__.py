"""This computer: its cores and accelerators, and its caches of what need not be computed twice.

Importing this room needs no JAX; functions that use JAX import it when called.
"""

from nucleate.machine.caches import cache_folder, use_compile_cache
from nucleate.machine.threads import cores, map_over_workers, workers

__all__ = ["cache_folder", "cores", "map_over_workers", "use_compile_cache", "workers"]
