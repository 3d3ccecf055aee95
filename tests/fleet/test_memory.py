"""Memory does not grow with the number of steps."""

import subprocess
import sys

# 4 kB are recorded in every step: were they kept, the longer run would need 60 MB more.
CODE = """
import resource, sys
from small_fleets import Sums, members
from nucleate.fleet import Every, Plan, train
folder, steps = sys.argv[1:]
train(Plan(Sums(p=64, dim=16, look=Every(1)), members(1), int(steps), block=1), folder)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def test_memory_is_flat_in_steps(tmp_path):
    processes = [
        subprocess.Popen([sys.executable, "-c", CODE, tmp_path / steps, steps], stdout=subprocess.PIPE, text=True)
        for steps in ("5000", "20000")
    ]
    short, long = (float(process.communicate()[0]) for process in processes)
    assert long - short < 15, "megabytes more at 20 000 steps than at 5 000"
