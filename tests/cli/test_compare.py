"""`nucleate compare` as a user meets it."""

import numpy as np
import pytest

from nucleate.cli import main
from nucleate.record import from_arrays


@pytest.fixture
def compare(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    for name, level in (("a", 1.0), ("b", 2.0)):
        from_arrays({"loss": np.full((8, 3), level)}, range(3), members=8, into=tmp_path / "runs" / name)

    def call(*args: str):
        return main(["compare", *args]), capsys.readouterr()

    return call


def test_two_runs_are_compared_in_the_terminal_and_on_a_page(compare, tmp_path):
    code, said = compare("runs/a", "runs/b")
    assert code == 0, said.err
    assert "1 [1, 1], n = 8" in said.out
    assert "2 [2, 2], n = 8" in said.out
    assert (tmp_path / "runs/comparison.html").exists()
    assert "runs/comparison.html" in said.out


@pytest.mark.parametrize(
    ("args", "answer"),
    [
        ((), "name the folders of two runs or more"),
        (("runs/a",), "name the folders of two runs or more"),
        (("runs/a", "runs/c"), "runs/c is not a run directory"),
        (("runs/a", "runs/b", "--out", "runs/a/run.json"), "--out must be the name of a page"),
    ],
)
def test_a_mistake_is_answered_in_one_line(compare, args, answer):
    code, said = compare(*args)
    assert code == 2
    assert answer in said.err
    assert len(said.err.strip().splitlines()) == 1
