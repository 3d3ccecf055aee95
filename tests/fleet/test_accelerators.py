"""Several devices, as on a machine with accelerators: JAX is asked for two, in a process of its own."""

import subprocess
import sys
from pathlib import Path

import numpy as np
from small_fleets import Sums, members

from nucleate.fleet import Plan, train
from nucleate.record import Run

HERE = Path(__file__).parent

CODE = """
import sys
import jax
jax.config.update("jax_num_cpu_devices", 2)
from nucleate import machine
from nucleate.fleet import Plan, train
from small_fleets import Sums, members
machine.workers = jax.local_devices  # what it answers where the devices are not a CPU
assert len(machine.workers()) == 2
train(Plan(Sums(), members(6), 60, block=2), sys.argv[1])
"""


def test_a_fleet_on_two_devices_is_the_same_fleet(tmp_path):
    run = [sys.executable, "-c", CODE, str(tmp_path / "two")]
    done = subprocess.run(run, capture_output=True, text=True, cwd=HERE, timeout=240)
    assert done.returncode == 0, done.stderr
    one = train(Plan(Sums(), members(6), 60, block=2), tmp_path / "one").record().load()
    two = Run.open(tmp_path / "two").record().load()
    for name in one.variables:
        assert np.array_equal(one[name].values, two[name].values, equal_nan=True), name
