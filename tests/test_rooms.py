"""Rooms whose names are loaded on demand."""

import importlib
import subprocess
import sys

import pytest

import nucleate

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


def test_every_room_is_there_once_nucleate_is_imported():
    code = (
        "import sys, nucleate\n"
        "assert {'record', 'fleet', 'theories'} <= set(dir(nucleate)), dir(nucleate)\n"
        "assert 'nucleate.record' not in sys.modules\n"
        "assert nucleate.record.Run.__module__ == 'nucleate.record.run'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_room_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(AttributeError, match=r"no attribute 'records'; its rooms are algebra, .*, record, "):
        nucleate.records  # noqa: B018
