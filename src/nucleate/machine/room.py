"""How much room there is, in memory and on disk, and the refusal of what would not fit."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

_GROUPS = Path("/sys/fs/cgroup")
_PROC = Path("/proc")
# Whoever runs at all has this much: the limits, which are in a dozen files, are not read for it.
_LITTLE = 1_000_000


class TooLarge(ValueError):
    """More than this machine can hold. The message says how much that is, how much there is, and what to reduce."""


def require_memory(needed: float, what: str, advice: str) -> None:
    """Refuse what would not fit in memory, before any of it is allocated.

    >>> require_memory(1e30, "this table of 10 columns", "Reduce seeds.")
    Traceback (most recent call last):
    nucleate.machine.room.TooLarge: this table of 10 columns needs about 1e+12 EB of memory; ... is free. Reduce seeds.
    """
    if needed <= _LITTLE:
        return
    free = free_memory()
    if free is not None and needed > free:
        raise TooLarge(f"{what} needs about {in_bytes(needed)} of memory; {in_bytes(free)} is free. {advice}")


def require_disk(needed: float, folder: Path, what: str, advice: str) -> None:
    """Refuse what would not fit on the disk of a folder, which need not exist yet."""
    there = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    free = shutil.disk_usage(there).free
    if needed > free:
        raise TooLarge(f"{what} needs about {in_bytes(needed)} of disk; {folder} has {in_bytes(free)} free. {advice}")


def free_memory() -> int | None:
    """Bytes that this process may still allocate, by every limit that the platform tells of; None if it tells none."""
    limits = [*_of_the_machine(), *_of_the_group(), *_of_the_process()]
    return max(min(limits), 0) if limits else None


def in_bytes(count: float) -> str:
    """A number of bytes, for a reader.

    >>> in_bytes(999), in_bytes(14_200_000), in_bytes(3.1e12)
    ('999 B', '14 MB', '3.1 TB')
    """
    for unit in ("B", "kB", "MB", "GB", "TB", "PB"):
        if count < 999.5:
            return f"{count:.2g} {unit}" if count < 99.5 else f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.2g} EB"


def _of_the_machine() -> Iterator[int]:
    for line in _lines(_PROC / "meminfo"):
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) * 1024
            return
    if hasattr(os, "sysconf") and {"SC_PHYS_PAGES", "SC_PAGE_SIZE"} <= os.sysconf_names.keys():  # macOS
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _of_the_group() -> Iterator[int]:
    """What is left to the control groups of this process, of version 1 and 2: a container's limit, or a job's."""
    for line in _lines(_PROC / "self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory"):
            root, most, used, cached = (
                (_GROUPS, "memory.max", "memory.current", "inactive_file")
                if not controllers
                else (_GROUPS / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            )
            group = root / path.lstrip("/")
            for folder in (group, *group.parents):
                limit, usage = (next(_lines(folder / name), "") for name in (most, used))
                if limit.isdigit() and usage.isdigit():
                    # Files that the kernel keeps in memory count as used, but it drops them when asked for more.
                    stat = dict(line.split(" ", 1) for line in _lines(folder / "memory.stat"))
                    yield int(limit) - int(usage) + int(stat.get(cached, 0))
                if folder == root:
                    break


def _of_the_process() -> Iterator[int]:
    try:
        import resource
    except ImportError:  # Windows
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY:
        used = next(_lines(_PROC / "self/statm"), "0").split()[0]
        yield limit - int(used) * resource.getpagesize()


def _lines(file: Path) -> Iterator[str]:
    try:
        yield from file.read_text().splitlines()
    except (OSError, ValueError):
        return
