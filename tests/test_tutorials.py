"""The notebooks of docs/tutorials run as they stand, and the mechanism that runs them, here and for the site."""

import json
import re
import sys
from pathlib import Path

import pytest

from docs.press.notebooks import Notebook, Output

SAYS = {"own_claim": ["replicated", "contradicted", "replicated"]}
"""The verdicts that a tutorial's text speaks of."""
TUTORIALS = sorted((Path(__file__).parents[1] / "docs" / "tutorials").glob("*.ipynb"))


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_runs(path, tmp_path):
    notebook = Notebook.read(path)
    if notebook.lacking:
        pytest.skip(f"needs {', '.join(notebook.lacking)}")
    shown = [output for outputs in notebook.run(tmp_path) for output in outputs]
    assert "png" in [output.kind for output in shown]
    if path.stem in SAYS:
        said = "".join(str(output.content) for output in shown if output.kind != "png")
        verdicts = re.findall("<td>(replicated|contradicted|inconclusive)</td>", said)
        assert verdicts[: len(SAYS[path.stem])] == SAYS[path.stem]


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_is_kept_without_outputs(path):
    tree = json.loads(path.read_text(encoding="utf-8"))
    assert tree["nbformat"] == 4
    assert tree["nbformat_minor"] >= 5  # which knows cells' ids
    assert len({cell["id"] for cell in tree["cells"]}) == len(tree["cells"])
    code = [cell for cell in tree["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert tree["cells"][0]["cell_type"] == "markdown"
    assert tree["cells"][0]["source"][0].startswith("# ")


def run(folder: Path, *sources: str, **metadata) -> list[list[Output]]:
    """What code cells show; `metadata` is that of all of them."""
    cells = [{"cell_type": "code", "source": source.splitlines(True), "metadata": metadata} for source in sources]
    path = folder / "tried.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {"nucleate": {"needs": ["json", "no_such_package"]}}}))
    return Notebook.read(path).run(folder)


def test_cells_share_names_and_show_their_last_line(tmp_path):
    class_of_its_own = "from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: 'float'\n"
    first, second, third = run(tmp_path, "a = 2\nprint('two')\na", class_of_its_own + "Point(a)", "a;")
    assert first == [Output("text", "two\n"), Output("text", "2")]
    assert second == [Output("text", "Point(x=2)")]
    assert third == []


def test_values_are_shown_as_they_would_be_in_a_notebook(tmp_path):
    table, figure = run(
        tmp_path,
        "import xarray\nxarray.Dataset({'loss': ('step', [1.0, 2.0])})",
        "import matplotlib.pyplot as plt\nplt.plot([1, 2]);",
    )
    assert [output.kind for output in table] == ["html"]
    assert [output.kind for output in figure] == ["png"]
    assert figure[0].content.startswith(b"\x89PNG")


def test_a_failing_cell_is_named_with_its_line(tmp_path):
    with pytest.raises(ZeroDivisionError) as caught:
        run(tmp_path, "a = 0", "b = 1\nb / a")
    frame = caught.traceback[-1]
    assert str(frame.path).endswith("tried.ipynb, cell 2")
    assert str(frame.statement) == "b / a"
    assert "notebook_tried" not in sys.modules


def test_a_warning_is_an_error(tmp_path):
    with pytest.raises(DeprecationWarning):
        run(tmp_path, "import warnings\nwarnings.warn('old', DeprecationWarning)")


def test_an_error_that_is_announced_is_shown_and_must_come(tmp_path):
    shown = run(tmp_path, "int('a')", tags=["raises-exception"])
    assert shown == [[Output("text", "ValueError: invalid literal for int() with base 10: 'a'")]]
    with pytest.raises(AssertionError, match="raises nothing"):
        run(tmp_path, "int('1')", tags=["raises-exception"])


def test_what_is_not_installed_is_told(tmp_path):
    run(tmp_path, "")
    assert Notebook.read(tmp_path / "tried.ipynb").lacking == ["no_such_package"]
