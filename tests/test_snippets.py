"""The Python code of the documents is run as it stands, block after block."""

import doctest
import importlib.util
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import matplotlib.pyplot as plt
import numpy as np
import pytest

from nucleate.cli import main
from nucleate.cli.parsing import parse

ROOT = Path(__file__).parents[1]

# Small runs in the folders in which the commands of docs/how-to.md leave theirs.
RUNS = {
    "runs/tour/trajectories": "grokking/trajectories --seeds 2 --steps 500 --look 100 --width 8",
    "runs/circles": "circles/competition --p 13 --embeddings 2 --steps 200 --width 8",
    "runs/repons": "repons/plane --embeddings 20 --steps 200 --width 16",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which those commands have been called."""
    folder = tmp_path_factory.mktemp("snippets")
    for out, command in RUNS.items():
        assert main(["run", *command.split(), "--out", str(folder / out)]) == 0
    return folder


def snippets(file: str) -> Iterator[str]:
    """Each block of code, below as many empty lines as stand before it: tracebacks name the line of the file."""
    text = (ROOT / file).read_text(encoding="utf-8")
    for block in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield "\n" * text[: block.start(1)].count("\n") + block[1]


DOCUMENTS = ["README.md", "ARCHITECTURE.md", "docs/how-to.md"]
TORCH = "\nimport torch\n"


@pytest.mark.torch
@pytest.mark.parametrize(("file", "code"), [(f, code) for f in DOCUMENTS for code in snippets(f) if TORCH in code])
def test_code_for_pytorch_runs_alone(file, code, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    module = ModuleType("snippets")
    monkeypatch.setitem(sys.modules, "snippets", module)
    exec(compile(code, ROOT / file, "exec"), module.__dict__)


@pytest.mark.parametrize("file", DOCUMENTS)
def test_code_in_documents_runs(file, folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(ROOT)
    plt.switch_backend("agg")
    module = ModuleType("snippets")
    monkeypatch.setitem(sys.modules, "snippets", module)
    blocks = list(snippets(file))
    assert blocks
    for code in blocks:
        if TORCH not in code or importlib.util.find_spec("torch"):
            exec(compile(code, ROOT / file, "exec"), module.__dict__)
    assert doctest.testmod(module).failed == 0
    plt.close("all")


class Understood(Exception):
    """A command was parsed, and is not carried out."""


def only_parse(*command: Any) -> NoReturn:
    parse(*command)
    raise Understood


def commands(file: str) -> Iterator[list[str]]:
    """The commands in a document's blocks for a shell."""
    text = (ROOT / file).read_text(encoding="utf-8")
    for block in re.finditer(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        words = (shlex.split(line, comments=True) for line in block[1].splitlines())
        yield from (line[1:] for line in words if line[:1] == ["nucleate"])


@pytest.mark.parametrize("file", ["README.md", "docs/how-to.md"])
def test_commands_in_documents_are_understood(file, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("my_paper.py").write_text((ROOT / "examples" / "own_paper.py").read_text())
    np.savez("mine.npz", images=np.zeros((3000, 2, 2), np.uint8), labels=np.arange(3000) % 10)
    for module in ("nucleate.cli.main", "nucleate.cli.experiments"):
        monkeypatch.setattr(importlib.import_module(module), "parse", only_parse)
    found = list(commands(file))
    assert found
    for command in found:
        with pytest.raises((Understood, SystemExit)):  # the latter from --help
            pytest.fail(f"nucleate {shlex.join(command)} leaves with {main(command)}")
