"""Results are read on any platform: Windows has no `fcntl`, neither it nor macOS binds processes to cores."""

import subprocess
import sys

READ = """
import os, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name == "fcntl":
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)

sys.meta_path.insert(0, Absent())
for name in ("sched_getaffinity", "fchmod", "fchown"):
    delattr(os, name)
if sys.version_info >= (3, 13):
    os.process_cpu_count = os.cpu_count  # which does without the first where there is none

from pathlib import Path
import nucleate.claims, nucleate.cli, nucleate.report, nucleate.machine, nucleate.plots
from nucleate.record import Run, write_atomically

assert "fcntl" not in sys.modules
run = Run.open(Path(sys.argv[1]))
print(float(run.record().loss.sum()), run.is_held(), nucleate.machine.cores() >= 1)
write_atomically(run.path / "note", b"written")
"""


def test_a_record_is_read_where_unix_is_missing(run):
    result = subprocess.run([sys.executable, "-c", READ, run.path], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    total, held, has_cores = result.stdout.split()
    assert float(total) == float(run.record().loss.sum())
    assert (held, has_cores) == ("False", "True")
    assert (run.path / "note").read_bytes() == b"written"
