"""Who only reads results waits for no JAX."""

import subprocess
import sys

import pytest

CHECK = """
import importlib, sys
importlib.import_module(sys.argv[1])
loaded = {name.split(".")[0] for name in sys.modules}
heavy = loaded & {"jax", "jaxlib", "equinox", "optax", "diffrax", "jaxtyping", "sklearn"}
sys.exit(", ".join(sorted(heavy)) or None)
"""


@pytest.mark.parametrize("room", ["", ".machine", ".record", ".claims", ".plots", ".report", ".papers", ".cli"])
def test_room_is_imported_without_jax(room):
    result = subprocess.run([sys.executable, "-c", CHECK, f"nucleate{room}"], capture_output=True, text=True)
    assert result.returncode == 0, f"nucleate{room} imports {result.stderr}"
