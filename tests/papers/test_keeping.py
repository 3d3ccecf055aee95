import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import toy_paper
from toy_paper import PAPER

import nucleate
from nucleate.claims import Findings
from nucleate.papers.keeping import keep_for
from nucleate.record import code


@pytest.fixture(autouse=True)
def _a_new_process():
    code._hash.cache_clear()
    yield
    code._hash.cache_clear()


@pytest.fixture
def load(monkeypatch):
    """A module from a file, as if it had been imported."""

    def load(name: str, file: Path):
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return load


def write(file: Path, text: str = "def measure(evidence): ...\n") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def paper_of(function):
    return replace(PAPER, claims=(replace(PAPER.claims[0], measure=function),), figures=())


def identity(function) -> str:
    code._hash.cache_clear()
    return keep_for(paper_of(function), 1, Path("into")).code


def test_results_are_kept_in_the_folder_and_trust_the_papers_modules():
    kept = keep_for(PAPER, 1, Path("into"))
    assert kept.folder == Path("into/kept")
    assert kept.trusted == ("toy_paper",)


def test_the_same_code_and_effort_have_the_same_identity_in_any_folder():
    assert keep_for(PAPER, 1, Path("a")).code == keep_for(PAPER, 1, Path("b")).code
    assert keep_for(PAPER, 1, Path("a")).code != keep_for(PAPER, 2, Path("a")).code


def test_other_code_in_the_folder_of_a_single_file_is_other_code(load, tmp_path):
    module = load("own_single_paper", write(tmp_path / "paper.py"))
    before = identity(module.measure)
    write(tmp_path / ".venv/lib/site-packages/package/module.py")
    write(tmp_path / "notes.txt")
    assert identity(module.measure) == before
    readings = write(tmp_path / "readings.py", "x = 1\n")
    after = identity(module.measure)
    assert after != before
    write(readings, "x = 2\n")
    assert identity(module.measure) not in (before, after)


def test_other_code_anywhere_in_a_package_is_other_code(load, tmp_path):
    for name in ("__init__.py", "ledger/__init__.py", "recipe.py"):
        write(tmp_path / "own_package" / name, "")
    module = load("own_package.ledger.laws", write(tmp_path / "own_package/ledger/laws.py"))
    before = identity(module.measure)
    write(tmp_path / "beside.py")  # not of the package
    assert identity(module.measure) == before
    write(tmp_path / "own_package/recipe.py", "x = 2\n")
    assert identity(module.measure) != before


def test_other_code_of_nucleate_is_other_code(monkeypatch, tmp_path):
    home = Path(nucleate.__file__).parent
    assert code._home(home / "papers/paper.py") == (home.parent, "nucleate/**/*.py")
    before = identity(toy_paper.fall)
    monkeypatch.setattr(nucleate, "__file__", str(write(tmp_path / "nucleate/__init__.py", "")))
    assert identity(toy_paper.fall) != before


def test_figures_are_code_too(load, tmp_path):
    figures = load("own_figures", write(tmp_path / "figures.py"))
    assert keep_for(replace(PAPER, figures=(figures.measure,)), 1, Path()).code != keep_for(PAPER, 1, Path()).code


def test_the_code_is_that_which_the_process_began_with(load, tmp_path):
    module = load("own_single_paper", write(tmp_path / "paper.py"))
    before = keep_for(paper_of(module.measure), 1, Path()).code
    write(tmp_path / "paper.py", "edited = True\n")  # what runs is what was loaded
    assert keep_for(paper_of(module.measure), 1, Path()).code == before


def test_nothing_is_kept_of_code_that_is_in_no_file():
    scope: dict = {"Findings": Findings, "__name__": "a_notebook"}
    exec("def measure(evidence): return Findings({})", scope)
    assert keep_for(paper_of(scope["measure"]), 1, Path()) is None
