"""Rooms whose names are loaded on demand."""

import importlib
import subprocess
import sys

import pytest

ROOMS = ["claims", "papers", "plots", "record", "report"]


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_is_loaded_when_it_is_asked_for(room):
    module = importlib.import_module(f"nucleate.{room}")
    assert set(module._homes) == set(module.__all__)
    assert all(getattr(module, name) is not None for name in module.__all__)
    assert set(module.__all__) <= set(dir(module))
    with pytest.raises(AttributeError, match=f"module 'nucleate.{room}' has no attribute 'nothing'"):
        module.nothing  # noqa: B018


def test_a_name_is_not_hidden_by_the_module_of_the_same_name():
    code = (
        "import nucleate.plots.style\n"
        "from nucleate.plots import style\n"
        "assert style.__module__ == 'nucleate.plots.style', style\n"
        "import nucleate.plots.overview\n"
        "assert callable(nucleate.plots.overview)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_name_loads_its_own_module_alone():
    code = (
        "import sys\n"
        "from nucleate.plots import Picture\n"
        "from nucleate.record import Run, list_runs\n"
        "sys.exit(', '.join({'matplotlib', 'xarray', 'zarr'} & set(sys.modules)) or None)\n"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
