"""`make test-cpus`: the suite under each instruction set that this machine's processor can pretend to have.

Instructions decide in which order a sum is taken, and so its last bits. No test and no measurement may rest on those.
NumPy, OpenBLAS (the linear algebra of NumPy and SciPy), XLA and the C library each choose instructions when they start,
and each can be told to do with fewer.

Usage: python tests/cpus.py [options of pytest]
"""

import os
import subprocess
import sys
import time
from dataclasses import dataclass

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__  # what `numpy.show_config` reads, too


@dataclass(frozen=True)
class InstructionSet:
    """An instruction set, by the name of each library.

    needs: a feature that NumPy finds in a processor which has the set. beyond: how the names of NumPy's features begin
    that are not part of it.
    """

    name: str
    needs: str
    openblas: str
    xla: str
    beyond: tuple[str, ...]
    glibc: str

    def environment(self) -> dict[str, str]:
        # NumPy refuses to be told of features that it makes no use of here.
        known = [name for name in __cpu_dispatch__ if __cpu_features__[name] and name.startswith(self.beyond)]
        return {
            "NPY_DISABLE_CPU_FEATURES": " ".join(known),
            "OPENBLAS_CORETYPE": self.openblas,
            # At the level that users get, which `conftest.py` lowers where nothing is said.
            "XLA_FLAGS": f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_max_isa={self.xla} "
            "--xla_backend_optimization_level=3".strip(),
            "GLIBC_TUNABLES": f"glibc.cpu.hwcaps={self.glibc}",
        }


SETS = (
    InstructionSet(
        "SSE4.2", "SSE42", "Nehalem", "SSE4_2", ("AVX", "FMA", "F16C", "X86_V3", "X86_V4"), "-AVX2,-FMA,-FMA4,-AVX512F"
    ),
    InstructionSet("AVX2", "AVX2", "Haswell", "AVX2", ("AVX512", "X86_V4"), "-AVX512F"),
    InstructionSet("AVX-512", "AVX512_SKX", "SkylakeX", "AVX512", (), ""),
)


def main(options: list[str]) -> int:
    """Run pytest under every set; 1 if some run failed or none could be made."""
    outcomes: dict[str, str] = {}
    codes: list[int] = []
    for instructions in SETS:
        if not __cpu_features__.get(instructions.needs):
            outcomes[instructions.name] = "skipped: this processor does not have it"
            continue
        environment = instructions.environment()
        print(f"=== {instructions.name}: {environment}", flush=True)
        began = time.monotonic()
        code = subprocess.run([sys.executable, "-m", "pytest", *options], env=os.environ | environment).returncode
        codes.append(code)
        outcome = f"FAILED, with pytest's exit code {code}," if code else "passed"
        outcomes[instructions.name] = f"{outcome} in {(time.monotonic() - began) / 60:.1f} min"
    print("=== the suite under each instruction set:")
    for name, outcome in outcomes.items():
        print(f"{name}: {outcome}")
    return int(any(codes) or not codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
