"""Memory does not grow with the number of steps."""

import subprocess
import sys

# 8 kB are recorded in every step: were they kept, the longer run would need 60 MB more.
CODE = """
import resource, sys
from small_fleets import Sums, members
from nucleate.fleet import Every, Plan, train
for steps in (2500, 10000):
    train(Plan(Sums(p=128, dim=16, look=Every(1)), members(1), steps, block=1), f"{sys.argv[1]}/{steps}")
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def test_memory_is_flat_in_steps(tmp_path):
    done = subprocess.run([sys.executable, "-c", CODE, tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    short, long = map(float, done.stdout.split())
    assert long - short < 15, "megabytes more at 10 000 steps than at 2 500"
