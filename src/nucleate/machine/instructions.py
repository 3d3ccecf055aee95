"""The instructions that this processor has: they decide in which order a sum is taken, and so its last bits."""

import platform
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")
# Those that compilers of numerical code choose between, by the names that Linux gives them.
_NUMERICAL = ("sse4", "avx", "fma", "f16c", "amx", "asimd", "sve", "bf16", "fphp", "i8mm", "vsx", "rvv")


def instruction_set() -> str:
    """The processor's architecture and its vector instructions, as text to be compared.

    Where the platform does not list instructions, the name of the processor stands for them.

    >>> instruction_set().split()[0] == platform.machine()
    True
    """
    try:
        lines = _CPUINFO.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        lines = []
    listed = next((line.split(":", 1)[1].split() for line in lines if line.startswith(("flags", "Features"))), [])
    chosen = sorted(name for name in listed if name.startswith(_NUMERICAL))
    return " ".join([platform.machine(), *(chosen or platform.processor().split())])
