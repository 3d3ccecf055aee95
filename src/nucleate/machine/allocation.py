"""How the C library gives memory back."""

import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of mallopt's, in malloc.h
_MIB = 2**20


def keep_freed_memory() -> bool:
    """Let this process keep memory that it has freed for what it allocates next; whether its C library knows how.

    Dask's nannies start workers with MALLOC_TRIM_THRESHOLD_=65536, so that memory is returned at once. Then glibc also
    maps every larger array anew, which it otherwise learns not to do, and a network's step, whose arrays come and go
    thousands of times a second, spent half of its time on page faults. These are the limits that glibc would have come
    to by itself.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another C library; the last on Windows
        return False
    return bool(mallopt(_MMAP_THRESHOLD, 32 * _MIB) and mallopt(_TRIM_THRESHOLD, 64 * _MIB))
