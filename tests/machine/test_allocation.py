import os
import subprocess
import sys

import pytest

CODE = """
import resource
import numpy as np
from nucleate.machine import keep_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(200):
        np.ones(2**17)  # a MiB, of 256 pages
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults()
before, known = faults(), keep_freed_memory()
faults()
print(before, known and faults())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="pages are counted as Linux counts them")
def test_memory_is_not_mapped_anew_for_every_array():
    """In a process that was started as Dask starts its workers."""
    environment = os.environ | {"MALLOC_TRIM_THRESHOLD_": "65536"}
    done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
    before, after = done.stdout.split()
    if after == "False":
        pytest.skip("not glibc")
    assert int(before) > 20_000
    assert int(after) < 1_000
