"""Makes `planted` and `toy_paper` importable here, trains the toy paper once, and draws coarsely."""

import importlib
import shutil
import sys
from pathlib import Path

import pytest
from filelock import FileLock

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def coarse(monkeypatch):
    """Pictures of a sixth of the pixels: what is drawn is the same."""
    monkeypatch.setitem(importlib.import_module("nucleate.plots.style")._SETTINGS, "savefig.dpi", 80)


@pytest.fixture(scope="module", autouse=True)
def programs(compiled_once):
    """The same networks are trained again and again here."""


@pytest.fixture(scope="session")
def trained_toy(common) -> Path:
    """The toy paper at the quick budget, stopped when its networks were trained and nothing was measured."""
    import toy_paper

    from nucleate.fleet import Interruption
    from nucleate.papers import Budget, replicate

    folder = common / "toy"
    with FileLock(common / "toy.lock"):
        if not folder.exists():
            with toy_paper.raising(fall=KeyboardInterrupt()), pytest.raises(Interruption):
                replicate(toy_paper.PAPER, Budget.QUICK, folder)
    return folder


@pytest.fixture
def toy(trained_toy, tmp_path) -> Path:
    """The same, as a folder of the test's own."""
    return Path(shutil.copytree(trained_toy, tmp_path / "toy"))
