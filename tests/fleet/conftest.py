"""Makes `small_fleets` importable, here and in the processes that these tests start."""

import os
import sys
from itertools import count
from pathlib import Path

import pytest

HERE = str(Path(__file__).parent)
sys.path.insert(0, HERE)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [HERE, os.environ.get("PYTHONPATH")]))


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """`trained(plan)`: the record of a fleet, loaded."""
    from nucleate.fleet import train

    root, number = tmp_path_factory.mktemp("trained"), count()
    return lambda plan: train(plan, root / str(next(number))).record().load()
