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


@pytest.fixture(scope="module")
def compiled_once():
    """Fleets of equal recipes share their programs, for tests that train the same one again and again."""
    from nucleate.fleet import estimate
    from nucleate.fleet.program import Program

    made: list[Program] = []

    def program(recipe, static, lanes) -> Program:
        for each in made:
            if (each.recipe, each.static, each.lanes) == (recipe, static, lanes):
                return each
        made.append(Program(recipe, static, lanes))
        return made[-1]

    with pytest.MonkeyPatch.context() as patch:
        for home in (estimate, sys.modules["nucleate.fleet.train"]):
            patch.setattr(home, "Program", program)
        yield
