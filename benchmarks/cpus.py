"""`make bench-cpus`: the benchmarks as they are on this processor, then as on one that has AVX2 alone.

A processor with AVX-512 plays the older one: every library is told to leave the newer instructions out. YNNPACK, with
which XLA multiplies, cannot be told, so XLA does without it there, and multiplies as it did before it had YNNPACK.

Usage: python -m benchmarks.cpus
"""

import os
import platform
import subprocess
import sys
from pathlib import Path

from tests.cpus import SETS

_AS = "NUCLEATE_BENCH_AS"
AS = os.environ.get(_AS, "")
"""The instruction set that the processor plays to have, if not its own."""


def processor() -> str:
    """The processor's name."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return next(iter(names), platform.processor() or platform.machine())


def with_avx2() -> dict[str, str]:
    """The environment in which every library that is compared leaves AVX-512 out."""
    (avx2,) = (instructions.environment() for instructions in SETS if instructions.name == "AVX2")
    return avx2 | {
        _AS: "AVX2",
        "XLA_FLAGS": f"{avx2['XLA_FLAGS']} --xla_cpu_experimental_ynn_fusion_type=",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    }


if __name__ == "__main__":
    for environment in ({}, with_avx2()):
        subprocess.run([sys.executable, "-m", "benchmarks"], env=os.environ | environment, check=True)
