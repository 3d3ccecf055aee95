"""The Python code of README.md and ARCHITECTURE.md is run as it stands, block after block."""

import doctest
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import matplotlib.pyplot as plt
import pytest

from nucleate.cli import main

ROOT = Path(__file__).parents[1]

# Small runs in the folders in which the README's commands leave theirs.
RUNS = {
    "runs/tour/trajectories": "grokking/trajectories --seeds 2 --steps 500 --look 100 --width 8",
    "runs/circles": "circles/competition --p 13 --embeddings 2 --steps 200 --width 8",
    "runs/repons": "repons/plane --embeddings 20 --steps 200 --width 16",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which the README's commands have been called."""
    folder = tmp_path_factory.mktemp("snippets")
    for out, command in RUNS.items():
        assert main(["run", *command.split(), "--out", str(folder / out)]) == 0
    return folder


def snippets(file: str) -> Iterator[str]:
    """Each block of code, below as many empty lines as stand before it: tracebacks name the line of the file."""
    text = (ROOT / file).read_text(encoding="utf-8")
    for block in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield "\n" * text[: block.start(1)].count("\n") + block[1]


@pytest.mark.parametrize("file", ["README.md", "ARCHITECTURE.md"])
def test_code_in_documents_runs(file, folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(ROOT)
    plt.switch_backend("agg")
    module = ModuleType("snippets")
    monkeypatch.setitem(sys.modules, "snippets", module)
    blocks = list(snippets(file))
    assert blocks
    for code in blocks:
        exec(compile(code, ROOT / file, "exec"), module.__dict__)
    assert doctest.testmod(module).failed == 0
    plt.close("all")
