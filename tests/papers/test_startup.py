"""Who lists, looks and reports does not wait for JAX, nor for anything else that is not needed."""

import subprocess
import sys
from pathlib import Path

import pytest
from toy_paper import FIRST, PAPER

from nucleate.papers import Budget, replicate

IN_A_PROCESS = """
import sys
sys.modules["dask"] = None  # where it is installed, xarray loads a part of it, and SciPy with it
from nucleate.cli import main
try:
    code = main(sys.argv[1:])
except SystemExit as leaving:
    code = leaving.code or 0
print(code, *sorted({"jax", "matplotlib", "xarray", "zarr", "scipy", "numpy"} & set(sys.modules)))
"""


def loaded(*args: str | Path) -> set[str]:
    """Which packages a command loads, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", IN_A_PROCESS, *map(str, args)], capture_output=True, text=True)
    code, *packages = done.stdout.splitlines()[-1].split()
    assert code == "0", done.stderr
    return set(packages)


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["list"], ["list", "grokking"], ["run", "--help"]])
def test_what_there_is_is_told_at_once(args):
    assert loaded(*args) <= {"numpy"}


def test_help_for_an_experiment_does_not_wait_for_its_recipe():
    assert loaded("run", "circles/lines", "--help") <= {"numpy"}


def test_runs_are_listed_at_once(toy):
    assert loaded("runs", "--root", toy) <= {"numpy"}


def test_a_run_is_shown_without_jax(toy):
    assert loaded("show", toy / FIRST.split("/")[1]) <= {"numpy", "xarray", "zarr"}


def test_a_replication_is_shown_and_reported_without_jax(toy):
    replicate(PAPER, Budget.QUICK, toy)
    assert loaded("show", toy) <= {"numpy"}
    assert loaded("report", toy) <= {"numpy", "xarray", "zarr"}


def test_a_run_is_reported_without_jax_and_drawn_once(toy):
    run = toy / FIRST.split("/")[1]
    assert "jax" not in loaded("report", run)
    assert loaded("report", run) <= {"numpy", "xarray", "zarr"}
